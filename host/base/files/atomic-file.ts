/**
 * Files that are on disk whole or not at all: written under a temporary name, synced, renamed, the folder synced, read
 * back and compared. A process killed at any moment leaves the old file or the new one.
 */
import { closeSync, readFileSync, rmSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { UpgradeError } from "../errors/errors.js";
import { equalBytes } from "../text/bytes.js";
import { diskFailure } from "./disk-errors.js";
import { plainFiles } from "./disk-files.js";
import { makeFolder, openRegularFile, syncFolder } from "./open-file.js";
import type { UpgradeFileName, UpgradeFiles } from "./upgrade-files.js";
import { writeWhole } from "./whole-file.js";

export { makeFolder };

/**
 * Replaces a file as a whole, durably: written under a temporary name, synced, renamed, read back.
 *
 * @throws UpgradeError UPG_STORE_IO, UPG_STORE_FULL when the file is not, byte for byte, on disk afterwards
 *
 * @example
 * import { readFileSync } from "node:fs";
 * writeFileAtomically("note.txt", new TextEncoder().encode("hello"), 0o644);
 * console.log(readFileSync("note.txt", "utf8")); // → hello
 */
export function writeFileAtomically(path: string, bytes: Uint8Array, mode = 0o600): void {
  try {
    writeWhole(plainFiles, path, bytes, mode, `${path}.${process.pid}.tmp`);
  } catch (cause) {
    throw diskFailure("write", `cannot write ${path}`, path, cause);
  }
  const written = readFileIfThere(path);
  if (!written || !equalBytes(written, bytes)) {
    throw new UpgradeError("UPG_STORE_IO", `${path} was written, but reading it back gives something else`);
  }
}

/** Undefined when there is no such file. @throws UpgradeError UPG_STORE_IO */
export function readFileIfThere(path: string): Uint8Array | undefined {
  try {
    const file = openRegularFile(path);
    try {
      return readFileSync(file);
    } finally {
      closeSync(file);
    }
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw diskFailure("read", `cannot read ${path}`, path, cause);
  }
}

/**
 * The upgrade module's two files in a folder, which is made when the first is written.
 *
 * @example
 * const files = upgradeFiles("data");
 * files.write("upgrade-info.json", new TextEncoder().encode('{"name":"v2","height":9}'));
 * console.log(files.read("upgrade-info.json")?.length, files.read("halt.json")); // → 24 undefined
 */
export function upgradeFiles(folder: string): UpgradeFiles {
  const path = (name: UpgradeFileName) => join(folder, name);
  return {
    read: (name) => readFileIfThere(path(name)),
    write: (name, bytes) => writeFileAtomically(path(name), bytes),
    remove: (name) => removeDurably(path(name)),
  };
}

/** A file that came back after a crash would be wrong. */
function removeDurably(path: string): void {
  if (!statSync(path, { throwIfNoEntry: false })) return;
  rmSync(path, { force: true });
  syncFolder(dirname(path));
}
