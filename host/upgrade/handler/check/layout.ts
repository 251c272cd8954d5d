/** What a manifest says about module versions, held against the versions that are stored. */
import { UpgradeError } from "../../../base/errors/errors.js";
import type { VersionMap } from "../../../base/types/types.js";
import type { Manifest, ModuleVersions } from "../manifest/manifest-types.js";

/**
 * A module with `from` must be stored at one of these versions, one without must not be stored. Other modules are free.
 *
 * @throws UpgradeError UPG_HANDLER_LAYOUT, which names every module that does not fit
 */
export function requireLayout(manifest: Manifest, stored: VersionMap): void {
  const problems: string[] = [];
  for (const [module, versions] of manifest.versions) {
    const problem = layoutProblem(versions, stored.get(module));
    if (problem) problems.push(`${module} ${problem}`);
  }
  if (problems.length === 0) return;
  throw new UpgradeError(
    "UPG_HANDLER_LAYOUT",
    `the handler of plan "${manifest.name}" does not take the stored versions: ${problems.join("; ")}`,
    { details: { plan: manifest.name } },
  );
}

function layoutProblem({ from }: ModuleVersions, stored: bigint | undefined): string | undefined {
  if (!from) return stored === undefined ? undefined : `is stored at ${stored}, the handler brings it as new`;
  const taken = from.join(" or ");
  if (stored === undefined) return `is not stored, the handler takes ${taken}`;
  return from.includes(stored) ? undefined : `is stored at ${stored}, the handler takes ${taken}`;
}
