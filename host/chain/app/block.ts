/** Runs a block's content on a branch: the upgrade module's hooks, transactions, and the end blockers. */

import { UpgradeError } from "../../base/errors/errors.js";
import { callModule, synchronous } from "../../base/errors/synchronous.js";
import { compareTimes } from "../../base/time/time.js";
import type { CacheMultiStore, LoadedStores, MultiStore, Timestamp } from "../../base/types/types.js";
import { guardAllStores } from "../../upgrade/module/guards.js";
import { failureOf } from "../../upgrade/module/halt.js";
import { type AppliedUpgrade, type BlockFacts, endBlocker, preBlocker } from "../../upgrade/module/hooks.js";
import { runTried } from "../determinism/tried.js";
import { BlockEventCounter, type ChainEvent, type EventCounter, emitter } from "../values/events.js";
import { SDK, TxError } from "../values/tx-error.js";
import type { Chain } from "./chain.js";
import { type BlockContext, blockContext, type ModuleContext, moduleContext } from "./context.js";
import { callGiver, HookCalls } from "./hooks/hook-calls.js";
import type { Module } from "./module.js";
import { runProbes } from "./probe.js";
import { routerAt } from "./tx/message-kind.js";
import { refusal, refusedInUpgradeBlock, type TxResult } from "./tx/result.js";
import { runTx, type TxFacts } from "./tx/run.js";
import { type GivingState, isRunning } from "./versions/running.js";
import type { ChainVersion } from "./versions/version.js";

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
  /** The version in force on a state, after an upgrade was applied to it. */
  readonly versionOf: (stores: MultiStore) => ChainVersion;
}

export interface BlockOutput {
  readonly txResults: readonly TxResult[];
  readonly events: readonly ChainEvent[];
  readonly applied: AppliedUpgrade | undefined;
  /** The version in force after the block. */
  readonly version: ChainVersion;
}

/**
 * @param branch the block's branch; when this throws it must be dropped
 * @param base the stores as the store loader left them
 * @throws Halt; UpgradeError UPG_MIGRATION_*, UPG_HANDLER_*, UPG_STORE_*
 */
export function runBlock(branch: CacheMultiStore, base: LoadedStores, input: BlockInput): BlockOutput {
  const { txs, changes } = input;
  const { keeper, chainId, height, time } = input.facts;
  const events: ChainEvent[] = [];
  const counter = new BlockEventCounter();
  const block: BlockFacts = { chainId, height, time, appVersion: input.appVersion };
  const hookInput = { keeper, branch, base, block };
  const pre = preBlocker(hookInput);
  let applied: AppliedUpgrade | undefined;
  let after = input;
  const hooks = () => new HookCalls({ height, applied }, branch);
  let txResults: readonly TxResult[];
  if (pre.isUpgradeBlock) {
    applied = endBlocker(hookInput, pre);
    if (applied) {
      after = inVersion(input, input.versionOf(branch));
      const { modules, facts } = after;
      requireStores(facts, branch, applied);
      checkInvariants(after, hooks(), applied);
      applied = { ...applied, probes: runProbes({ modules, facts, branch, base, applied }) };
    }
    txResults = txs.map(refusedInUpgradeBlock);
    for (const event of runHooks("BeginBlock", after, hooks(), counter)) events.push(event);
  } else {
    for (const event of runHooks("BeginBlock", input, hooks(), counter)) events.push(event);
    const context = blockContext(input.facts, branch, emitter(events, counter));
    for (const change of changes) synchronous("a change", change(context));
    txResults = runTransactions(branch, input);
  }
  const { version } = after.facts;
  return { txResults, events: [...events, ...runHooks("EndBlock", after, hooks(), counter)], applied, version };
}

/** The block goes on in the version that its upgrade led to. */
function inVersion(input: BlockInput, version: ChainVersion): BlockInput {
  const router = routerAt(input.modules, version);
  return { ...input, facts: { ...input.facts, version, router } };
}

/** A module of the version map that ran before the upgrade runs after it. */
function requireStores({ keeper }: TxFacts, { names }: MultiStore, applied: AppliedUpgrade): void {
  const { plan, handler, versionsBefore: before, versionsAfter: after } = applied;
  try {
    guardAllStores(handler, names, { before, after }, keeper.table);
  } catch (error) {
    throw failureOf(error, plan, handler.wasm);
  }
}

/** A state that an upgrade leaves is committed only when it holds what its modules hold to be always true. */
function checkInvariants({ modules, facts }: BlockInput, hooks: HookCalls, { plan, handler }: AppliedUpgrade): void {
  const state = { stores: hooks.read, version: facts.version };
  for (const module of modules.filter((each) => isRunning(each, state))) {
    for (const { name, check } of module.invariants ?? []) {
      const which = `invariant "${name}" of module ${module.name}`;
      const broken = hooks.call(which, () => check(hooks.read), "UPG_MIGRATION_INVARIANT");
      if (broken === undefined) continue;
      const what = `after "${plan.name}" the ${which} does not hold: ${broken}`;
      throw failureOf(new UpgradeError("UPG_MIGRATION_INVARIANT", what), plan, handler.wasm);
    }
  }
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
function runHooks(
  hook: "BeginBlock" | "EndBlock",
  { modules, facts }: BlockInput,
  hooks: HookCalls,
  counter: EventCounter,
): ChainEvent[] {
  const events: ChainEvent[] = [];
  const context = moduleContext({ ...facts, consumeGas: () => undefined }, hooks.stores, events, counter);
  const state = { stores: hooks.stores, version: facts.version };
  for (const module of modules) {
    const run = hook === "BeginBlock" ? module.beginBlock : module.endBlock;
    if (!run || !isRunning(module, state)) continue;
    const what = `${hook} of module ${module.name}`;
    const inside = (own: ModuleContext) => callModule(what, () => run(own));
    hooks.call(what, () => (module.isBounded ? run(context) : runTried(what, context, inside)));
  }
  hooks.close();
  const mode = { key: "mode", value: hook };
  return events.map(({ type, attributes }) => ({ type, attributes: [...attributes, mode] }));
}

/** When the next block has something to do, whatever it holds; undefined: no module asks for one by the clock. */
export function nextEndTime({ modules }: Pick<Chain, "modules">, state: GivingState): Timestamp | undefined {
  const times = modules.flatMap(
    (module) =>
      (isRunning(module, state) &&
        callGiver(`nextEndTime() of module "${module.name}"`, state.stores, (own) => module.nextEndTime?.(own))) ||
      [],
  );
  return times.sort(compareTimes)[0];
}
