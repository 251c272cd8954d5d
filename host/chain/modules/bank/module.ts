/** Module bank: coins, and MsgSend. */
import type { Module } from "../../app/module.js";
import { BANK_STORE } from "./bank.js";
import { bankGenesis } from "./genesis.js";
import { SEND } from "./messages.js";
import { probeBank } from "./probe.js";
import { bankQuery } from "./query.js";
import { soundSupply } from "./supply-invariant.js";

/**
 * Module bank: coins, and MsgSend. Version 1 keeps coins with their accounts, version 2 in a store of its own.
 *
 * @example
 * console.log(bank().messages?.map(({ typeUrl }) => typeUrl)); // → [ '/cosmos.bank.v1beta1.MsgSend' ]
 */
export function bank(): Module {
  return {
    name: "bank",
    consensusVersion: 2n,
    isBounded: true,
    stores: [BANK_STORE],
    dependsOn: ["auth"],
    messages: [SEND],
    queries: [bankQuery],
    genesis: bankGenesis,
    invariants: [soundSupply],
    probe: probeBank,
  };
}
