/** Module staking: validators and what is delegated to them, as genesis gives them; votes and blocks are decided by it. */
import type { Module } from "../../chain/module.js";
import { stakingGenesis } from "./genesis.js";
import { readStakingParams } from "./params.js";
import { consensusPowers, soundValidators } from "./power.js";
import { stakingQuery } from "./query.js";
import { STAKING_STORE } from "./records.js";

/**
 * Module staking: validators and delegations as genesis gives them.
 *
 * @example
 * console.log(staking().name, staking().messages); // → staking undefined
 */
export function staking(): Module {
  return {
    name: "staking",
    consensusVersion: 1n,
    stores: [STAKING_STORE],
    queries: [stakingQuery],
    genesis: stakingGenesis,
    validators: (stores, { stakingParams }) => consensusPowers(stores, readStakingParams(stakingParams).maxValidators),
    invariants: [soundValidators],
  };
}
