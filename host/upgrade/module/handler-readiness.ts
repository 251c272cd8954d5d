/** Whether the handler that is here can make the plan's block: the one judgement of the node's log, metrics and status. */

import { isUpgradeError, messageOf } from "../../base/errors/errors.js";
import type { Height, MultiStore, Plan, VersionMap } from "../../base/types/types.js";
import { CacheMultiStore, NamedStores } from "../../state/branch/kv/cache-multi-store.js";
import { MemoryKVStore } from "../../state/branch/kv/memory-kv.js";
import { sortByName } from "../../state/commitment/app-hash.js";
import { planStores } from "../../state/store/versions/store-upgrades.js";
import type { VersionView } from "../../state/store/versions/version-view.js";
import { declaredVersions } from "../handler/declared-versions.js";
import { requireLayout } from "../handler/run/sandbox.js";
import { modulesAfter, storesAfter } from "./app-versions.js";
import { guardAllStores, guardBefore, guardStores } from "./guards.js";
import type { FoundHandler } from "./handler-set.js";
import { requireKnownVersions } from "./hooks.js";
import { type Keeper, UPGRADE_STORE } from "./keeper.js";
import type { RegisteredHandler } from "./upgrade-handler.js";

/**
 * @param committed the last version: the handler must take the versions and stores that are stored now
 * @param failedRehearsal what the last rehearsal of the file with this hash found wrong, if it did
 */
export function handlerReadiness(
  keeper: Keeper,
  committed: Pick<VersionView, "multiStore" | "names" | "treeAt">,
  plan: Plan,
  failedRehearsal: (hash: string | undefined) => string | undefined,
): FoundHandler {
  const found = keeper.findHandler(plan);
  const { handler, state } = found;
  if (state !== "ready" || !handler) return found;
  const unfit = (problem: string): FoundHandler => ({ ...found, state: "unfit", problem });
  try {
    if (committed.names.includes(UPGRADE_STORE)) {
      const base = openedFor(handler, { keeper, committed, plan });
      judgeUpgrade(keeper, base, { plan, handler, height: plan.height });
    }
  } catch (error) {
    if (!isUpgradeError(error)) throw error;
    return unfit(messageOf(error));
  }
  const failed = failedRehearsal(handler.wasm?.hash);
  return failed === undefined ? found : unfit(`its last rehearsal here failed: ${failed}`);
}

interface OpenFacts {
  readonly keeper: Keeper;
  readonly committed: Parameters<typeof handlerReadiness>[1];
  readonly plan: Plan;
}

/** The stores as a start at the height opens them for the handler. @throws UpgradeError UPG_STORE_UPGRADE */
function openedFor({ storeUpgrades }: RegisteredHandler, { keeper, committed, plan }: OpenFacts): MultiStore {
  const { versions } = keeper;
  const own = versions.find((version) => version.plan === plan.name);
  const stored = committed.names.map((name) => ({ name, root: committed.treeAt(name).root }));
  const mounted = storesAfter(committed.names, { storeUpgrades, own, versions });
  const before = committed.multiStore();
  const opened = sortByName(planStores(mounted, stored, storeUpgrades)).map(({ name, stored: same, renamedFrom }) => {
    const source = same ?? renamedFrom;
    return [name, source ? before.store(source.name) : new MemoryKVStore()] as const;
  });
  return new NamedStores(new Map(opened));
}

interface JudgedUpgrade {
  readonly plan: Plan;
  readonly handler: RegisteredHandler;
  /** Of the upgrade's block. */
  readonly height: Height;
}

/**
 * Makes every check of the upgrade's block that follows from the stored versions, the names of the stores and what the handler
 * declares. The block makes them with the same functions; the handler does not run.
 * @param base the stores as they are opened for the handler; nothing is written to them
 * @throws UpgradeError UPG_HANDLER_LAYOUT, UPG_MIGRATION_VERSION_MAP, UPG_INVALID_*
 */
export function judgeUpgrade(keeper: Keeper, base: MultiStore, { plan, handler, height }: JudgedUpgrade): void {
  const { core, table } = keeper;
  const upgrade = new CacheMultiStore(base).store(UPGRADE_STORE);
  const before = core.versionMap(upgrade);
  if (handler.wasm) requireLayout(handler.wasm.manifest, before);
  guardBefore(handler, before, base, table);
  const after = expectedVersions(keeper, plan, handler, before);
  if (!after) return;
  const change = { before, after };
  guardStores(handler, base.names, change, table);
  requireKnownVersions(keeper, plan, { handler, ...change });
  core.apply(upgrade, height, core.planBytes(upgrade) ?? new Uint8Array(), after, handler.removes);
  guardAllStores(handler, base.names, change, table);
}

/** The only version map that the block accepts; undefined: a function's, which it returns, of a plan that no version carries. */
function expectedVersions(
  { versions }: Keeper,
  plan: Plan,
  { wasm, removes }: RegisteredHandler,
  before: VersionMap,
): VersionMap | undefined {
  if (wasm) return declaredVersions(wasm, before, { versionMap: undefined });
  const own = versions.find((version) => version.plan === plan.name);
  return own && modulesAfter(own, versions, before, removes);
}
