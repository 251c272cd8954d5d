/** Tries whether a folder takes files, and whether a file can be replaced: permissions do not show all that prevents it. */
import { chmodSync, closeSync, constants, openSync, rmSync, statSync, symlinkSync, writeSync } from "node:fs";
import { join } from "node:path";

/** One name for all: what a killed process left behind is removed by the next try. */
export const WRITE_PROBE = ".write-probe.tmp";

const MODE_BITS = 0o7777;
const FILE_MODE = 0o600;
/** An empty file fits on a full disk. */
const BYTES = new Uint8Array(4_096);
/** Another process may try at the same time, so the file may be there. No link is followed, and a pipe is not waited for. */
const CREATE = constants.O_WRONLY | constants.O_CREAT | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);
const ROOT = 0;

/** @throws what the system says */
export function tryWrite(path: string, what?: "link"): void {
  const found = statSync(path);
  if (!found.isDirectory()) tryReplace(path, found.mode, found.uid);
  else if (what === "link") tryLink(path);
  else tryFile(path);
}

/** An immutable or append-only file refuses its own mode, and so it refuses a rename over it. Only the owner may try. */
function tryReplace(path: string, mode: number, owner: number): void {
  const uid = process.getuid?.();
  if (uid === ROOT || uid === owner) chmodSync(path, mode & MODE_BITS);
}

function tryFile(folder: string): void {
  const probe = join(folder, WRITE_PROBE);
  rmSync(probe, { force: true });
  const file = openSync(probe, CREATE, FILE_MODE);
  try {
    for (let at = 0; at < BYTES.length; ) at += writeSync(file, BYTES, at);
  } finally {
    closeSync(file);
    rmSync(probe, { force: true });
  }
}

function tryLink(folder: string): void {
  const probe = join(folder, WRITE_PROBE);
  rmSync(probe, { force: true });
  try {
    symlinkSync("none", probe);
  } catch (error) {
    // Another process tries at this moment.
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
  rmSync(probe, { force: true });
}
