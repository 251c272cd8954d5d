/** Temporary files and folders that are removed however this process ends: by Ctrl-C in the middle of a long step, or by kill -9. */
import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { toHex } from "../../../base/text/bytes.js";

/** `read` returns when the process that holds the other end of its stdin is gone. */
const REMOVE = 'read line; rm -rf -- "$0"';

/** Added to the name of a database: the copy that `compact` makes, which counts once it has the name of the database. */
export const COMPACT_COPY = ".compact";

/**
 * Removes `path` when this process ends before the returned function is called. Another process removes it: a signal handler would
 * wait for the end of a long step, and SIGKILL has none.
 * @returns to be called when what is at the path has been renamed or removed
 */
export function removedAtEnd(path: string): () => void {
  if (process.platform === "win32") return () => undefined;
  // In a session of its own: a terminal's Ctrl-C goes to the whole process group.
  const remover = spawn("/bin/sh", ["-c", REMOVE, resolve(path)], {
    ...{ stdio: ["pipe", "ignore", "ignore"], detached: true, cwd: "/" },
  });
  remover.on("error", () => undefined);
  remover.stdin?.on("error", () => undefined);
  remover.unref();
  (remover.stdin as { unref?: () => void } | null)?.unref?.();
  return () => void remover.kill("SIGKILL");
}

/** A new folder that only this user may read; TMPDIR chooses the disk. `remove` it, and the end of this process does. */
export function temporaryFolder(prefix: string): { readonly path: string; remove(): void } {
  const path = join(tmpdir(), `${prefix}${toHex(randomBytes(8))}`);
  // Before the folder is there: nothing comes between the two.
  const release = removedAtEnd(path);
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    release();
    throw error;
  }
  const remove = () => {
    rmSync(path, { recursive: true, force: true });
    release();
  };
  return { path, remove };
}
