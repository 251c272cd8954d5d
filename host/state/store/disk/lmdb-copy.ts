/**
 * A copy of a database file as it is at one moment, made by LMDB itself without the pages that are free; another process may
 * write to the database meanwhile. It counts once it is on disk whole, which the caller checks.
 */
import { closeSync, fsyncSync, openSync, rmSync, statSync } from "node:fs";
import { open } from "lmdb";
import { isUpgradeError, UpgradeError } from "../../../base/errors/errors.js";
import { diskFailure, freeBytes } from "../../../base/files/disk-errors.js";
import { requireAccess } from "../../../base/files/open-file.js";
import { lmdbOptions } from "./lmdb-forms.js";
import { checkLmdbHead } from "./lmdb-head.js";
import { FREE_BYTES_MIN } from "./lmdb-room.js";

const PROGRESS_MILLIS = 1_000;
const META_PAGES = 2;

/**
 * @param to is replaced, and removed when the copy fails
 * @param onProgress bytes that are written, of how many about
 * @throws UpgradeError UPG_STORE_FULL before anything is written where the disk has no room for it; UPG_STORE_IO, UPG_STORE_CORRUPT
 */
export async function copyLmdb(
  from: string,
  to: string,
  onProgress: (done: number, all: number) => void,
): Promise<void> {
  requireAccess(from, true);
  checkLmdbHead(from);
  const database = open({ ...lmdbOptions(from), readOnly: true });
  let timer: NodeJS.Timeout | undefined;
  try {
    const { pageSize, treeBranchPageCount, treeLeafPageCount, overflowPages } = database.getStats() as PageCounts;
    const bytes = (META_PAGES + treeBranchPageCount + treeLeafPageCount + overflowPages) * pageSize;
    rmSync(to, { force: true });
    requireRoom(to, bytes);
    timer = setInterval(() => onProgress(statSync(to, { throwIfNoEntry: false })?.size ?? 0, bytes), PROGRESS_MILLIS);
    await database.backup(to, true);
    const file = openSync(to, "r+");
    fsyncSync(file);
    closeSync(file);
  } catch (cause) {
    rmSync(to, { force: true });
    throw isUpgradeError(cause) ? cause : diskFailure("write", `cannot copy ${from} to ${to}`, to, cause);
  } finally {
    clearInterval(timer);
    await database.close();
  }
}

interface PageCounts {
  readonly pageSize: number;
  readonly treeBranchPageCount: number;
  readonly treeLeafPageCount: number;
  readonly overflowPages: number;
}

function requireRoom(path: string, bytes: number): void {
  const free = freeBytes(path);
  const needed = bytes + FREE_BYTES_MIN;
  if (free === undefined || BigInt(free) >= BigInt(needed)) return;
  throw new UpgradeError(
    "UPG_STORE_FULL",
    `a copy of the database takes ${needed} bytes, and the disk of ${path} has ${free} free: make room first`,
    { details: { path, free, needed: String(needed) } },
  );
}
