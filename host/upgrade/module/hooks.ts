/**
 * The two hooks of the upgrade module (specification 1.1 to 1.14).
 *
 * PreBlocker runs first in a block: it asks the core for the decision and halts where it must. EndBlocker runs the
 * handler of the plan that the PreBlocker decided to apply. Neither writes anything outside the block's branch.
 */

import { isUpgradeError, UpgradeError } from "../../base/errors/errors.js";
import { equalBytes } from "../../base/text/bytes.js";
import { LOG_LINES_MAX } from "../../base/types/limits.js";
import type {
  CacheMultiStore as CacheMultiStoreShape,
  Height,
  LoadedStores,
  MultiStore,
  Plan,
  Timestamp,
  VersionMap,
} from "../../base/types/types.js";
import { finish } from "../../state/branch/finish.js";
import { CacheMultiStore } from "../../state/branch/kv/cache-multi-store.js";
import { writesDigest } from "../../state/branch/kv/writes-digest.js";
import { sameVersions, versionsDifference } from "../core/version-map.js";
import type { WasmHandler } from "../handler/handler.js";
import type { HandlerReport } from "../handler/run/sandbox.js";
import { modulesAfter } from "./app-versions.js";
import { decide } from "./decide.js";
import { guardAfter, guardBefore } from "./guards.js";
import { failureOf, Halt } from "./halt.js";
import { type Keeper, UPGRADE_STORE } from "./keeper.js";
import type { RegisteredHandler, UpgradeContext } from "./upgrade-handler.js";

/** What the hooks need to know of a block. */
export interface BlockFacts {
  readonly chainId: string;
  readonly height: Height;
  readonly time: Timestamp;
  /** Consensus app version, for the downgrade halt's message; 0n when unset. */
  readonly appVersion: bigint;
}

/** What both hooks of a block are given; one value serves both. */
export interface HookInput {
  readonly keeper: Keeper;
  /** The block's branch: what the block writes. When a hook throws it must be dropped. */
  readonly branch: CacheMultiStoreShape;
  /** The stores as the store loader left them: `multiStore.loaded()`. */
  readonly base: LoadedStores;
  readonly block: BlockFacts;
}

/** What the PreBlocker decided; the EndBlocker of the same block takes it. Halts are thrown and are not among these. */
export type PreBlock =
  /** No plan is due. */
  | { readonly decision: "Idle" | "Pending"; readonly isUpgradeBlock: false; readonly plan: Plan | undefined }
  /** The plan that was due has been cleared, unapplied. */
  | { readonly decision: "Skip"; readonly isUpgradeBlock: true; readonly plan: Plan }
  | ApplyBlock;

/** The EndBlocker will run the handler. */
export interface ApplyBlock {
  readonly decision: "Apply";
  readonly isUpgradeBlock: true;
  readonly plan: Plan;
  /** The plan as it is stored. */
  readonly planBytes: Uint8Array;
  readonly handler: RegisteredHandler;
}

export interface AppliedUpgrade {
  readonly plan: Plan;
  readonly handler: RegisteredHandler;
  readonly versionsBefore: ReadonlyMap<string, bigint>;
  readonly versionsAfter: ReadonlyMap<string, bigint>;
  /** What a Wasm handler did. */
  readonly report: HandlerReport | undefined;
  /** Of each store that a Wasm handler may write, the digest of its own final writes; empty for a function. */
  readonly writes: ReadonlyMap<string, Uint8Array>;
  /** The modules whose probes ran on the upgraded state; undefined: the host of the modules has none. */
  readonly probes?: Probes;
}

/** Names of modules, in the chain's order. */
export interface Probes {
  readonly passed: readonly string[];
  /** The module, or one that it depends on, was removed by the upgrade. */
  readonly skipped: readonly string[];
}

/**
 * Decides, and does what needs no handler. Call it first in a block.
 *
 * @throws Halt; UpgradeError UPG_HANDLER_HASH, UPG_STORE_CORRUPT, UPG_STORE_IO
 *
 * @example
 * import { sha256 } from "@noble/hashes/sha2.js";
 * const keeper = new Keeper({ core: new Core(), authority: "gov" });
 * const stores = new CommitMultiStore(new MemoryDatabase(), { sha256 });
 * stores.mount(UPGRADE_STORE);
 * stores.loadLatestVersion();
 * const block = { chainId: "notes-1", height: 1n, time: { seconds: 0n, nanos: 0 }, appVersion: 1n };
 * console.log(preBlocker({ keeper, branch: stores.branch(), base: stores.loaded(), block }).decision); // → Idle
 */
export function preBlocker({ keeper, branch, base, block }: HookInput): PreBlock {
  const store = branch.store(UPGRADE_STORE);
  const verdict = decide(keeper, store, block, !base.hasCommitted);
  const { decision, plan } = verdict;
  switch (decision) {
    case "Idle":
    case "Pending":
      return { decision, isUpgradeBlock: false, plan };
    case "Skip":
      keeper.log("info", verdict.message);
      keeper.core.clear(store);
      return { decision, isUpgradeBlock: true, plan };
    case "Apply": {
      const { planBytes, handler } = verdict;
      requireOpenedStores(verdict, { keeper, base, block });
      return { decision, isUpgradeBlock: true, plan, planBytes, handler };
    }
  }
}

/** A process that runs another version cannot apply: its stores are those of the old one. */
function requireOpenedStores(
  { plan, planBytes, handler }: Pick<ApplyBlock, "plan" | "planBytes" | "handler">,
  { keeper, base, block }: Omit<HookInput, "branch">,
): void {
  if (keeper.hasOpenedStoresFor(plan.name, handler.storeUpgrades, base)) return;
  if (!keeper.isReopening) keeper.writeUpgradeInfo(block.height, planBytes);
  throw new Halt(
    "UPG_HALT_RESTART",
    `UPGRADE "${plan.name}" at height ${block.height} needs the stores of the new version: start the same binary again`,
    block.height,
    plan,
  );
}

/**
 * Runs the handler of a plan that is to be applied, in a branch of its own, and records the upgrade. Call it last in a
 * block, with what `preBlocker` returned.
 *
 * @throws UpgradeError UPG_MIGRATION_*, UPG_HANDLER_*, UPG_BUG_PLAN_CHANGED
 *
 * @example
 * import { sha256 } from "@noble/hashes/sha2.js";
 * const keeper = new Keeper({ core: new Core(), authority: "gov" });
 * keeper.setUpgradeHandler("v2", (_context, _plan, versions) => new Map([...versions, ["notes", 2n]]));
 * const stores = new CommitMultiStore(new MemoryDatabase(), { sha256 });
 * stores.mount(UPGRADE_STORE);
 * stores.loadLatestVersion();
 * const branch = stores.branch();
 * keeper.setModuleVersions(branch.store(UPGRADE_STORE), new Map([["notes", 1n]]));
 * const plan = { name: "v2", height: 1n, info: "" };
 * keeper.softwareUpgrade(branch.store(UPGRADE_STORE), 1n, { authority: "gov", plan });
 * const block = { chainId: "notes-1", height: 1n, time: { seconds: 0n, nanos: 0 }, appVersion: 1n };
 * const input = { keeper, branch, base: stores.loaded(), block };
 * console.log(endBlocker(input, preBlocker(input))?.versionsAfter.get("notes")); // → 2n
 */
export function endBlocker(
  { keeper, branch: stores, base, block }: HookInput,
  pre: PreBlock,
): AppliedUpgrade | undefined {
  if (pre.decision !== "Apply") return undefined;
  const { core } = keeper;
  const { plan, planBytes, handler } = pre;
  const store = stores.store(UPGRADE_STORE);
  if (!equalBytes(core.planBytes(store) ?? new Uint8Array(), planBytes)) throw planChanged(plan);
  const versionsBefore = core.versionMap(store);
  keeper.log("info", `applying upgrade "${plan.name}" at height: ${plan.height}`);
  const branch = new CacheMultiStore(stores);
  const context = upgradeContext(keeper, branch, block);
  const { onProgress } = keeper;
  onProgress?.("handler", "", 0, 0);
  try {
    const run = { context, plan, planBytes, versionMap: versionsBefore, base, onProgress };
    guardBefore(handler, versionsBefore, base, keeper.table);
    const { versionMap, report } = handler.run(run);
    guardAfter(handler, branch, { before: versionsBefore, after: versionMap }, keeper.table);
    requireKnownVersions(keeper, plan, { handler, before: versionsBefore, after: versionMap });
    const writes = writesOf(branch, handler.wasm, report);
    finish(branch);
    applyVersions(() => core.apply(store, block.height, planBytes, versionMap, handler.removes));
    return { plan, handler, versionsBefore, versionsAfter: core.versionMap(store), report, writes };
  } catch (error) {
    throw failureOf(error, plan, handler.wasm);
  }
}

/** Before the branch is merged with what others of the block write. */
function writesOf(
  branch: CacheMultiStore,
  wasm: WasmHandler | undefined,
  report: HandlerReport | undefined,
): Map<string, Uint8Array> {
  if (!wasm || !report) return new Map();
  return new Map([...report.stores.keys()].map((name) => [name, writesDigest(branch.store(name), wasm.sha256)]));
}

/** A map that the core does not take is the handler's fault, not the caller's. */
function applyVersions(apply: () => void): void {
  try {
    apply();
  } catch (error) {
    if (!isUpgradeError(error) || error.code !== "UPG_INVALID_VERSION_MAP") throw error;
    throw new UpgradeError("UPG_MIGRATION_VERSION_MAP", error.template, { cause: error });
  }
}

function planChanged(plan: Plan): UpgradeError {
  return new UpgradeError(
    "UPG_BUG_PLAN_CHANGED",
    `the plan "${plan.name}" changed between the hook that decided and the hook that applies`,
  );
}

function upgradeContext(keeper: Keeper, stores: MultiStore, block: BlockFacts): UpgradeContext {
  let progressLines = 0;
  return {
    chainId: block.chainId,
    height: block.height,
    time: block.time,
    stores,
    store: (name) => stores.store(name),
    log: (level, message) => keeper.log(level, message),
    progress: (done, total) => {
      // A call is cheap for the handler and a line is expensive for the log; onProgress shows the readings after these, too.
      if (progressLines++ < LOG_LINES_MAX) keeper.log("debug", `handler: ${done} of ${total}`);
      keeper.onProgress?.("handler", "", Number(done), Number(total));
    },
  };
}

interface VersionChange {
  readonly handler: RegisteredHandler;
  readonly before: VersionMap;
  readonly after: VersionMap;
}

/** Where the program carries the plan, the handler must give exactly the modules of the version that it leads to. */
export function requireKnownVersions(
  keeper: Pick<Keeper, "versions">,
  plan: Plan,
  { handler, before, after }: VersionChange,
): void {
  const version = keeper.versions.find((known) => known.plan === plan.name);
  if (!version) return;
  const expected = modulesAfter(version, keeper.versions, before, handler.removes);
  if (sameVersions(after, expected)) return;
  throw new UpgradeError(
    "UPG_MIGRATION_VERSION_MAP",
    `handler "${plan.name}" does not lead to app version ${version.number}: ${versionsDifference(expected, after)}`,
  );
}
