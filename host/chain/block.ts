/** Runs a block's content on a branch: the upgrade module's hooks, transactions, and the end blockers. */

import { UpgradeError } from "../errors.js";
import { callModule, synchronous } from "../synchronous.js";
import { compareTimes } from "../time.js";
import type { CacheMultiStore, LoadedStores, MultiStore, Timestamp } from "../types.js";
import { failureOf } from "../upgrade/halt.js";
import { type AppliedUpgrade, type BlockFacts, endBlocker, preBlocker } from "../upgrade/hooks.js";
import { storesBefore } from "../upgrade/module-table.js";
import { SDK, TxError } from "../values/tx-error.js";
import { type BlockContext, blockContext, type ChainEvent, moduleContext } from "./context.js";
import type { Chain } from "./define-chain.js";
import { type Module, type ReadableStores, storesOf } from "./module.js";
import { runProbes } from "./probe.js";
import { refusal, refusedInUpgradeBlock, type TxResult } from "./tx/result.js";
import { runTx, type TxFacts } from "./tx/run.js";

/** A change in place of transactions: the app's own entry point for tools and tests, not for clients. */
export type DirectChange = (context: BlockContext) => void;

export interface BlockInput {
  readonly modules: readonly Module[];
  readonly facts: TxFacts;
  /** Consensus app version, for the downgrade halt's message. */
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
export function runBlock(branch: CacheMultiStore, base: LoadedStores, input: BlockInput): BlockOutput {
  const { facts, txs, changes } = input;
  const { keeper, chainId, height, time } = facts;
  const events: ChainEvent[] = [];
  const block: BlockFacts = { chainId, height, time, appVersion: input.appVersion };
  const hookInput = { keeper, branch, base, block };
  const pre = preBlocker(hookInput);
  let applied: AppliedUpgrade | undefined;
  let txResults: readonly TxResult[];
  if (pre.isUpgradeBlock) {
    applied = endBlocker(hookInput, pre);
    if (applied) {
      requireStores(input, branch, applied);
      checkInvariants(input, branch, applied);
      applied = { ...applied, probes: runProbes({ modules: input.modules, facts, branch, base, applied }) };
    }
    txResults = txs.map(refusedInUpgradeBlock);
    events.push(...runHooks(input, branch, "BeginBlock"));
  } else {
    events.push(...runHooks(input, branch, "BeginBlock"));
    const context = blockContext(facts, branch, events);
    for (const change of changes) synchronous("a change", change(context));
    txResults = runTransactions(branch, input);
  }
  return { txResults, events: [...events, ...runHooks(input, branch, "EndBlock")], applied };
}

/** A module of the version map that ran before the upgrade runs after it: without a store its code and its invariants would be skipped. */
function requireStores({ modules }: BlockInput, { names }: MultiStore, applied: AppliedUpgrade): void {
  const { plan, handler, versionsBefore, versionsAfter } = applied;
  const before = { names: storesBefore(names, handler.storeUpgrades) };
  for (const module of modules) {
    const stays = versionsBefore.has(module.name) && versionsAfter.has(module.name);
    if (!stays || !hasStores(module, before) || hasStores(module, { names })) continue;
    const missing = storesOf(module).filter((name) => !names.includes(name));
    const what =
      `after "${plan.name}" the module ${module.name} is in the version map and has no store "${missing.join('", "')}": it would ` +
      "stop running. Keep its stores, or remove the module";
    throw failureOf(new UpgradeError("UPG_MIGRATION_VERSION_MAP", what), plan, handler.wasm);
  }
}

/** A state that an upgrade leaves is committed only when it holds what its modules hold to be always true. */
function checkInvariants({ modules }: BlockInput, branch: MultiStore, { plan, handler }: AppliedUpgrade): void {
  for (const module of modules.filter((each) => hasStores(each, branch))) {
    for (const { name, check } of module.invariants ?? []) {
      const broken = callModule(`invariant "${name}" of module ${module.name}`, () => check(branch));
      if (broken === undefined) continue;
      const what = `after "${plan.name}" the invariant "${name}" of module ${module.name} does not hold: ${broken}`;
      throw failureOf(new UpgradeError("UPG_MIGRATION_INVARIANT", what), plan, handler.wasm);
    }
  }
}

/** A version may lack a module, or keep its records in stores of other names: its code does not run then. */
export function hasStores(module: Module, { names }: { readonly names: readonly string[] }): boolean {
  return storesOf(module).every((name) => names.includes(name));
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

/** The begin or end blockers of all modules, in the chain's order. */
function runHooks({ modules, facts }: BlockInput, branch: MultiStore, hook: "BeginBlock" | "EndBlock"): ChainEvent[] {
  const events: ChainEvent[] = [];
  const context = moduleContext({ ...facts, consumeGas: () => undefined }, branch, events);
  for (const module of modules) {
    const run = hook === "BeginBlock" ? module.beginBlock : module.endBlock;
    if (run && hasStores(module, branch)) callModule(`${hook} of module ${module.name}`, () => run(context));
  }
  const mode = { key: "mode", value: hook };
  return events.map(({ type, attributes }) => ({ type, attributes: [...attributes, mode] }));
}

/** When the next block has something to do, whatever it holds; undefined: no module asks for one by the clock. */
export function nextEndTime({ modules }: Pick<Chain, "modules">, stores: ReadableStores): Timestamp | undefined {
  const times = modules.flatMap(
    (module) =>
      (hasStores(module, stores) &&
        callModule(`nextEndTime() of module "${module.name}"`, () => module.nextEndTime?.(stores))) ||
      [],
  );
  return times.sort(compareTimes)[0];
}
