/** What the version map becomes by a handler: its manifest says so, and what it returns must agree. */
import { UpgradeError } from "../../base/errors/errors.js";
import type { VersionMap } from "../../base/types/types.js";
import { sameVersions, versionsDifference } from "../core/version-map.js";
import type { WasmHandler } from "./handler.js";
import type { HandlerReport } from "./run/sandbox.js";

/** The stored map with the manifest's `versions.to` set and its `removes` gone; a map that is returned must equal it. */
export function declaredVersions(
  { manifest, hash }: WasmHandler,
  stored: VersionMap,
  report: Pick<HandlerReport, "versionMap">,
): VersionMap {
  const declared = new Map(stored);
  for (const [module, { to }] of manifest.versions) declared.set(module, to);
  for (const module of manifest.removes) declared.delete(module);
  const returned = report.versionMap;
  if (returned && !sameVersions(returned, declared)) {
    throw new UpgradeError(
      "UPG_MIGRATION_VERSION_MAP",
      `handler "${manifest.name}" (${hash.slice(0, 12)}) returned another version map than its manifest declares: ${versionsDifference(declared, returned)}`,
    );
  }
  return declared;
}
