/** Module staking: validators and what is delegated to them; votes and blocks are decided by it. */
import type { Module } from "../../app/module.js";
import { endStakingBlock, probeStaking } from "./end-block.js";
import { beginStakingBlock } from "./evidence.js";
import { stakingGenesis } from "./genesis.js";
import { STAKING_MESSAGES } from "./messages.js";
import { readStakingParams } from "./params.js";
import { backedStake } from "./pools.js";
import { consensusPowers, soundValidators } from "./power.js";
import { stakingQuery } from "./query.js";
import { soundRecords } from "./record-invariant.js";
import { STAKING_STORE } from "./records.js";
import { nextUnbonding } from "./unbonding.js";

/**
 * Module staking: validators and delegations, from genesis, handlers and messages. There are no rewards and no slashing: the
 * Cosmos SDK's modules distribution, mint and slashing are not among these, and commission is recorded alone.
 *
 * @example
 * console.log(staking().messages?.map(({ typeUrl }) => typeUrl.split(".").at(-1)).join()); // → MsgCreateValidator,MsgDelegate,MsgUndelegate
 */
export function staking(): Module {
  return {
    name: "staking",
    consensusVersion: 1n,
    isBounded: true,
    stores: [STAKING_STORE],
    dependsOn: ["auth", "bank"],
    messages: STAKING_MESSAGES,
    queries: [stakingQuery],
    genesis: stakingGenesis,
    beginBlock(context) {
      beginStakingBlock(context);
    },
    endBlock(context) {
      endStakingBlock(context);
    },
    nextEndTime: (stores) => nextUnbonding(stores.store(STAKING_STORE)),
    validators: (stores, { stakingParams }) => consensusPowers(stores, readStakingParams(stakingParams).maxValidators),
    invariants: [soundRecords, soundValidators, backedStake],
    probe: probeStaking,
  };
}
