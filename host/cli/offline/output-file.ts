/** A file that an operator names for what a command writes: none of the home's own is replaced, and no device or pipe. */
import { realpathSync, statSync } from "node:fs";
import { resolve, sep } from "node:path";
import { usage } from "../../base/terminal/usage.js";
import type { Home } from "../../node/home/home.js";
import { outputStats } from "../../node/home/output-folder.js";

export interface OutputFile {
  /** Without links. */
  readonly path: string;
  /** A device or a pipe: it is written to as it is, and cannot be replaced by a whole file. */
  readonly isStream: boolean;
}

/** @throws UpgradeError UPG_INVALID_ARGUMENT: a node needs the file, or it cannot be created in its folder */
export function outputFile(home: Home, given: string): OutputFile {
  const found = outputStats(given);
  if (!found) return { path: resolve(given), isStream: false };
  const path = realpathSync(given);
  const own = [home.configFolder, home.dataFolder].map((folder) => realIfThere(resolve(folder)) + sep);
  if (own.some((folder) => path.startsWith(folder))) {
    throw usage(`${path} is a file of this home: name another one, or remove it first`);
  }
  if (found.isDirectory()) throw usage(`cannot write ${given}: it is a folder. Name a file in it.`);
  return { path, isStream: !found.isFile() };
}

function realIfThere(folder: string): string {
  return statSync(folder, { throwIfNoEntry: false }) ? realpathSync(folder) : folder;
}
