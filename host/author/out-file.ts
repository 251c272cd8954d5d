/**
 * Files that a command writes where a person says (`--out`): an ordinary file, new or in the place of one. A pipe or a
 * device would become a file by being replaced, and what the command reads would be lost.
 */
import { lstatSync, realpathSync, type Stats, statSync } from "node:fs";
import { writeFileAtomically } from "../engine/home/atomic-file.js";
import { isUpgradeError } from "../errors.js";
import { kindOf } from "../store/disk/lmdb-access.js";
import { diskFailure } from "../store/disk/lmdb-errors.js";
import { usage } from "../usage.js";

const FILE_MODE = 0o644;

/**
 * @param inputs files that the command reads, and must not replace under any of their names
 * @returns where to write: of a link the file that it leads to, so that the link stays
 * @throws UpgradeError UPG_INVALID_ARGUMENT, UPG_STORE_IO when it cannot be looked at
 */
export function outFile(out: string, inputs: readonly string[] = []): string {
  try {
    const found = statSync(out, { throwIfNoEntry: false });
    if (found) return replaceable(out, found, inputs);
    if (!lstatSync(out, { throwIfNoEntry: false })) return out;
  } catch (cause) {
    throw isUpgradeError(cause) ? cause : diskFailure("write", `cannot write ${out}`, out, cause);
  }
  throw refused(out, "it is a link to a file that is absent");
}

/** Checks as `outFile` does, then writes whole or not at all. @throws UpgradeError, and UPG_STORE_FULL */
export function writeOutFile(out: string, bytes: Uint8Array, inputs: readonly string[] = []): void {
  writeFileAtomically(outFile(out, inputs), bytes, FILE_MODE);
}

function replaceable(out: string, found: Stats, inputs: readonly string[]): string {
  if (!found.isFile()) throw refused(out, `it is ${kindOf(found)}`);
  const read = inputs.find((input) => isSame(found, statSync(input, { throwIfNoEntry: false })));
  if (read !== undefined) throw usage(`cannot write ${out}: it is ${read}, which is read for it; name another file`);
  return realpathSync(out);
}

const isSame = (one: Stats, other: Stats | undefined) => one.ino === other?.ino && one.dev === other.dev;

const refused = (out: string, why: string) =>
  usage(`cannot write ${out}: ${why}; name an ordinary file, or one that does not exist yet`);
