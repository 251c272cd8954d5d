/**
 * Files that are on disk whole or not at all: written under a temporary name, synced, renamed, the folder synced, read
 * back and compared. A process killed at any moment leaves the old file or the new one.
 */
import { closeSync, fsyncSync, openSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { UpgradeError } from "../errors/errors.js";
import { equalBytes } from "../text/bytes.js";
import { diskFailure } from "./disk-errors.js";
import { makeFolder, openRegularFile, syncFolder } from "./open-file.js";
import type { UpgradeFileName, UpgradeFiles } from "./upgrade-files.js";

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
  const folder = dirname(path);
  const temporary = `${path}.${process.pid}.tmp`;
  try {
    makeFolder(folder);
    // What has the name already is none of this process's: writing into a pipe would wait for ever.
    rmSync(temporary, { force: true });
    const file = openSync(temporary, "wx", mode);
    try {
      writeFileSync(file, bytes);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    renameSync(temporary, path);
    syncFolder(folder);
  } catch (cause) {
    removeQuietly(temporary);
    throw diskFailure("write", `cannot write ${path}`, path, cause);
  }
  const written = readFileIfThere(path);
  if (!written || !equalBytes(written, bytes)) {
    throw new UpgradeError("UPG_STORE_IO", `${path} was written, but reading it back gives something else`);
  }
}

/** On a disk that refuses this too, what refused first is what to speak of. */
function removeQuietly(path: string): void {
  try {
    rmSync(path, { force: true });
  } catch {
    // The next write of this process takes the same name.
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
