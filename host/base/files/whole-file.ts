/** A file that is there whole or not at all, whatever happens meanwhile. */
import { dirname } from "node:path";
import type { Files } from "./files.js";

type WritableFiles = Pick<Files, "makeFolder" | "open" | "rename" | "remove" | "syncFolder">;

/**
 * Written under another name, synced, renamed, the folder synced: a process that is killed leaves the old file or the new one.
 * @param temporary in the same folder, and nobody else's: one sidecar runs on a home. What is there is removed
 * @throws what the system says; the temporary file is removed where that is possible
 */
export function writeWhole(
  files: WritableFiles,
  path: string,
  bytes: Uint8Array,
  mode: number,
  temporary = `${path}.tmp`,
): void {
  files.makeFolder(dirname(path));
  files.remove(temporary);
  try {
    writeNew(files, temporary, bytes, mode);
    files.rename(temporary, path);
  } catch (error) {
    removeQuietly(files, temporary);
    throw error;
  }
  files.syncFolder(dirname(path));
}

/** Synced; nothing is there before. @throws what the system says; what was written is left */
export function writeNew(files: Pick<Files, "open">, path: string, bytes: Uint8Array, mode: number): void {
  const file = files.open(path, "new", mode);
  try {
    file.write(bytes);
    file.sync();
  } finally {
    file.close();
  }
}

/** A link that leads to the new target or the old one at any moment. @throws what the system says */
export function linkWhole(files: Files, target: string, path: string): void {
  const temporary = `${path}.tmp`;
  files.remove(temporary);
  try {
    files.symlink(target, temporary);
    files.rename(temporary, path);
  } catch (error) {
    removeQuietly(files, temporary);
    throw error;
  }
  files.syncFolder(dirname(path));
}

/** What refused first is what to speak of. */
function removeQuietly(files: Pick<Files, "remove">, path: string): void {
  try {
    files.remove(path);
  } catch {
    // The next write takes the same name, and removes it first.
  }
}
