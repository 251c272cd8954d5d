/**
 * Keeps nodes out of a home while a command reads its database page by page. It needs the right to read, and no more: a
 * shared lock of the kernel on the lock file, where there is one, and on the database itself.
 */

import { closeSync } from "node:fs";
import { dirname } from "node:path";
import { messageOf, UpgradeError } from "../../base/errors/errors.js";
import { tryFileLock } from "../../base/files/file-lock.js";
import { openRegularFile } from "../../base/files/open-file.js";
import { homeCommand } from "../../base/text/shell-word.js";
import { livingHolder } from "./home-lock.js";

export class ReadHold {
  private constructor(private readonly files: readonly number[]) {}

  /** @throws UpgradeError UPG_STORE_LOCKED while a node runs, UPG_STORE_IO where a file cannot be read */
  static acquire(lockFile: string, databaseFile: string): ReadHold {
    const files: number[] = [];
    try {
      for (const path of [lockFile, databaseFile]) {
        const file = openedIfThere(path);
        if (file === undefined) continue;
        files.push(file);
        if (!isShared(file)) throw locked(path);
      }
      if (livingHolder(lockFile) !== undefined) throw locked(lockFile);
    } catch (error) {
      for (const file of files) closeSync(file);
      throw error;
    }
    return new ReadHold(files);
  }

  release(): void {
    for (const file of this.files) closeSync(file);
  }
}

function openedIfThere(path: string): number | undefined {
  try {
    return openRegularFile(path);
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    const message = messageOf(cause);
    throw new UpgradeError("UPG_STORE_IO", `cannot read ${path}: ${message}`, { cause });
  }
}

/** A file system without locks has none to respect. */
function isShared(file: number): boolean {
  try {
    return tryFileLock(file, "shared");
  } catch {
    return true;
  }
}

function locked(path: string): UpgradeError {
  return new UpgradeError(
    "UPG_STORE_LOCKED",
    `a node has this home open (${path} is locked): stop it first, or ask the running node with ${homeCommand("query …", dirname(dirname(path)))}`,
  );
}
