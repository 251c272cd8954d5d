/**
 * What an upgrade must not do by accident: the mistakes that have hurt chains, refused before anything is written. Each
 * can be declared by the handler (`allows`), so that people who approve it read it first.
 */

import { CacheKVStore } from "../branch/kv/cache-kv.js";
import { UpgradeError } from "../errors.js";
import type { CacheMultiStore, MultiStore, VersionMap } from "../types.js";
import type { RegisteredHandler } from "./handlers.js";

/** Modules without which a chain can never be upgraded again. */
const VITAL_MODULES: readonly string[] = ["gov", "upgrade"];

const refuse = (what: string) => new UpgradeError("UPG_MIGRATION_VERSION_MAP", what);

/**
 * Before the handler runs.
 * @param base the stores as they are opened for it
 * @throws UpgradeError UPG_MIGRATION_VERSION_MAP with what to do
 */
export function guardBefore(handler: RegisteredHandler, versions: VersionMap, base: MultiStore): void {
  const { planName, allows, storeUpgrades, removes } = handler;
  const who = `handler "${planName}"`;
  if (versions.size === 0 && !allows.emptyVersionMap) {
    throw refuse(
      `the stored version map is empty, so ${who} cannot know what is there and modules would begin again over their data: ` +
        "store the modules' versions at genesis (Keeper.setModuleVersions), or declare allows.emptyVersionMap",
    );
  }
  const removed = new Set(removes);
  for (const store of storeUpgrades.deleted) {
    if (!versions.has(store) || removed.has(store) || allows.deleteStores.includes(store)) continue;
    throw refuse(
      `${who} deletes the store "${store}", and the module "${store}" stays: remove the module as well, or declare ` +
        `allows.deleteStores ["${store}"]`,
    );
  }
  for (const module of VITAL_MODULES) {
    if (!removed.has(module) || allows.removeModules.includes(module)) continue;
    throw refuse(
      `${who} removes the module "${module}", without which the chain can never be upgraded again: keep it, or declare ` +
        `allows.removeModules ["${module}"]`,
    );
  }
  guardNew(handler, versions, base);
}

/** A module that the manifest brings as new begins with an empty store. */
function guardNew({ wasm, planName }: RegisteredHandler, versions: VersionMap, base: MultiStore): void {
  for (const [module, { from }] of wasm?.manifest.versions ?? []) {
    if (!from && !versions.has(module)) requireNoData(base, module, `handler "${planName}"`);
  }
}

/** @throws UpgradeError UPG_MIGRATION_VERSION_MAP when the store of a module that is to begin holds pairs already */
export function requireNoData(stores: MultiStore, module: string, who: string): void {
  if (!stores.names.includes(module)) return;
  const { done } = stores.store(module).iterate().next();
  if (done) return;
  throw refuse(
    `${who} brings the module "${module}" as new, and its store has data: it would begin again over them. If the module was ` +
      "there before, its version is missing in the stored version map (Keeper.setModuleVersions at genesis); if not, delete the store in an upgrade before",
  );
}

/**
 * After it ran, while its writes are in a branch of their own.
 * @throws UpgradeError UPG_MIGRATION_VERSION_MAP, UPG_MIGRATION_FAILED
 */
export function guardAfter(
  { planName, allows }: RegisteredHandler,
  branch: CacheMultiStore,
  { before, after }: { readonly before: VersionMap; readonly after: VersionMap },
): void {
  for (const name of branch.names) {
    if (!isWritten(branch, name)) continue;
    if (name === "upgrade") {
      throw new UpgradeError(
        "UPG_MIGRATION_FAILED",
        `handler "${planName}" wrote to the store "upgrade", which the upgrade module alone keeps: plan, versions and Done are set for it`,
      );
    }
    const version = before.get(name);
    if (version === undefined || after.get(name) !== version || allows.writeStores.includes(name)) continue;
    throw refuse(
      `handler "${planName}" writes to the store of the module "${name}", whose version stays ${version}: raise the version, ` +
        `so that every program knows which layout it reads, or declare allows.writeStores ["${name}"] when the layout is the same`,
    );
  }
}

/** Has the branch writes of its own in this store? */
export function isWritten(branch: Pick<MultiStore, "store">, name: string): boolean {
  const store = branch.store(name);
  return store instanceof CacheKVStore && !store.isEmpty;
}
