/**
 * One process a home. The lock file is locked by the kernel, which holds between containers and ends with the process;
 * what is in it, process id and start time, says which process that is.
 */

import {
  closeSync,
  constants,
  existsSync,
  fstatSync,
  ftruncateSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  writeSync,
} from "node:fs";
import { dirname } from "node:path";
import { UpgradeError } from "../../base/errors/errors.js";
import { diskFailure } from "../../base/files/disk-errors.js";
import { tryFileLock } from "../../base/files/file-lock.js";
import { makeFolder, openRegularFile, readRegularFile } from "../../base/files/open-file.js";
import { folderUsers } from "./home-users.js";

const ATTEMPTS = 5;
/** A command that reads a home ends by itself, most of them in less: a check of the next version may come as the node starts. */
const READER_MILLIS_MAX = 3_000;
const READER_LOOK_MILLIS = 20;
const NOBODY = new Int32Array(new SharedArrayBuffer(4));
/** A process id and a start time have no more. */
const OWNER_BYTES_MAX = 64;

/**
 * The file is written to, so a link under its name must not lead to another one, and opening a pipe must not wait.
 * Windows has neither.
 */
const NEW_OR_OWN_FILE =
  constants.O_RDWR | constants.O_CREAT | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

export class HomeLock {
  private constructor(
    private readonly path: string,
    private readonly owner: string,
    private readonly files: number[],
  ) {}

  /**
   * `databaseFile`: locked too when it exists, against commands that read it.
   * @throws UpgradeError UPG_STORE_LOCKED, UPG_STORE_IO where this process may not write
   */
  static acquire(path: string, databaseFile?: string): HomeLock {
    const owner = `${process.pid} ${startTime(process.pid)}\n`;
    const file = openAndLock(path);
    const files = [file];
    try {
      const holder = livingHolder(path);
      if (holder !== undefined) throw locked(path, holder);
      if (databaseFile !== undefined) files.push(...lockDatabase(databaseFile));
      writeOwner(file, owner, path);
    } catch (error) {
      for (const each of files) closeSync(each);
      throw error;
    }
    return new HomeLock(path, owner, files);
  }

  /**
   * Locks a database that this process has just created. Without it, a second node starts once somebody removes the lock file.
   * @throws UpgradeError UPG_STORE_LOCKED, UPG_STORE_IO
   */
  addDatabase(databaseFile: string): void {
    this.files.push(...lockDatabase(databaseFile));
  }

  /** Never throws: a lock that could not be removed is stale as soon as this process has ended. */
  release(): void {
    try {
      // While the lock still holds: nobody else can have made this file again.
      if (read(this.path) === this.owner) rmSync(this.path, { force: true });
    } catch {
      // A disk that refuses this too; how the process ends is decided already.
    }
    for (const file of this.files) closeSync(file);
  }
}

/** The lock file, open and locked by this process, and still the one that is under its name. */
function openAndLock(path: string): number {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const file = openLockFile(path);
    let isOurs = false;
    try {
      const holder = () => livingHolder(path);
      if (!lockAfterReaders(file, path, () => holder() !== undefined)) {
        const node = holder();
        throw node === undefined ? inUse(path) : locked(path, node);
      }
      isOurs = isStill(file, path);
    } finally {
      if (!isOurs) closeSync(file);
    }
    if (isOurs) return file;
  }
  throw new UpgradeError("UPG_STORE_LOCKED", `${path} changes hands too fast; is another node starting here?`);
}

function openLockFile(path: string): number {
  try {
    makeFolder(dirname(path));
    return openSync(path, NEW_OR_OWN_FILE, 0o644);
  } catch (cause) {
    throw cannotLock(path, cause);
  }
}

/** A file system that has no locks is refused: two nodes on one volume would go unnoticed until they commit. */
function lockFile(file: number, path: string): boolean {
  try {
    return tryFileLock(file, "exclusive");
  } catch (cause) {
    throw cannotLock(path, cause);
  }
}

/** The one before may have removed the file between our opening and locking it. */
function isStill(file: number, path: string): boolean {
  try {
    return statSync(path).ino === fstatSync(file).ino;
  } catch {
    return false;
  }
}

function lockDatabase(path: string): number[] {
  if (!existsSync(path)) return [];
  const file = openDatabase(path);
  if (lockAfterReaders(file, path)) return [file];
  closeSync(file);
  throw inUse(path);
}

/**
 * Waits for commands that read the home, which hold both files (read-hold.ts).
 * @param isNode is it a node that has the lock? Nobody waits for that
 */
function lockAfterReaders(file: number, path: string, isNode = () => false): boolean {
  for (let waited = 0; ; waited += READER_LOOK_MILLIS) {
    if (lockFile(file, path)) return true;
    if (waited >= READER_MILLIS_MAX || isNode()) return false;
    Atomics.wait(NOBODY, 0, 0, READER_LOOK_MILLIS);
  }
}

/** Locked by a process that has not said who it is. */
function inUse(path: string): UpgradeError {
  const [holder] = folderUsers(dirname(path));
  return new UpgradeError(
    "UPG_STORE_LOCKED",
    `${holder === undefined ? "another process" : `process ${holder}`} has this home open (${path} is locked): let an \`export\` or \`verify\` of it end, or stop the node whose LOCK file was removed, then try again`,
  );
}

function openDatabase(path: string): number {
  try {
    return openRegularFile(path, constants.O_RDWR);
  } catch (cause) {
    throw cannotLock(path, cause);
  }
}

function writeOwner(file: number, owner: string, path: string): void {
  try {
    ftruncateSync(file);
    writeSync(file, owner, 0);
  } catch (cause) {
    throw cannotLock(path, cause);
  }
}

function cannotLock(path: string, cause: unknown): UpgradeError {
  return diskFailure("write", `cannot lock ${path}`, path, cause);
}

function read(path: string): string | undefined {
  try {
    return Buffer.from(readRegularFile(path, OWNER_BYTES_MAX)).toString();
  } catch {
    return undefined;
  }
}

/** What a process that still runs wrote into a lock file: on a platform without locks of the kernel, or an older program. */
export function livingHolder(path: string): string | undefined {
  const holder = read(path);
  return holder !== undefined && isAlive(holder) ? holder : undefined;
}

function isAlive(holder: string): boolean {
  const [pid, started] = holder.trim().split(" ");
  const id = Number(pid);
  if (!Number.isSafeInteger(id) || id <= 0) return false;
  try {
    process.kill(id, 0);
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === "ESRCH") return false;
  }
  // A process id is used again; its start time shows whether it is the same process.
  return startTime(id) === (started ?? "-");
}

/**
 * Fields 3 and 22 of /proc/<pid>/stat; the name before them is in parentheses and may hold anything. Elsewhere than
 * on Linux "-"; undefined for a process that has ended and only waits to be asked for its status.
 */
function startTime(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return fields[0] === "Z" || fields[0] === "X" ? undefined : (fields[19] ?? "-");
  } catch {
    return "-";
  }
}

function locked(path: string, holder: string): UpgradeError {
  const pid = holder.split(" ")[0] || "?";
  return new UpgradeError(
    "UPG_STORE_LOCKED",
    `process ${pid} has this home open (${path}): stop it first, two nodes cannot share a home`,
  );
}
