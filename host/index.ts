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

export {
  ERROR_KINDS,
  type ErrorCode,
  type ErrorKind,
  isUpgradeError,
  UpgradeError,
} from "./base/errors/errors.js";
export type { UpgradeFileName, UpgradeFiles } from "./base/files/upgrade-files.js";
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
} from "./base/types/types.js";
export { CacheKVStore } from "./state/branch/kv/cache-kv.js";
export { CacheMultiStore } from "./state/branch/kv/cache-multi-store.js";
export { MemoryKVStore } from "./state/branch/kv/memory-kv.js";
export { PrefixStore } from "./state/branch/kv/prefix-kv.js";
export type { Batch, Database, DatabaseRange, RecordChange } from "./state/store/disk/database.js";
export { MemoryDatabase } from "./state/store/disk/memory-database.js";
export { CommitMultiStore } from "./state/store/versions/commit-multi-store.js";
export { defaultStoreLoader, type StoreLoader, upgradeStoreLoader } from "./state/store/versions/store-loader.js";
export type { CommitMultiStoreOptions, CommitOptions } from "./state/store/versions/store-options.js";
export type { KeyProof, VersionView } from "./state/store/versions/version-view.js";
export { Core, type PreBlockFacts } from "./upgrade/core/core.js";
export { errorCodeOf } from "./upgrade/core/error-number.js";
export { encodeReceipt, type ReceiptFacts } from "./upgrade/handler/encode-receipt.js";
export { loadHandler, type WasmHandler } from "./upgrade/handler/handler.js";
export type {
  Manifest,
  ManifestScan,
  ManifestStore,
  ModuleVersions,
} from "./upgrade/handler/manifest/manifest-types.js";
export { decodeReceipt, type Receipt, type StoreReceipt } from "./upgrade/handler/receipt.js";
export type { CheckResult } from "./upgrade/handler/run/messages.js";
export type { HandlerReport } from "./upgrade/handler/run/sandbox.js";
export type { StoreCounts } from "./upgrade/handler/run/store-handles.js";
export { type AppVersion, versionToRun } from "./upgrade/module/app-versions.js";
export { chooseVersion, type VersionChoice } from "./upgrade/module/choose-version.js";
export { upgradeCommitOptions } from "./upgrade/module/commit-options.js";
export { Halt, type HaltCode, type HaltFacts, type HaltRecord, haltRecord } from "./upgrade/module/halt.js";
export {
  type AppliedUpgrade,
  type ApplyBlock,
  type BlockFacts,
  endBlocker,
  type HookInput,
  type PreBlock,
  type Probes,
  preBlocker,
} from "./upgrade/module/hooks.js";
export { Keeper, type KeeperOptions, type SkipHeights, UPGRADE_STORE } from "./upgrade/module/keeper.js";
export { type MigratableModule, type Migration, ModuleManager } from "./upgrade/module/migrations.js";
export {
  rehearseWasmHandler,
  runWasmHandler,
  type StoreChanges,
  type WasmHandlerInput,
  WasmHandlerRun,
  type WasmRehearsal,
} from "./upgrade/module/run-handler.js";
export {
  type BlockRun,
  type FinalizedBlock,
  UpgradableApp,
  type UpgradableAppOptions,
} from "./upgrade/module/upgradable-app.js";
export type { UpgradeContext, UpgradeHandler, UpgradeHandlerOptions } from "./upgrade/module/upgrade-handler.js";
export { crossCheckUpgradeInfo, parseUpgradeInfo, type UpgradeInfo } from "./upgrade/module/upgrade-info.js";
export { checkPlanInfo, type PlanInfo, parsePlanInfo, planHandlerHash } from "./upgrade/plan-info/plan-info.js";
