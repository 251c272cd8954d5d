/** A file that an operator names for what a command writes: none of the home's own is replaced, and no device or pipe. */
import { realpathSync, statSync } from "node:fs";
import { resolve, sep } from "node:path";
import type { Home } from "../engine/home/home.js";
import { UpgradeError } from "../errors.js";

export interface OutputFile {
  /** Without links. */
  readonly path: string;
  /** A device or a pipe: it is written to as it is, and cannot be replaced by a whole file. */
  readonly isStream: boolean;
}

/** @throws UpgradeError UPG_INVALID_ARGUMENT: the file is one that a node needs */
export function outputFile(home: Home, given: string): OutputFile {
  const found = statSync(given, { throwIfNoEntry: false });
  if (!found) return { path: resolve(given), isStream: false };
  const path = realpathSync(given);
  const own = [home.configFolder, home.dataFolder].map((folder) => realIfThere(resolve(folder)) + sep);
  if (own.some((folder) => path.startsWith(folder))) {
    throw new UpgradeError(
      "UPG_INVALID_ARGUMENT",
      `${path} is a file of this home: name another one, or remove it first`,
    );
  }
  return { path, isStream: !found.isFile() && !found.isDirectory() };
}

function realIfThere(folder: string): string {
  return statSync(folder, { throwIfNoEntry: false }) ? realpathSync(folder) : folder;
}
