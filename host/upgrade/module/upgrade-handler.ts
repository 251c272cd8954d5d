/** UpgradeHandler: the function that migrates state, what it sees, and the form in which the keeper registers it. */

import type { LogLevel } from "../../base/text/log-line.js";
import type {
  Height,
  KVStore,
  MultiStore,
  OnProgress,
  Plan,
  StoreUpgrades,
  Timestamp,
  VersionMap,
} from "../../base/types/types.js";
import type { WasmHandler } from "../handler/handler.js";
import type { Allowances } from "../handler/manifest/manifest-types.js";

import type { HandlerReport } from "../handler/run/sandbox.js";

/** What a handler sees. `stores` is a branch of its own: it is dropped when the handler fails. */
export interface UpgradeContext {
  readonly chainId: string;
  readonly height: Height;
  /** Time of the block; there is no other clock. */
  readonly time: Timestamp;
  readonly stores: MultiStore;
  /** @throws UpgradeError UPG_NOT_FOUND_STORE */
  store(name: string): KVStore;
  log(level: LogLevel, message: string): void;
  /** Progress of long work, in units of the handler's choice. */
  progress(done: bigint, total: bigint): void;
}

/** Returns the whole version map of the new version, or an Error: then nothing is written. Synchronous. */
export type UpgradeHandler = (context: UpgradeContext, plan: Plan, versionMap: VersionMap) => VersionMap | Error;

export interface UpgradeHandlerOptions {
  readonly storeUpgrades?: Partial<StoreUpgrades>;
  /** Modules of the old version that the new one lacks on purpose. */
  readonly removes?: readonly string[];
  /** What it does on purpose that is refused otherwise. */
  readonly allows?: Partial<Allowances>;
}

/** Where a handler comes from. */
export interface HandlerPlace {
  /** It lies in the home: it may serve a plan that no version of the program carries. */
  readonly isOfHome?: boolean;
}

/** What a program says of a handler that it carries as a function. */
export interface CarriedHandler extends UpgradeHandlerOptions {
  /**
   * The program runs the version before the plan too: before the plan's height the handler counts as absent, so the
   * program is not too early. Default: false, as in the Cosmos SDK.
   */
  readonly waits?: boolean;
}

/** A handler as the keeper keeps it. */
export interface RegisteredHandler {
  readonly planName: string;
  readonly storeUpgrades: StoreUpgrades;
  readonly removes: readonly string[];
  readonly allows: Allowances;
  /** Before its plan's height it counts as absent. */
  readonly waits: boolean;
  /** The Wasm handler that it runs; undefined for a function. */
  readonly wasm: WasmHandler | undefined;
  /** @throws UpgradeError UPG_MIGRATION_*, UPG_HANDLER_* */
  run(run: HandlerRun): HandlerOutcome;
}

interface HandlerRun {
  readonly context: UpgradeContext;
  readonly plan: Plan;
  readonly planBytes: Uint8Array;
  readonly versionMap: VersionMap;
  /** The stores as the store loader left them. */
  readonly base: MultiStore;
  /** Hears how far the host's part of the work has come. */
  readonly onProgress?: OnProgress | undefined;
}

interface HandlerOutcome {
  readonly versionMap: VersionMap;
  /** What a Wasm handler did, for the receipt. */
  readonly report: HandlerReport | undefined;
}
