/** A file that a person names as input: all commands report a missing one in the same way. */
import { statSync } from "node:fs";
import { usage } from "../../base/terminal/usage.js";

/** @throws UpgradeError UPG_INVALID_ARGUMENT: nothing is at this path */
export function requireInputFile(path: string): void {
  if (!exists(path)) throw usage(`there is no file ${path}`);
}

/** What cannot be looked at is reported by the command that reads it. */
function exists(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== "ENOTDIR";
  }
}
