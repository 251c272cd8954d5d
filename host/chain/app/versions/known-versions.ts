/** The versions that a process knows. One that knows nothing newer than N is an old binary. */
import { UpgradeError } from "../../../base/errors/errors.js";
import type { ChainVersion } from "./version.js";

/** The versions up to `newest` (all without). @throws UpgradeError UPG_INVALID_ARGUMENT for a number that none of them has */
export function knownVersions(
  { versions }: { readonly versions: readonly ChainVersion[] },
  newest?: bigint,
): readonly ChainVersion[] {
  if (newest === undefined) return versions;
  if (!versions.some(({ number }) => number === newest)) {
    const numbers = versions.map(({ number }) => number).join(", ");
    throw new UpgradeError("UPG_INVALID_ARGUMENT", `there is no app version ${newest}; known are ${numbers}`);
  }
  return versions.filter(({ number }) => number <= newest);
}
