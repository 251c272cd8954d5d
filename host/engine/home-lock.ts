/**
 * One process a home. The lock file names its owner by process id and start time; the file of a process that is gone is
 * stale and is taken over, so a crash needs no hand.
 */
import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { UpgradeError } from "../errors.js";
import { diskFailure } from "../store/lmdb-errors.js";

const ATTEMPTS = 5;

export class HomeLock {
  private constructor(
    private readonly path: string,
    private readonly owner: string,
  ) {}

  /** @throws UpgradeError UPG_STORE_LOCKED, UPG_STORE_IO where this process may not write */
  static acquire(path: string): HomeLock {
    const owner = `${process.pid} ${startTime(process.pid)}\n`;
    const mine = `${path}.${process.pid}`;
    try {
      mkdirSync(dirname(path), { recursive: true });
    } catch (cause) {
      throw cannotLock(path, cause);
    }
    try {
      writeOwner(mine, owner, path);
      for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
        if (linkIfFree(mine, path)) return new HomeLock(path, owner);
        const holder = read(path);
        if (holder !== undefined && isAlive(holder)) throw locked(path, holder);
        if (holder !== undefined) clearStale(path, holder);
      }
    } finally {
      rmSync(mine, { force: true });
    }
    throw new UpgradeError("UPG_STORE_LOCKED", `${path} changes hands too fast; is another node starting here?`);
  }

  release(): void {
    if (read(this.path) === this.owner) rmSync(this.path, { force: true });
  }
}

function writeOwner(mine: string, owner: string, path: string): void {
  try {
    writeFileSync(mine, owner);
  } catch (cause) {
    throw cannotLock(path, cause);
  }
}

/** A link is made only where no file is: the one step that decides between two processes. */
function linkIfFree(mine: string, path: string): boolean {
  try {
    linkSync(mine, path);
    return true;
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw cannotLock(path, cause);
  }
}

function cannotLock(path: string, cause: unknown): UpgradeError {
  return diskFailure("write", `cannot lock ${path}`, path, cause);
}

/** Takes a stale lock out of the way; puts it back if it was replaced by a living one in between. */
function clearStale(path: string, holder: string): void {
  const aside = `${path}.stale.${process.pid}`;
  try {
    renameSync(path, aside);
  } catch {
    return; // somebody else was faster
  }
  if (read(aside) !== holder) linkIfFree(aside, path);
  rmSync(aside, { force: true });
}

function read(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
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
  // A process id is used again; its start time tells whether it is the same process.
  return startTime(id) === (started ?? "-");
}

/**
 * Fields 3 and 22 of /proc/<pid>/stat; the name before them stands in parentheses and may hold anything. Elsewhere than
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
  const pid = holder.split(" ")[0] ?? "?";
  return new UpgradeError(
    "UPG_STORE_LOCKED",
    `process ${pid} has this home open (${path}): stop it first, two nodes cannot share a home`,
  );
}
