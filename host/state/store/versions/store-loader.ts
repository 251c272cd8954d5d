/** Store loaders: how a process opens its stores before its first block (specification 3.6, 3.9). */
import { UpgradeError } from "../../../base/errors/errors.js";
import { INT64_MAX } from "../../../base/types/limits.js";
import type { Height, StoreUpgrades } from "../../../base/types/types.js";
import type { CommitMultiStore } from "./commit-multi-store.js";
import { isEmptyUpgrade } from "./store-upgrades.js";

export type StoreLoader = (multiStore: CommitMultiStore) => void;

/**
 * Opens the mounted stores as they are.
 *
 * @throws UpgradeError UPG_STORE_UPGRADE when they are not the stores on disk
 *
 * @example
 * import { sha256 } from "@noble/hashes/sha2.js";
 * const stores = new CommitMultiStore(new MemoryDatabase(), { sha256 });
 * stores.mount("auth", "upgrade");
 * defaultStoreLoader(stores);
 * console.log(stores.names, stores.nextVersion); // → [ 'auth', 'upgrade' ] 1n
 */
export const defaultStoreLoader: StoreLoader = (multiStore) => multiStore.loadLatestVersion();

/**
 * Opens the stores with `storeUpgrades` when the next block is the one at `upgradeHeight`, and as they are otherwise:
 * so upgrades that were committed are not made again by any later start.
 *
 * @throws UpgradeError UPG_INVALID_HEIGHT; the loader itself UPG_STORE_UPGRADE
 *
 * @example
 * import { sha256 } from "@noble/hashes/sha2.js";
 * const database = new MemoryDatabase();
 * const [before, after] = [new CommitMultiStore(database, { sha256 }), new CommitMultiStore(database, { sha256 })];
 * before.mount("bank");
 * before.loadLatestVersion();
 * before.commit();
 * after.mount("bank", "notes");
 * upgradeStoreLoader(2n, { added: ["notes"], renamed: [], deleted: [] })(after);
 * console.log(after.storedNames, after.names); // → [ 'bank' ] [ 'bank', 'notes' ]
 */
export function upgradeStoreLoader(upgradeHeight: Height, storeUpgrades: StoreUpgrades): StoreLoader {
  if (typeof upgradeHeight !== "bigint" || upgradeHeight <= 0n || upgradeHeight > INT64_MAX) {
    throw new UpgradeError(
      "UPG_INVALID_HEIGHT",
      `upgradeStoreLoader: height must be a positive int64, got ${upgradeHeight}`,
    );
  }
  return (multiStore) => {
    const isDue = multiStore.lastCommitID.version + 1n === upgradeHeight;
    if (isDue && !isEmptyUpgrade(storeUpgrades)) multiStore.loadLatestVersion(storeUpgrades);
    else multiStore.loadLatestVersion();
  };
}
