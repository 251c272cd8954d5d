/**
 * chain-upgrade: the upgrade module for a chain's own host. No disk, no sockets, no clock: those are in `./node`.
 *
 *   const core = new Core();
 *   const keeper = new Keeper({ core, authority });
 *   keeper.setUpgradeHandler("v2", (context, plan, versionMap) => …, { storeUpgrades: { added: ["bank"] } });
 *   …in each block:  const pre = preBlocker(keeper, stores, block);  endBlocker(keeper, stores, base, block, pre);
 */
export { Core, type PreBlockFacts } from "./core/core.js";
export {
  ERROR_KINDS,
  type ErrorCode,
  type ErrorKind,
  errorCodeOf,
  isUpgradeError,
  UpgradeError,
} from "./errors.js";
export { loadHandler, type WasmHandler } from "./handler/handler.js";
export type { Manifest, ManifestScan, ManifestStore, ModuleVersions } from "./handler/manifest/manifest-types.js";
export { checkPlanInfo, type PlanInfo, parsePlanInfo, planHandlerHash } from "./plan-info/plan-info.js";
export { CacheKVStore } from "./store/branch/cache-kv.js";
export { CacheMultiStore } from "./store/branch/cache-multi-store.js";
export { MemoryKVStore } from "./store/branch/memory-kv.js";
export { PrefixStore } from "./store/branch/prefix-kv.js";
export type { Batch, Database, DatabaseRange } from "./store/disk/database.js";
export { MemoryDatabase } from "./store/disk/memory-database.js";
export {
  CommitMultiStore,
  type CommitMultiStoreOptions,
  type CommitOptions,
} from "./store/versions/commit-multi-store.js";
export { defaultStoreLoader, type StoreLoader, upgradeStoreLoader } from "./store/versions/store-loader.js";
export type { KeyProof, VersionView } from "./store/versions/version-view.js";
export type {
  Any,
  CommitID,
  Decision,
  DoneUpgrade,
  FrameScan,
  Height,
  KeyRange,
  KeyValue,
  KVReader,
  KVStore,
  MultiStore,
  Plan,
  Sha256,
  StoreRename,
  StoreUpgrades,
  Timestamp,
  VersionMap,
} from "./types.js";
export { type AppVersion, versionToRun } from "./upgrade/app-versions.js";
export type { UpgradeFileName, UpgradeFiles } from "./upgrade/files.js";
export { Halt, type HaltCode, type HaltRecord, haltRecord } from "./upgrade/halt.js";
export type { UpgradeContext, UpgradeHandler, UpgradeHandlerOptions } from "./upgrade/handlers.js";
export { type AppliedUpgrade, type BlockFacts, endBlocker, type PreBlock, preBlocker } from "./upgrade/hooks.js";
export { Keeper, type KeeperOptions, UPGRADE_STORE } from "./upgrade/keeper.js";
export { type MigratableModule, type Migration, ModuleManager } from "./upgrade/migrations.js";
