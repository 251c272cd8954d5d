/**
 * Files that a command writes where a person says (`--out`): an ordinary file, new or in the place of one. A pipe or a
 * device would become a file by being replaced, and what the command reads would be lost.
 */
import { lstatSync, readdirSync, realpathSync, rmSync, type Stats, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { isUpgradeError } from "../../base/errors/errors.js";
import { writeFileAtomically } from "../../base/files/atomic-file.js";
import { diskFailure } from "../../base/files/disk-errors.js";
import { kindOf } from "../../base/files/open-file.js";
import { usage } from "../../base/terminal/usage.js";
import { outputStats } from "../../node/home/output-folder.js";

const FILE_MODE = 0o644;

/**
 * @param inputs files that the command reads, and must not replace under any of their names
 * @returns where to write: of a link the file that it leads to, so that the link stays
 * @throws UpgradeError UPG_INVALID_ARGUMENT, UPG_STORE_IO when it cannot be looked at
 */
export function outFile(out: string, inputs: readonly string[] = []): string {
  try {
    const found = outputStats(out);
    if (found) return replaceable(out, found, inputs);
    if (!lstatSync(out, { throwIfNoEntry: false })) return out;
  } catch (cause) {
    throw isUpgradeError(cause) ? cause : diskFailure("write", `cannot write ${out}`, out, cause);
  }
  throw refused(out, "it is a link to a file that is absent");
}

/**
 * Checks as `outFile` does, then writes whole or not at all, and removes what processes that were killed while they wrote
 * the same file have left beside it.
 *
 * @throws UpgradeError, and UPG_STORE_FULL
 */
export function writeOutFile(out: string, bytes: Uint8Array, inputs: readonly string[] = []): void {
  const file = outFile(out, inputs);
  writeFileAtomically(file, bytes, FILE_MODE);
  for (const left of leftBeside(file)) rmSync(left, { force: true });
}

/** Temporary files of `writeFileAtomically` for this file, of processes that are no more. */
function leftBeside(file: string): string[] {
  const [folder, name] = [dirname(file), basename(file)];
  const ofDead = (entry: string) => {
    const process = entry.startsWith(`${name}.`) ? /^(\d+)\.tmp$/.exec(entry.slice(name.length + 1))?.[1] : undefined;
    return process !== undefined && !isRunning(Number(process));
  };
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isFile() && ofDead(entry.name))
    .map((entry) => join(folder, entry.name));
}

/** Another user's process may not be asked, and is there. */
function isRunning(id: number): boolean {
  try {
    process.kill(id, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== "ESRCH";
  }
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
