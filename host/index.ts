/**
 * chain-upgrade: the upgrade module for a chain's own host. No disk, no sockets, no clock: those are in `./node`.
 *
 *   const app = new UpgradableApp({ chainId, database, sha256, authority, versions, initGenesis });
 *   app.keeper.setUpgradeHandler("v2", (context, plan, versionMap) => …, { storeUpgrades: { added: ["likes"] } });
 *   app.load();
 *   …for each block:  app.finalizeBlock(time, ({ stores }) => …);  app.commit();
 *
 * A host with a loop of its own has the parts: `chooseVersion`, `preBlocker`, `endBlocker`, `upgradeCommitOptions`. A tool over
 * stores of its own runs a handler with `runWasmHandler` (docs/embed.md).
 */

export { CacheKVStore } from "./branch/kv/cache-kv.js";
export { CacheMultiStore } from "./branch/kv/cache-multi-store.js";
export { MemoryKVStore } from "./branch/kv/memory-kv.js";
export { PrefixStore } from "./branch/kv/prefix-kv.js";
export { Core, type PreBlockFacts } from "./core/core.js";
export { errorCodeOf } from "./core/error-number.js";
export {
  ERROR_KINDS,
  type ErrorCode,
  type ErrorKind,
  isUpgradeError,
  UpgradeError,
} from "./errors.js";
export { encodeReceipt, type ReceiptFacts } from "./handler/encode-receipt.js";
export { loadHandler, type WasmHandler } from "./handler/handler.js";
export type { Manifest, ManifestScan, ManifestStore, ModuleVersions } from "./handler/manifest/manifest-types.js";
export { decodeReceipt, type Receipt, type StoreReceipt } from "./handler/receipt.js";
export type { CheckResult } from "./handler/run/messages.js";
export type { HandlerReport } from "./handler/run/sandbox.js";
export type { StoreCounts } from "./handler/run/store-handles.js";
export { checkPlanInfo, type PlanInfo, parsePlanInfo, planHandlerHash } from "./plan-info/plan-info.js";
export type { Batch, Database, DatabaseRange, RecordChange } from "./store/disk/database.js";
export { MemoryDatabase } from "./store/disk/memory-database.js";
export { CommitMultiStore } from "./store/versions/commit-multi-store.js";
export { defaultStoreLoader, type StoreLoader, upgradeStoreLoader } from "./store/versions/store-loader.js";
export type { CommitMultiStoreOptions, CommitOptions } from "./store/versions/store-options.js";
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
  LoadedStores,
  MultiStore,
  Plan,
  Sha256,
  Sha256Stream,
  StoreRename,
  StoreUpgrades,
  Timestamp,
  VersionMap,
} from "./types.js";
export { type AppVersion, versionToRun } from "./upgrade/app-versions.js";
export { chooseVersion, type VersionChoice } from "./upgrade/choose-version.js";
export { upgradeCommitOptions } from "./upgrade/commit-options.js";
export type { UpgradeFileName, UpgradeFiles } from "./upgrade/files.js";
export { Halt, type HaltCode, type HaltFacts, type HaltRecord, haltRecord } from "./upgrade/halt.js";
export type { UpgradeContext, UpgradeHandler, UpgradeHandlerOptions } from "./upgrade/handlers.js";
export {
  type AppliedUpgrade,
  type ApplyBlock,
  type BlockFacts,
  endBlocker,
  type HookInput,
  type PreBlock,
  type Probes,
  preBlocker,
} from "./upgrade/hooks.js";
export { Keeper, type KeeperOptions, type SkipHeights, UPGRADE_STORE } from "./upgrade/keeper.js";
export { type MigratableModule, type Migration, ModuleManager } from "./upgrade/migrations.js";
export {
  rehearseWasmHandler,
  runWasmHandler,
  type StoreChanges,
  type WasmHandlerInput,
  WasmHandlerRun,
  type WasmRehearsal,
} from "./upgrade/run-handler.js";
export {
  type BlockRun,
  type FinalizedBlock,
  UpgradableApp,
  type UpgradableAppOptions,
} from "./upgrade/upgradable-app.js";
export { crossCheckUpgradeInfo, parseUpgradeInfo, type UpgradeInfo } from "./upgrade/upgrade-info.js";
