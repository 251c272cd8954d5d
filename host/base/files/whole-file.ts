/** A file that is there whole or not at all, whatever happens meanwhile. */
import { dirname } from "node:path";
import type { Files } from "./files.js";

/**
 * Written under another name, synced, renamed, the folder synced: a process that is killed leaves the old file or the new one.
 * One sidecar runs on a home, so the temporary name is nobody else's; what a killed one left under it is removed.
 * @throws what the system says; the temporary file is removed where that is possible
 */
export function writeWhole(files: Files, path: string, bytes: Uint8Array, mode: number): void {
  const temporary = `${path}.tmp`;
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
export function writeNew(files: Files, path: string, bytes: Uint8Array, mode: number): void {
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
function removeQuietly(files: Files, path: string): void {
  try {
    files.remove(path);
  } catch {
    // The next write takes the same name, and removes it first.
  }
}
