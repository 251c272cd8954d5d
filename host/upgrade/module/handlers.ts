/**
 * Upgrade handlers, keyed by plan name: functions of this program, or Wasm plugins with a manifest. Both take
 * (context, plan, versionMap) and give the version map of the new version (specification 2.14, 2.15).
 */

import { rethrowEngineLimit } from "../../base/errors/engine-limit.js";
import { UpgradeError } from "../../base/errors/errors.js";
import { declaredVersions } from "../handler/declared-versions.js";
import type { WasmHandler } from "../handler/handler.js";
import { type Allowances, NOTHING_ALLOWED } from "../handler/manifest/manifest-types.js";
import { type HandlerReport, requireLayout, runHandler } from "../handler/run/sandbox.js";
import { UINT64_MAX } from "../../base/types/limits.js";
import type { LogLevel } from "../../base/text/log-line.js";
import { callModule } from "../../base/errors/synchronous.js";
import type { Height, KVStore, MultiStore, OnProgress, Plan, StoreUpgrades, Timestamp, VersionMap } from "../../base/types/types.js";
import { keepsCode, reachedVersions, thrownText } from "./migrations.js";

export type { LogLevel } from "../../base/text/log-line.js";

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

export function functionHandler(
  planName: string,
  handler: UpgradeHandler,
  { storeUpgrades = {}, removes = [], allows = {}, waits = false }: CarriedHandler,
): RegisteredHandler {
  const { added = [], renamed = [], deleted = [] } = storeUpgrades;
  return {
    planName,
    storeUpgrades: { added, renamed, deleted },
    removes,
    allows: { ...NOTHING_ALLOWED, ...allows },
    waits,
    wasm: undefined,
    run: ({ context, plan, versionMap }) => ({
      versionMap: callFunction(handler, context, plan, new Map(versionMap)),
      report: undefined,
    }),
  };
}

function callFunction(handler: UpgradeHandler, context: UpgradeContext, plan: Plan, versions: VersionMap): VersionMap {
  let returned: unknown;
  try {
    returned = callModule(`handler "${plan.name}"`, () => handler(context, plan, versions), "a handler");
  } catch (cause) {
    throw migrationFailure(cause);
  }
  if (returned instanceof Map) return checkedMap(returned, plan, reachedVersions(context));
  if (returned instanceof Error) throw migrationFailure(returned);
  throw new UpgradeError("UPG_MIGRATION_FAILED", `handler "${plan.name}" must return a version map or an Error`);
}

/** What the core cannot be asked about: keys and values of the wrong type, and a map other than runMigrations reached. */
function checkedMap(returned: ReadonlyMap<unknown, unknown>, { name }: Plan, reached: VersionMap): VersionMap {
  const wrong = (what: string) => new UpgradeError("UPG_MIGRATION_VERSION_MAP", `handler "${name}" returned ${what}`);
  for (const [module, version] of returned) {
    if (typeof module !== "string")
      throw wrong(`a version map with the key ${String(module)}, which is no module's name`);
    if (typeof version !== "bigint" || version < 0n || version > UINT64_MAX) {
      throw wrong(
        `version ${String(version)} (${typeof version}) of "${module}": a version is a bigint from 0 to 2^64 - 1`,
      );
    }
  }
  const map = returned as VersionMap;
  const stale = [...reached].filter(([module, version]) => map.get(module) !== version);
  if (stale.length === 0) return map;
  const each = stale.map(([module, version]) => `${module} ${map.get(module) ?? "missing"}, reached ${version}`);
  throw wrong(`another map than runMigrations reached (${each.join("; ")}): return what runMigrations gives`);
}

/** What a handler threw: a migration's or the store's own error goes on as it is, anything else becomes a failure. */
function migrationFailure(cause: unknown): UpgradeError {
  rethrowEngineLimit(cause);
  if (keepsCode(cause)) return cause;
  return new UpgradeError("UPG_MIGRATION_FAILED", thrownText(cause), { cause });
}

export function wasmHandler(wasm: WasmHandler): RegisteredHandler {
  const { manifest } = wasm;
  return {
    planName: manifest.name,
    storeUpgrades: manifest.storeUpgrades,
    removes: manifest.removes,
    allows: manifest.allows,
    waits: false,
    wasm,
    run: ({ context, planBytes, versionMap, base, onProgress }) => {
      requireLayout(manifest, versionMap);
      const { chainId, height, time, stores } = context;
      const report = runHandler(wasm, {
        chainId,
        height,
        time,
        planBytes,
        versionMap,
        stores,
        base,
        log: (level, text) => context.log(level, text),
        progress: (done, total) => context.progress(done, total),
        onProgress,
      });
      return { versionMap: declaredVersions(wasm, versionMap, report), report };
    },
  };
}
