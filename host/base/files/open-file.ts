/** The files of a database and their folder: may this user open them, and are their names durable? */
import {
  accessSync,
  closeSync,
  constants,
  existsSync,
  fstatSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readSync,
  type Stats,
  statSync,
} from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { UpgradeError } from "../errors/errors.js";
import { joinBytes } from "../text/bytes.js";

/** Without it opening a pipe waits until somebody writes into it. Windows has neither. */
const O_NONBLOCK = constants.O_NONBLOCK ?? 0;
const PART_BYTES = 65_536;

/**
 * Opens a file of the home, for reading unless `flags` say more. One that is a pipe, a device or a folder is not taken:
 * it may have no end, or never begin.
 * @throws what the system says, and an Error naming what it is instead
 */
export function openRegularFile(path: string, flags = constants.O_RDONLY): number {
  const file = openSync(path, flags | O_NONBLOCK);
  const stat = fstatSync(file);
  if (stat.isFile()) return file;
  closeSync(file);
  throw notRegular(stat);
}

/** The same for reading beside other work. Rejects as `openRegularFile` throws. */
export async function openRegularHandle(path: string): Promise<FileHandle> {
  const file = await open(path, constants.O_RDONLY | O_NONBLOCK);
  const stat = await file.stat();
  if (stat.isFile()) return file;
  await file.close();
  throw notRegular(stat);
}

const notRegular = (stat: Stats) => new Error(`it is no regular file, but ${kindOf(stat)}`);

/** What it is instead of an ordinary file. */
export function kindOf(stat: Stats): string {
  if (stat.isFIFO()) return "a pipe";
  if (stat.isSocket()) return "a socket";
  return stat.isDirectory() ? "a folder" : "a device";
}

/**
 * LMDB ends the process with a signal when it cannot write to its lock file. Readers register in it too.
 * @throws UpgradeError UPG_STORE_IO, naming the file
 */
export function requireAccess(path: string, isReadOnly: boolean): void {
  const files = [
    [path, isReadOnly ? constants.R_OK : constants.R_OK | constants.W_OK],
    [`${path}-lock`, constants.R_OK | constants.W_OK],
  ] as const;
  requireOwnLockFile(files[1][0]);
  for (const [file, mode] of files) {
    if (!existsSync(file)) continue;
    try {
      accessSync(file, mode);
    } catch (cause) {
      const owner = statSync(file).uid;
      throw new UpgradeError(
        "UPG_STORE_IO",
        `this user may not ${mode === constants.R_OK ? "read" : "write to"} ${file}, which user id ${owner} owns: ` +
          `give it back with \`chown\` to the user that runs the node (a command run as another user may have made it)`,
        { cause },
      );
    }
  }
}

/**
 * LMDB writes into whatever has the name of its lock file: into what a link leads to, and where it cannot, the process
 * ends with a signal.
 */
function requireOwnLockFile(file: string): void {
  const stat = lstatSync(file, { throwIfNoEntry: false });
  if (stat === undefined || stat.isFile()) return;
  throw new UpgradeError(
    "UPG_STORE_IO",
    `${file} is no regular file, but ${stat.isSymbolicLink() ? "a link" : kindOf(stat)}: remove it, the database makes it again`,
  );
}

/** A name that was made, changed or removed is durable when its folder is. */
export function syncFolder(folder: string): void {
  const handle = openSync(folder, "r");
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

/**
 * Makes a folder and missing ones above it, durably. Folder by folder: the recursive `mkdir` of Node.js never returns where the
 * system reports a missing folder although the one above exists, as `/proc` does.
 * @returns the uppermost folder that was made, if any. @throws what the system reports
 */
export function makeFolder(folder: string, mode?: number): string | undefined {
  const missing: string[] = [];
  for (let at = resolve(folder); !existsSync(at) && at !== dirname(at); at = dirname(at)) missing.push(at);
  // What exists may be a file or a link to nothing: the system's own error is the clearest.
  if (missing.length === 0 && !statSync(folder).isDirectory()) mkdirSync(folder);
  missing.reverse();
  for (const each of missing) {
    makeOne(each, mode);
    syncFolder(dirname(each));
  }
  return missing[0];
}

/** Another process may have made it meanwhile. */
function makeOne(folder: string, mode: number | undefined): void {
  try {
    mkdirSync(folder, { mode });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST" || !existsSync(folder)) throw error;
  }
}

/**
 * The bytes of a regular file; of one that is larger only the first `bytesMax` and one more, so that it shows.
 * @throws what the system says, and an Error for what is no regular file
 */
export function readRegularFile(path: string, bytesMax: number): Uint8Array {
  const file = openRegularFile(path);
  try {
    return readBytes(file, Math.min(fstatSync(file).size, bytesMax));
  } finally {
    closeSync(file);
  }
}

/** The same of a file that is open, from where it is on: stdin may be a pipe, and have no end. @throws what the system says */
export function readBytes(file: number, bytesMax: number): Uint8Array {
  const parts: Uint8Array[] = [];
  for (let left = bytesMax + 1; left > 0; ) {
    const part = Buffer.allocUnsafe(Math.min(PART_BYTES, left));
    // The system may return less than was asked for.
    const count = readSync(file, part, 0, part.length, null);
    if (count === 0) break;
    parts.push(part.subarray(0, count));
    left -= count;
  }
  return joinBytes(parts);
}
