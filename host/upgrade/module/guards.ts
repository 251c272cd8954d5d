/**
 * What an upgrade must not do by accident: the mistakes that have hurt chains, refused before anything is written. Each
 * can be declared by the handler (`allows`), so that people who approve it read it first; except that a module stays
 * without its stores, which no chain survives. The rules are part of the handlers' ABI (docs/abi.md).
 */

import { UpgradeError } from "../../base/errors/errors.js";
import { compareText } from "../../base/text/bytes.js";
import type { CacheMultiStore, MultiStore, VersionMap } from "../../base/types/types.js";
import { CacheKVStore } from "../../state/branch/kv/cache-kv.js";
import type { Manifest } from "../handler/manifest/manifest-types.js";
import { type ModuleTable, StoreOwners, storesBefore } from "./module-table.js";
import type { RegisteredHandler } from "./upgrade-handler.js";

const refuse = (what: string) => new UpgradeError("UPG_MIGRATION_VERSION_MAP", what);

/** A handler, as far as the guards before its run look at it. */
export type JudgedHandler = Pick<RegisteredHandler, "planName" | "allows" | "removes" | "storeUpgrades"> & {
  readonly wasm?: { readonly manifest: Pick<Manifest, "versions"> } | undefined;
};

interface Guarded {
  readonly handler: JudgedHandler;
  /** The version map before the upgrade. */
  readonly stored: VersionMap;
  readonly owners: StoreOwners;
}

/**
 * Before the handler runs.
 * @param base the stores as they are opened for it
 * @throws UpgradeError UPG_MIGRATION_VERSION_MAP with what to do
 */
export function guardBefore(
  handler: JudgedHandler,
  stored: VersionMap,
  base: MultiStore,
  { moduleStores, vitalModules }: ModuleTable,
): void {
  const { planName, allows, removes } = handler;
  if (stored.size === 0 && !allows.emptyVersionMap) {
    // Specification 2.21.
    throw refuse(
      `the stored version map is empty, so handler "${planName}" cannot know what is there and modules would begin again over their data: ` +
        "store the modules' versions at genesis (Keeper.setModuleVersions), or declare allows.emptyVersionMap",
    );
  }
  const change = { stored, opened: base.names, storeUpgrades: handler.storeUpgrades };
  const guarded = { handler, stored, owners: new StoreOwners(moduleStores, change) };
  guardTaken(guarded);
  for (const module of [...vitalModules].sort(compareText)) {
    if (!removes.includes(module) || allows.removeModules.includes(module)) continue;
    // Specification 2.22.
    throw refuse(
      `handler "${planName}" removes the module "${module}", without which the chain cannot go on: keep it, or declare ` +
        `allows.removeModules ["${module}"]`,
    );
  }
  guardKept(guarded);
  guardNew(guarded, base);
}

/** Deleting a store or renaming it takes it away from a module that stays. */
function guardTaken({ handler, owners }: Guarded): void {
  const { planName, allows, removes, storeUpgrades } = handler;
  const guard = (store: string, losers: readonly string[], does: (module: string) => string) => {
    const module = losers.find((name) => !removes.includes(name));
    if (module === undefined || allows.deleteStores.includes(store)) return;
    // Specification 2.23.
    throw refuse(
      `handler "${planName}" ${does(module)}, and the module "${module}" stays: remove the module as well, or declare ` +
        `allows.deleteStores ["${store}"]`,
    );
  };
  for (const store of storeUpgrades.deleted) {
    guard(store, owners.ownersOf(store), () => `deletes the store "${store}"`);
  }
  for (const { oldKey, newKey } of storeUpgrades.renamed) {
    const does = (module: string) =>
      `takes the store "${oldKey}" away from the module "${module}" (renames it to "${newKey}")`;
    guard(oldKey, owners.losersOf(oldKey, newKey), does);
  }
}

/** A module that is removed takes its stores with it: a later one of that name would begin over what is left. */
function guardKept({ handler: { planName, allows, removes }, stored, owners }: Guarded): void {
  for (const module of removes.filter((name) => stored.has(name))) {
    for (const store of owners.storesOf(module).filter((name) => owners.isOpened(name))) {
      const isShared = owners.ownersOf(store).some((name) => !removes.includes(name));
      if (isShared || allows.keepStores.includes(store)) continue;
      // Specification 2.24.
      throw refuse(
        `handler "${planName}" removes the module "${module}" and keeps its store "${store}": delete the store as well, or ` +
          `declare allows.keepStores ["${store}"]`,
      );
    }
  }
}

/** A module that the manifest brings as new begins with empty stores. */
function guardNew({ handler: { wasm, planName }, stored, owners }: Guarded, base: MultiStore): void {
  for (const [module, { from }] of wasm?.manifest.versions ?? []) {
    if (!from && !stored.has(module)) requireNoData(base, module, owners.storesOf(module), `handler "${planName}"`);
  }
}

/** @throws UpgradeError UPG_MIGRATION_VERSION_MAP when a store of a module that is to begin holds pairs already */
export function requireNoData(base: MultiStore, module: string, stores: readonly string[], who: string): void {
  for (const store of stores) {
    if (!base.names.includes(store)) continue;
    const { done } = base.store(store).iterate().next();
    if (done) continue;
    // Specification 2.26.
    throw refuse(
      `${who} brings the module "${module}" as new, and its store "${store}" has data: it would begin again over them. If the ` +
        "module was there before, its version is missing in the stored version map (Keeper.setModuleVersions at genesis); if not, " +
        "delete the store in an upgrade before",
    );
  }
}

export interface VersionChange {
  readonly before: VersionMap;
  readonly after: VersionMap;
}

/**
 * After it ran, while its writes are in a branch of their own.
 * @throws UpgradeError UPG_MIGRATION_VERSION_MAP, UPG_MIGRATION_FAILED
 */
export function guardAfter(
  handler: RegisteredHandler,
  branch: CacheMultiStore,
  change: VersionChange,
  { moduleStores }: ModuleTable,
): void {
  if (branch.names.includes("upgrade") && isWritten(branch, "upgrade")) {
    // Specification 2.27.
    throw new UpgradeError(
      "UPG_MIGRATION_FAILED",
      `handler "${handler.planName}" wrote to the store "upgrade", which the upgrade module alone keeps: plan, versions and Done are set for it`,
    );
  }
  guardStores(handler, branch.names, change, { moduleStores });
  const opened = { stored: change.before, opened: branch.names, storeUpgrades: handler.storeUpgrades };
  guardWrites(handler, branch, change, new StoreOwners(moduleStores, opened));
}

type StoreTable = Pick<ModuleTable, "moduleStores">;

/**
 * Requires a store for every module of the new version map. A manifest declares that map, so this is also judged before the height.
 * @param opened names of the stores as they are opened for the handler
 * @throws UpgradeError UPG_MIGRATION_VERSION_MAP
 */
export function guardStores(
  { planName, storeUpgrades }: Pick<JudgedHandler, "planName" | "storeUpgrades">,
  opened: readonly string[],
  { before, after }: VersionChange,
  { moduleStores }: StoreTable,
): void {
  const owners = new StoreOwners(moduleStores, { stored: before, opened, storeUpgrades });
  for (const module of [...after.keys()].sort(compareText)) {
    const stores = owners.storesOf(module);
    if (!owners.needsStore(module) || stores.some((name) => owners.isOpened(name))) continue;
    const which = stores.map((name) => `"${name}"`).join(", ");
    // Specification 2.28.
    throw refuse(
      `after handler "${planName}" the module "${module}" is in the version map and has no store (${which}): it would stop ` +
        "running. Keep its store, or remove the module",
    );
  }
}

/**
 * Requires all of its stores for a module that stays and had them all: without one its code and its invariants would be skipped.
 * @param opened names of the stores as they are opened for the handler
 * @throws UpgradeError UPG_MIGRATION_VERSION_MAP
 */
export function guardAllStores(
  { planName, storeUpgrades }: Pick<JudgedHandler, "planName" | "storeUpgrades">,
  opened: readonly string[],
  { before, after }: VersionChange,
  { moduleStores }: StoreTable,
): void {
  const previous = storesBefore(opened, storeUpgrades);
  for (const [module, stores] of moduleStores) {
    if (!before.has(module) || !after.has(module)) continue;
    const missing = stores.filter((name) => !opened.includes(name));
    if (missing.length === 0 || !stores.every((name) => previous.includes(name))) continue;
    // Specification 2.29.
    throw refuse(
      `after "${planName}" the module ${module} is in the version map and has no store "${missing.join('", "')}": it would ` +
        "stop running. Keep its stores, or remove the module",
    );
  }
}

/** Whose store is written to has another version afterwards; a store that was renamed is also that of its old owner. */
function guardWrites(
  { planName, allows, storeUpgrades }: RegisteredHandler,
  branch: CacheMultiStore,
  { before, after }: VersionChange,
  owners: StoreOwners,
): void {
  const guard = (store: string, modules: readonly string[]) => {
    const module = modules.find((name) => before.get(name) === after.get(name));
    if (module === undefined || allows.writeStores.includes(store)) return;
    // Specification 2.25.
    throw refuse(
      `handler "${planName}" writes to the store "${store}" of the module "${module}", whose version stays ${before.get(module)}: ` +
        `raise the version, so that every program knows which layout it reads, or declare allows.writeStores ["${store}"] when the layout is the same`,
    );
  };
  for (const written of [...branch.names].sort(compareText).filter((name) => isWritten(branch, name))) {
    guard(written, owners.ownersOf(written));
    const renamed = storeUpgrades.renamed.find(({ newKey }) => newKey === written);
    if (renamed) guard(renamed.oldKey, owners.losersOf(renamed.oldKey, written));
  }
}

/** Has the branch writes of its own in this store? */
export function isWritten(branch: Pick<MultiStore, "store">, name: string): boolean {
  const store = branch.store(name);
  return store instanceof CacheKVStore && !store.isEmpty;
}
