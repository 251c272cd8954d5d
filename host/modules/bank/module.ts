/** Module bank: coins, and MsgSend. */
import type { Module } from "../../chain/module.js";
import { BANK_STORE } from "./bank.js";
import { bankGenesis } from "./genesis.js";
import { SEND } from "./messages.js";
import { bankQuery } from "./query.js";

/** Version 1 keeps coins with their accounts, version 2 in a store of its own. */
export function bank(): Module {
  return {
    name: "bank",
    consensusVersion: 2n,
    stores: [BANK_STORE],
    messages: [SEND],
    queries: [bankQuery],
    genesis: bankGenesis,
  };
}
