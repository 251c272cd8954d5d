/** Module gov: proposals, deposits and votes; a proposal that passes runs its messages. */
import type { Module } from "../../app/module.js";
import { STAKING_STORE } from "../staking/records.js";
import { endGovernanceBlock } from "./end-block.js";
import { govGenesis } from "./genesis.js";
import { LEGACY_GOV_MESSAGES } from "./legacy-messages.js";
import { legacyGovQuery } from "./legacy-query.js";
import { GOV_MESSAGES } from "./messages.js";
import { probeGov } from "./probe.js";
import { govQuery } from "./query.js";
import { nextEnd } from "./queues.js";
import { soundGovernance } from "./record-invariant.js";
import { GOV_STORE } from "./records.js";

/**
 * Module gov: proposals, deposits and votes. Votes are counted by the power in module staking; deposits go through module bank.
 *
 * @example
 * console.log(gov().consensusVersion, gov().account); // → 1n { permissions: [ 'burner' ] }
 */
export function gov(): Module {
  return {
    name: "gov",
    consensusVersion: 1n,
    isBounded: true,
    stores: [GOV_STORE],
    dependsOn: ["auth", "bank", "staking"],
    messages: [...GOV_MESSAGES, ...LEGACY_GOV_MESSAGES],
    queries: [govQuery, legacyGovQuery],
    account: { permissions: ["burner"] },
    genesis: govGenesis,
    endBlock(context) {
      // A version without staking's store has another governance.
      if (context.stores.names.includes(STAKING_STORE)) endGovernanceBlock(context);
    },
    nextEndTime: (stores) => nextEnd(stores.store(GOV_STORE)),
    invariants: [soundGovernance],
    probe: probeGov,
  };
}
