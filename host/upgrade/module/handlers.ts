/**
 * Upgrade handlers, keyed by plan name: functions of this program, or Wasm plugins with a manifest. Both take
 * (context, plan, versionMap) and give the version map of the new version (specification 2.14, 2.15).
 */

import { rethrowEngineLimit } from "../../base/errors/engine-limit.js";
import { UpgradeError } from "../../base/errors/errors.js";
import { callModule } from "../../base/errors/synchronous.js";
import { UINT64_MAX } from "../../base/types/limits.js";
import type { Plan, VersionMap } from "../../base/types/types.js";
import { declaredVersions } from "../handler/declared-versions.js";
import type { WasmHandler } from "../handler/handler.js";
import { NOTHING_ALLOWED } from "../handler/manifest/manifest-types.js";
import { requireLayout, runHandler } from "../handler/run/sandbox.js";
import { keepsCode, reachedVersions, thrownText } from "./migrations.js";
import type { CarriedHandler, RegisteredHandler, UpgradeContext, UpgradeHandler } from "./upgrade-handler.js";

export type { LogLevel } from "../../base/text/log-line.js";

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
