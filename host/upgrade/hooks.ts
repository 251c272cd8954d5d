/**
 * The two hooks of the upgrade module (specification, sections 1 and 3).
 *
 * PreBlocker runs first in a block: it asks the core for the decision and halts where it must. EndBlocker runs the
 * handler of the plan that the PreBlocker decided to apply. Neither writes anything outside the block's branch.
 */
import { equalBytes } from "../bytes.js";
import { assert, isUpgradeError, UpgradeError } from "../errors.js";
import type { HandlerReport } from "../handler/run/sandbox.js";
import { LOG_LINES_MAX } from "../limits.js";
import type { Decision, Height, MultiStore, Plan, Timestamp, VersionMap } from "../types.js";
import { modulesAfter } from "./app-versions.js";
import { guardAfter, guardBefore } from "./guards.js";
import { failureOf, Halt, handlerDetails } from "./halt.js";
import type { FoundHandler } from "./handler-set.js";
import { difference, type RegisteredHandler, sameVersions, type UpgradeContext } from "./handlers.js";
import { type Keeper, UPGRADE_STORE } from "./keeper.js";

/** What the hooks need to know of a block. */
export interface BlockFacts {
  readonly chainId: string;
  readonly height: Height;
  readonly time: Timestamp;
  /** Consensus app version, for the downgrade halt's message; 0n when unset. */
  readonly appVersion: bigint;
}

/** What the PreBlocker found; the EndBlocker of the same block wants it back. */
export interface PreBlock {
  readonly decision: Decision;
  /** A plan was due when the block began, whatever was decided. */
  readonly isUpgradeBlock: boolean;
  readonly plan: Plan | undefined;
  readonly planBytes: Uint8Array | undefined;
}

export interface AppliedUpgrade {
  readonly plan: Plan;
  readonly handler: RegisteredHandler;
  readonly versionsBefore: ReadonlyMap<string, bigint>;
  readonly versionsAfter: ReadonlyMap<string, bigint>;
  /** What a Wasm handler did. */
  readonly report: HandlerReport | undefined;
}

/**
 * Decides, and does what needs no handler. `stores` is the block's branch.
 * @throws Halt; UpgradeError UPG_HANDLER_HASH, UPG_STORE_CORRUPT, UPG_STORE_IO
 */
export function preBlocker(keeper: Keeper, stores: MultiStore, block: BlockFacts): PreBlock {
  const { core } = keeper;
  const store = stores.store(UPGRADE_STORE);
  const planBytes = core.planBytes(store);
  const plan = planBytes && core.decodePlan(planBytes);
  const isDue = plan !== undefined && plan.height <= block.height;
  const isSkipHeight = keeper.isSkipHeight(block.height);
  const isFirstBlock = !keeper.hasCommitted;
  // A file may have been staged since anybody looked.
  if (plan && isDue && keeper.handlerState(plan) !== "ready") keeper.lookForStaged();
  const found = plan && keeper.findHandler(plan);
  if (found?.handler && found.state !== "ready") reportUnfit(keeper, plan as Plan, found, isDue && !isSkipHeight);
  const last = isFirstBlock ? core.lastDone(store) : undefined;
  const decision = core.preBlock(store, block.height, {
    hasHandler: found?.state === "ready" && (isDue || !found.waits),
    hasLastHandler: last !== undefined && keeper.knowsUpgrade(last.name),
    isSkipHeight,
    isFirstBlock,
  });
  const say = (subject: Uint8Array | string) => core.haltText(decision, block.height, block.appVersion, subject);
  switch (decision) {
    case "Skip":
      keeper.log("info", say(planBytes as Uint8Array));
      core.clear(store);
      break;
    case "Apply":
      requireOpenedStores(keeper, plan as Plan, planBytes as Uint8Array, block);
      break;
    case "HaltUpgradeNeeded":
      keeper.writeUpgradeInfo(block.height, planBytes as Uint8Array);
      throw new Halt("UPG_HALT_UPGRADE_NEEDED", say(planBytes as Uint8Array), block.height, plan);
    case "HaltBinaryTooEarly":
      throw new Halt("UPG_HALT_BINARY_TOO_EARLY", say(planBytes as Uint8Array), block.height, plan, {
        ...handlerDetails(plan && keeper.handler(plan.name)?.wasm),
        app_version: String(block.appVersion),
      });
    case "HaltHandlerMissing":
      assert(last, "a downgrade halt names the last upgrade");
      throw new Halt("UPG_HALT_HANDLER_MISSING", say(last.name), block.height, plan, {
        last_upgrade: last.name,
      });
  }
  return { decision, isUpgradeBlock: isDue, plan, planBytes };
}

function reportUnfit(keeper: Keeper, plan: Plan, found: FoundHandler, isApplying: boolean): void {
  const { state, problem, handler, details } = found;
  if (!isApplying) {
    keeper.warnOnce(`${problem}; before the height it counts as no handler`);
    return;
  }
  const code = state === "ambiguous" ? "UPG_HANDLER_DUPLICATE" : "UPG_HANDLER_HASH";
  throw failureOf(new UpgradeError(code, problem, { details }), plan, handler?.wasm);
}

/** A process that runs another version cannot apply: its stores are those of the old one. */
function requireOpenedStores(keeper: Keeper, plan: Plan, planBytes: Uint8Array, block: BlockFacts): void {
  const handler = keeper.findHandler(plan).handler as RegisteredHandler;
  if (keeper.hasOpenedStoresFor(plan.name, handler.storeUpgrades)) return;
  keeper.writeUpgradeInfo(block.height, planBytes);
  throw new Halt(
    "UPG_HALT_RESTART",
    `UPGRADE "${plan.name}" at height ${block.height} needs the stores of the new version: start the same binary again`,
    block.height,
    plan,
  );
}

/**
 * Runs the handler of a plan that is to be applied, in a branch of its own, and records the upgrade.
 * @param stores the block's branch; when this throws it must be dropped
 * @param base the stores as the store loader left them
 * @throws UpgradeError UPG_MIGRATION_*, UPG_HANDLER_*, UPG_BUG_PLAN_CHANGED
 */
export function endBlocker(
  keeper: Keeper,
  stores: MultiStore,
  base: MultiStore,
  block: BlockFacts,
  pre: PreBlock,
): AppliedUpgrade | undefined {
  if (pre.decision !== "Apply") return undefined;
  const { core } = keeper;
  const plan = pre.plan as Plan;
  const planBytes = pre.planBytes as Uint8Array;
  const handler = keeper.findHandler(plan).handler as RegisteredHandler;
  const store = stores.store(UPGRADE_STORE);
  if (!equalBytes(core.planBytes(store) ?? new Uint8Array(), planBytes)) throw planChanged(plan);
  const versionsBefore = core.versionMap(store);
  keeper.log("info", `applying upgrade "${plan.name}" at height: ${plan.height}`);
  const branch = stores.branch();
  const context = upgradeContext(keeper, branch, block);
  const { onProgress } = keeper;
  onProgress?.("handler", "", 0, 0);
  try {
    const run = { context, plan, planBytes, versionMap: versionsBefore, base, onProgress };
    guardBefore(handler, versionsBefore, base);
    const { versionMap, report } = handler.run(run);
    guardAfter(handler, branch, { before: versionsBefore, after: versionMap });
    requireKnownVersions(keeper, plan, { handler, before: versionsBefore, after: versionMap });
    branch.write();
    applyVersions(() => core.apply(store, block.height, planBytes, versionMap, handler.removes));
    return { plan, handler, versionsBefore, versionsAfter: core.versionMap(store), report };
  } catch (error) {
    throw failureOf(error, plan, handler.wasm);
  }
}

/** A map that the core does not take is the handler's fault, not the caller's. */
function applyVersions(apply: () => void): void {
  try {
    apply();
  } catch (error) {
    if (!isUpgradeError(error) || error.code !== "UPG_INVALID_VERSION_MAP") throw error;
    throw new UpgradeError("UPG_MIGRATION_VERSION_MAP", error.message, { cause: error });
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
    `handler "${plan.name}" does not lead to app version ${version.number}: ${difference(expected, after)}`,
  );
}
