/** Every version of the example chain, oldest first. A process that knows nothing newer than N is an old binary. */
import { UpgradeError } from "../../errors.js";
import { V1 } from "./v1.js";
import { V2 } from "./v2.js";
import type { ChainVersion } from "./version.js";

const KNOWN: readonly ChainVersion[] = [V1, V2];

/** The versions up to `newest` (all without). @throws UpgradeError UPG_INVALID_ARGUMENT for a number nobody knows */
export function knownVersions(newest?: bigint): readonly ChainVersion[] {
  if (newest === undefined) return KNOWN;
  if (!KNOWN.some(({ number }) => number === newest)) {
    const numbers = KNOWN.map(({ number }) => number).join(", ");
    throw new UpgradeError("UPG_INVALID_ARGUMENT", `there is no app version ${newest}; known are ${numbers}`);
  }
  return KNOWN.filter(({ number }) => number <= newest);
}
