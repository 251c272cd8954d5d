/** `chaind compact`: the database without the pages that are free, in the place of the one before. */
import { existsSync, renameSync, rmSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { UpgradeError } from "../../base/errors/errors.js";
import { diskFailure } from "../../base/files/disk-errors.js";
import { syncFolder } from "../../base/files/open-file.js";
import { Home } from "../../node/home/home.js";
import { HomeLock } from "../../node/home/home-lock.js";
import { noChain, requireNoRelay } from "../../node/open/home-database.js";
import { checkDatabase } from "../../node/open/start-checks.js";
import { copyLmdb } from "../../state/store/disk/lmdb-copy.js";
import { LmdbFileDatabase } from "../../state/store/disk/lmdb-file-database.js";
import { COMPACT_COPY, removedAtEnd } from "../../state/store/disk/lmdb-temporary-path.js";
import { verifyDatabase } from "./verify.js";

/** As it is printed. */
export interface Compacted {
  readonly bytes_before: number;
  readonly bytes_after: number;
  readonly height: string;
  /** Upper-case hex. */
  readonly app_hash: string;
}

/**
 * The copy is verified as a whole before it takes the name: a process that ends at any moment leaves the one or the other, and
 * its copy is removed then; after a power failure by the next run, or the next start of the node.
 * @throws UpgradeError UPG_STORE_LOCKED while a node runs, UPG_STORE_FULL, UPG_STORE_CORRUPT, UPG_STORE_IO; nothing is changed then
 */
export async function compactHome(path: string, say: (line: string) => void): Promise<Compacted> {
  const home = new Home(path);
  if (!home.hasDatabase) throw noChain(path);
  requireNoRelay(home);
  const { databaseFile: file } = home;
  const lock = HomeLock.acquire(home.lockFile, file);
  const copy = `${file}${COMPACT_COPY}`;
  const release = removedAtEnd(copy);
  try {
    checkDatabase(file, undefined, (_, message) => say(message));
    const bytes_before = statSync(file).size;
    const entries = entriesOf(file);
    await copyLmdb(file, copy, (done, all) => say(`copied ${percent(done, all)} of about ${all} bytes`));
    const { height, app_hash } = verified(copy, home, entries, say);
    replace(copy, file);
    return { bytes_before, bytes_after: statSync(file).size, height, app_hash };
  } catch (error) {
    rmSync(copy, { force: true });
    throw error;
  } finally {
    release();
    lock.release();
  }
}

const percent = (done: number, all: number) => `${Math.min(100, Math.floor((100 * done) / Math.max(1, all)))} %`;

function entriesOf(file: string): number {
  const database = LmdbFileDatabase.open(file);
  try {
    return database.file.meta.main.entries;
  } finally {
    database.close();
  }
}

function verified(copy: string, home: Home, entries: number, say: (line: string) => void) {
  const database = LmdbFileDatabase.open(copy);
  try {
    const copied = database.file.meta.main.entries;
    if (copied !== entries) {
      throw new UpgradeError("UPG_STORE_CORRUPT", `the copy of the database has ${copied} records of ${entries}`);
    }
    return verifyDatabase(database, home, say);
  } finally {
    database.close();
  }
}

/** LMDB's lock file counts transactions of the file that goes; a process that still reads keeps both of them. */
function replace(copy: string, file: string): void {
  try {
    if (existsSync(`${file}-lock`)) rmSync(`${file}-lock`);
    renameSync(copy, file);
    syncFolder(dirname(file));
  } catch (cause) {
    throw diskFailure("write", `cannot replace ${file}`, file, cause);
  }
}
