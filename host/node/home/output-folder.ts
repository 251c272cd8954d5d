/** The folder of a file that a person names for output. A command checks it before its work, and never creates it. */
import { accessSync, constants, realpathSync, type Stats, statSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { usage } from "../../base/terminal/usage.js";
import { shellWord } from "../../base/text/shell-word.js";

/**
 * Checks that a new file can be created at `file`.
 *
 * @throws UpgradeError UPG_INVALID_ARGUMENT: its folder does not exist, is no folder, or is not writable for this user
 */
export function requireOutputFolder(file: string): void {
  const folder = dirname(resolve(file));
  const why = problemOf(folder);
  if (why !== undefined) throw usage(`cannot write ${file}: ${why}`);
}

/**
 * Returns what exists at `file`, if anything. A new file, and a regular file that is replaced, need a folder as `requireOutputFolder` does.
 *
 * @throws UpgradeError UPG_INVALID_ARGUMENT, and what the system reports
 */
export function outputStats(file: string): Stats | undefined {
  const found = statOf(file);
  if (!found) requireOutputFolder(file);
  else if (found.isFile()) requireOutputFolder(realpathSync(file));
  return found;
}

function statOf(file: string): Stats | undefined {
  try {
    return statSync(file, { throwIfNoEntry: false });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOTDIR") return undefined;
    throw error;
  }
}

function problemOf(folder: string): string | undefined {
  try {
    if (!statSync(folder).isDirectory()) return `${folder} is not a folder. Name a file in a folder that exists.`;
    accessSync(folder, constants.W_OK | constants.X_OK);
    return undefined;
  } catch (error) {
    return wordsFor(error as NodeJS.ErrnoException, folder);
  }
}

function wordsFor({ code, message }: NodeJS.ErrnoException, folder: string): string {
  if (code === "ENOENT") return `the folder ${folder} does not exist. Create it: mkdir -p ${shellWord(folder)}`;
  if (code === "ENOTDIR") return `a part of ${folder} is not a folder. Name a file in a folder that exists.`;
  if (code === "EACCES" || code === "EPERM" || code === "EROFS") {
    return `this user cannot write in the folder ${folder}. Name a file in another folder.`;
  }
  return message;
}
