/** Runs a block's content on a branch: the upgrade module's hooks, transactions, and the end blockers. */

import type { MultiStore } from "../types.js";
import { type AppliedUpgrade, type BlockFacts, endBlocker, preBlocker } from "../upgrade/hooks.js";
import { type BlockContext, blockContext, type ChainEvent, moduleContext } from "./context.js";
import { endGovernanceBlock } from "./gov/end-block.js";
import type { JsonReader } from "./json-reader.js";
import { GOV_STORE } from "./modules/gov.js";
import { STAKING_STORE } from "./modules/staking.js";
import { refusal, refusedInUpgradeBlock, type TxResult } from "./tx/result.js";
import { runTx, type TxFacts } from "./tx/run.js";
import { SDK, TxError } from "./tx-error.js";

/** A change that stands in place of transactions: the app's own door for tools and tests, not for clients. */
export type DirectChange = (context: BlockContext) => void;

export interface BlockInput {
  readonly facts: TxFacts;
  /** Consensus app version, for the downgrade halt's sentence. */
  readonly appVersion: bigint;
  readonly txs: readonly Uint8Array[];
  readonly changes: readonly DirectChange[];
  readonly blockGasMax: bigint | undefined;
}

export interface BlockOutput {
  readonly txResults: readonly TxResult[];
  readonly events: readonly ChainEvent[];
  readonly applied: AppliedUpgrade | undefined;
}

/**
 * @param branch the block's branch; when this throws it must be dropped
 * @param base the stores as the store loader left them
 * @throws Halt; UpgradeError UPG_MIGRATION_*, UPG_HANDLER_*, UPG_STORE_*
 */
export function runBlock(branch: MultiStore, base: MultiStore, input: BlockInput): BlockOutput {
  const { facts, txs, changes } = input;
  const { keeper, chainId, height, time } = facts;
  const events: ChainEvent[] = [];
  const block: BlockFacts = { chainId, height, time, appVersion: input.appVersion };
  const pre = preBlocker(keeper, branch, block);
  let applied: AppliedUpgrade | undefined;
  let txResults: readonly TxResult[];
  if (pre.isUpgradeBlock) {
    applied = endBlocker(keeper, branch, base, block, pre);
    txResults = txs.map(refusedInUpgradeBlock);
  } else {
    const context = blockContext(facts, branch, events);
    for (const change of changes) change(context);
    txResults = runTransactions(branch, input);
  }
  return { txResults, events: [...events, ...endBlockers(facts, branch)], applied };
}

function runTransactions(branch: MultiStore, { facts, txs, blockGasMax }: BlockInput): TxResult[] {
  let used = 0n;
  return txs.map((bytes) => {
    if (blockGasMax !== undefined && used >= blockGasMax) {
      return refusal(new TxError(SDK.OUT_OF_GAS, "no block gas left to run tx"));
    }
    const left = blockGasMax === undefined ? {} : { blockGasLeft: blockGasMax - used };
    const result = runTx(facts, branch, bytes, { mode: "deliver", takesFees: true, blockGasMax, ...left });
    used += result.gasUsed;
    return result;
  });
}

/** A version that keeps other stores has another governance, or none. */
function endBlockers(facts: TxFacts, branch: MultiStore): ChainEvent[] {
  const events: ChainEvent[] = [];
  const isOurs = [GOV_STORE, STAKING_STORE].every((name) => branch.names.includes(name));
  if (isOurs) endGovernanceBlock(moduleContext({ ...facts, consumeGas: () => undefined }, branch, events));
  const mode = { key: "mode", value: "EndBlock" };
  return events.map(({ type, attributes }) => ({ type, attributes: [...attributes, mode] }));
}

/** Gas that a block may use, from `consensus.params`; undefined: no limit. */
export function blockGasLimit(consensusParams: JsonReader): bigint | undefined {
  const field = consensusParams.get("block").get("max_gas");
  const limit = field.isSet ? field.int64() : -1n;
  return limit > 0n ? limit : undefined;
}
