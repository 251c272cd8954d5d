/**
 * Keeper: the upgrade module in a host. State and rules are the core's; the keeper knows what the core cannot (which
 * handlers are here, which heights are skipped, whether this process has made a block) and runs the handlers.
 */

import { UpgradeError } from "../../base/errors/errors.js";
import { withoutEffect } from "../../base/errors/synchronous.js";
import type { UpgradeFiles } from "../../base/files/upgrade-files.js";
import { INT64_MAX } from "../../base/types/limits.js";
import type {
  DoneUpgrade,
  Height,
  KVReader,
  KVStore,
  LoadedStores,
  OnProgress,
  Plan,
  StoreUpgrades,
  VersionMap,
} from "../../base/types/types.js";
import { isEmptyUpgrade, sameUpgrades } from "../../state/store/versions/store-upgrades.js";
import type { Core } from "../core/core.js";
import type { WasmHandler } from "../handler/handler.js";
import { checkPin } from "../plan-info/plan-info.js";
import type { AppVersion } from "./app-versions.js";
import { type FoundHandler, HandlerSet, type HandlerState } from "./handler-set.js";
import { functionHandler, type LogLevel, wasmHandler } from "./handlers.js";
import { DEFAULT_TABLE, type ModuleTable } from "./module-table.js";
import type { CarriedHandler, HandlerPlace, RegisteredHandler, UpgradeHandler } from "./upgrade-handler.js";

export { UPGRADE_STORE } from "./upgrade-store.js";

/** Heights at which a due plan is cleared instead of applied (`--unsafe-skip-upgrades`), or a function that recognizes them. */
export type SkipHeights = Iterable<Height> | ((height: Height) => boolean);

export interface KeeperOptions {
  readonly core: Core;
  /** Address whose messages may schedule and cancel: the gov module account. */
  readonly authority: string;
  readonly skipHeights?: SkipHeights;
  /** Without it upgrade-info.json is not written: a library user's host does so. */
  readonly files?: UpgradeFiles;
  /** The app versions that this process knows; none for a library user who keeps no list. */
  readonly versions?: readonly AppVersion[];
  /**
   * This process opens the stores again by itself where an upgrade needs others, so that nobody has to start it again:
   * UPG_HALT_RESTART writes no upgrade-info.json.
   */
  readonly isReopening?: boolean;
  /** Looks for staged handlers; asked again at the height of a plan whose handler is not here. */
  readonly staged?: () => readonly WasmHandler[];
  /**
   * Names of the stores of each module whose store does not have the module's name, or that has several: guards hold
   * handlers to it (docs/abi.md). A module without an entry owns the store of its own name.
   */
  readonly moduleStores?: ReadonlyMap<string, readonly string[]>;
  /** Modules that the chain cannot go on without: removing one needs `allows.removeModules`. Default: `gov`, `upgrade`. */
  readonly vitalModules?: readonly string[];
  /** Receives log messages. Exceptions are ignored and cannot affect results. */
  readonly log?: (level: LogLevel, message: string) => void;
  /** Receives the progress of a running upgrade. Exceptions are ignored. */
  readonly onProgress?: OnProgress;
}

/**
 * The upgrade module of an application: its handlers, its messages and the reads of its store, as the Cosmos SDK's keeper.
 * Methods that read or write take store `upgrade`, of a block's branch or of a committed version.
 *
 * @example
 * const keeper = new Keeper({ core: new Core(), authority: "gov" });
 * const store = new MemoryKVStore();
 * keeper.softwareUpgrade(store, 5n, { authority: "gov", plan: { name: "v2", height: 9n, info: "" } });
 * console.log(keeper.plan(store)?.name, keeper.hasHandler("v2")); // → v2 false
 */
export class Keeper {
  readonly core: Core;
  readonly authority: string;
  readonly files: UpgradeFiles | undefined;
  readonly versions: readonly AppVersion[];
  readonly log: (level: LogLevel, message: string) => void;
  readonly onProgress: OnProgress | undefined;
  readonly isReopening: boolean;
  /** The chain's modules, as the guards use them: owners of stores, and modules that the chain needs. */
  readonly table: ModuleTable;
  readonly #isSkipHeight: (height: Height) => boolean;
  readonly #handlers = new HandlerSet();
  readonly #staged: KeeperOptions["staged"];
  /** Upgrades that this process knows though no version of its program carries them. */
  readonly #known = new Set<string>();
  /** Name of the plan whose stores this process opened. */
  #opened: string | undefined;
  readonly #warnings = new Set<string>();

  constructor(options: KeeperOptions) {
    this.core = options.core;
    this.authority = options.authority;
    this.files = options.files;
    this.versions = options.versions ?? [];
    this.#staged = options.staged;
    this.log = withoutEffect(options.log ?? (() => undefined));
    this.onProgress = options.onProgress && withoutEffect(options.onProgress);
    this.isReopening = options.isReopening ?? false;
    const { moduleStores, vitalModules } = { ...DEFAULT_TABLE, ...options };
    this.table = { moduleStores, vitalModules };
    const { skipHeights } = options;
    const heights = new Set(typeof skipHeights === "function" ? [] : skipHeights);
    this.#isSkipHeight = typeof skipHeights === "function" ? skipHeights : (height) => heights.has(height);
  }

  // Handlers: with a list of versions, those that lead to one of them or come from the home; any other is ignored

  /** @throws UpgradeError UPG_HANDLER_DUPLICATE when the plan has a handler already */
  setUpgradeHandler(planName: string, handler: UpgradeHandler, options: CarriedHandler = {}): void {
    this.#register(functionHandler(planName, handler, options));
  }

  /** Registers a Wasm plugin under its manifest's plan name. @throws UpgradeError UPG_HANDLER_DUPLICATE */
  setWasmHandler(handler: WasmHandler, { isOfHome = false }: HandlerPlace = {}): void {
    this.#register(wasmHandler(handler), isOfHome);
  }

  /** Wasm plugins for heights to come, as they are now; those found before are forgotten. */
  lookForStaged(): void {
    this.#handlers.stage((this.#staged?.() ?? []).map(wasmHandler));
  }

  #register(handler: RegisteredHandler, isOfHome = false): void {
    const { planName } = handler;
    if (!isOfHome && this.versions.length > 0 && !this.#carries(planName)) {
      const newest = this.versions.at(-1)?.number;
      this.log(
        "info",
        `the handler for plan "${planName}" is not used: this process knows app versions up to ${newest}, and none of them has that plan`,
      );
      return;
    }
    this.#handlers.add(handler);
  }

  #carries(planName: string): boolean {
    return this.versions.some(({ plan }) => plan === planName);
  }

  hasHandler(planName: string): boolean {
    return this.#handlers.get(planName) !== undefined;
  }

  /** The handler registered for a plan's name; staged ones do not count. */
  handler(planName: string): RegisteredHandler | undefined {
    return this.#handlers.get(planName);
  }

  /** The handler for a plan: registered or staged, and the one that the plan pins. */
  findHandler(plan: Plan): FoundHandler {
    return this.#handlers.find(plan);
  }

  /** A plan that pins a hash has no other handler than the one with that hash; a staged one counts. */
  handlerState(plan: Plan): HandlerState {
    return this.findHandler(plan).state;
  }

  /** State and records say that this process may run after the upgrade, though no version of its program carries it. */
  markKnown(planName: string): void {
    this.#known.add(planName);
  }

  /** Is the upgrade known here: carried by a version of the program, or found to be known when the home was opened? */
  knowsUpgrade(planName: string): boolean {
    if (this.#carries(planName) || this.#known.has(planName)) return true;
    return this.versions.length === 0 && this.hasHandler(planName);
  }

  isSkipHeight(height: Height): boolean {
    return this.#isSkipHeight(height);
  }

  // The life of this process

  /** Says what holds for many blocks once. */
  warnOnce(message: string): void {
    if (this.#warnings.has(message)) return;
    this.#warnings.add(message);
    this.log("warn", message);
  }

  /**
   * The stores were opened for the version that this plan leads to. The store loader that `chooseVersion` returns calls
   * it; without a list of versions the stores themselves hold what they were opened with.
   */
  markStoresOpened(planName: string | undefined): void {
    this.#opened = planName;
  }

  /** Are these the stores that the handler of this plan needs? */
  hasOpenedStoresFor(planName: string, needed: StoreUpgrades, { storeUpgrades }: LoadedStores): boolean {
    if (this.#opened === planName) return true;
    const isSame = sameUpgrades(needed, storeUpgrades);
    // Without store changes only the loader knows whether the code that runs is that of the new version.
    return isSame && (this.versions.length === 0 || !isEmptyUpgrade(needed));
  }

  // Messages and state

  /**
   * MsgSoftwareUpgrade: schedules the plan in the block of `height`; a plan that is scheduled is replaced.
   * An info whose pin is malformed is refused here: at the height no handler could be the one it asks for.
   * @throws UpgradeError UPG_UNAUTHORIZED, UPG_INVALID_PLAN_*
   */
  softwareUpgrade(store: KVStore, height: Height, message: { readonly authority: string; readonly plan: Plan }): void {
    this.checkAuthority(message.authority);
    this.#checkPin(message.plan);
    this.core.schedule(store, height, message.plan);
  }

  #checkPin(plan: Plan): void {
    try {
      checkPin(plan.info);
    } catch (error) {
      // What the core says of the plan as such comes first.
      this.core.validatePlan(this.core.encodePlan(plan));
      throw error;
    }
  }

  /** MsgCancelUpgrade: no plan to cancel is no error. @throws UpgradeError UPG_UNAUTHORIZED */
  cancelUpgrade(store: KVStore, message: { readonly authority: string }): void {
    this.checkAuthority(message.authority);
    this.core.clear(store);
  }

  /** Byte for byte, as the Cosmos SDK compares. @throws UpgradeError UPG_UNAUTHORIZED */
  checkAuthority(authority: string): void {
    if (authority === this.authority) return;
    throw new UpgradeError(
      "UPG_UNAUTHORIZED",
      `expected ${this.authority} got ${authority}: expected authority account as only signer for proposal message`,
    );
  }

  plan(store: KVReader): Plan | undefined {
    return this.core.plan(store);
  }

  doneHeight(store: KVReader, name: string): Height {
    return this.core.doneHeight(store, name);
  }

  lastDone(store: KVReader): DoneUpgrade | undefined {
    return this.core.lastDone(store);
  }

  moduleVersions(store: KVReader): VersionMap {
    return this.core.versionMap(store);
  }

  /** Genesis. */
  setModuleVersions(store: KVStore, versions: VersionMap): void {
    this.core.setVersionMap(store, versions);
  }

  /** Writes upgrade-info.json for a plan that is due in the block of `height`. @throws UpgradeError UPG_STORE_IO */
  writeUpgradeInfo(height: Height, planBytes: Uint8Array): void {
    if (height <= 0n || height > INT64_MAX)
      throw new UpgradeError("UPG_INVALID_HEIGHT", `no block has height ${height}`);
    this.files?.write("upgrade-info.json", this.core.upgradeInfo(height, planBytes));
  }
}
