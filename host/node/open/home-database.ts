/** A home's database for a command that runs while no node does. */
import { existsSync } from "node:fs";
import { isUpgradeError, UpgradeError } from "../../base/errors/errors.js";
import type { Database } from "../../state/store/disk/database.js";
import { LmdbDatabase } from "../../state/store/disk/lmdb-database.js";
import { LmdbFileDatabase } from "../../state/store/disk/lmdb-file-database.js";
import { Home } from "../home/home.js";
import { HomeLock } from "../home/home-lock.js";
import { ReadHold } from "../home/read-hold.js";
import { checkDatabase } from "./start-checks.js";

export function noChain(path: string): UpgradeError {
  return new UpgradeError("UPG_INVALID_CONFIG", `there is no chain in ${path}: no block was made here yet`);
}

/**
 * Reads the home's database while no node holds it, and keeps nodes out meanwhile. Nothing is made or written.
 * @throws UpgradeError UPG_INVALID_CONFIG, UPG_STORE_LOCKED, UPG_STORE_*
 */
export function withReader<T>(path: string, use: (database: LmdbFileDatabase, home: Home) => T): T {
  const reader = readerOf(path);
  try {
    return use(reader.database, reader.home);
  } finally {
    reader.close();
  }
}

function readerOf(path: string) {
  const home = new Home(path);
  if (!home.hasDatabase) throw noChain(path);
  const hold = ReadHold.acquire(home.lockFile, home.databaseFile);
  try {
    const database = LmdbFileDatabase.open(home.databaseFile);
    const close = () => {
      database.close();
      hold.release();
    };
    return { database, home, close };
  } catch (error) {
    hold.release();
    throw error;
  }
}

/** A home's database for a command that may run beside a node. */
export interface SharedReader {
  readonly database: Database;
  /** Another process holds the home. */
  readonly isRunning: boolean;
  close(): void;
}

/** One whose snapshot can be given back. */
export interface RenewableReader extends SharedReader {
  /** Gives back the snapshot that is read, so that its node may use old pages again; the next read sees the last commit. */
  renew(): void;
}

/**
 * Reads the home's database whether a node runs or not. Nothing is made or written: without a node the file is read page
 * by page and nodes are kept out meanwhile; beside one LMDB reads, which takes a place in the lock file that the node made.
 * @throws UpgradeError UPG_STORE_LOCKED while a node only begins, UPG_STORE_IO, UPG_STORE_CORRUPT
 */
export function openShared({ lockFile, databaseFile }: Home): RenewableReader {
  let hold: ReadHold;
  try {
    hold = ReadHold.acquire(lockFile, databaseFile);
  } catch (error) {
    if (!isUpgradeError(error) || error.code !== "UPG_STORE_LOCKED" || !existsSync(`${databaseFile}-lock`)) throw error;
    const database = new LmdbDatabase(databaseFile, { readOnly: true });
    return { database, isRunning: true, renew: () => database.renew(), close: () => database.close() };
  }
  try {
    const database = LmdbFileDatabase.open(databaseFile);
    const close = () => {
      database.close();
      hold.release();
    };
    return { database, isRunning: false, renew: () => undefined, close };
  } catch (error) {
    hold.release();
    throw error;
  }
}

/** Holds the home while `use` runs, on a database whose pages are sound. @throws UpgradeError UPG_INVALID_CONFIG, UPG_STORE_LOCKED, UPG_STORE_* */
export function withDatabase<T>(path: string, use: (database: LmdbDatabase, home: Home) => T): T {
  const home = new Home(path);
  if (!home.hasDatabase) {
    throw noChain(path);
  }
  requireNoRelay(home);
  const lock = HomeLock.acquire(home.lockFile, home.databaseFile);
  try {
    checkDatabase(home.databaseFile, undefined, () => undefined);
    const database = new LmdbDatabase(home.databaseFile);
    try {
      return use(database, home);
    } finally {
      database.close();
    }
  } finally {
    lock.release();
  }
}

/** A relay that holds at a height has no worker that would hold the home. @throws UpgradeError UPG_STORE_LOCKED */
export function requireNoRelay({ relayLockFile }: Home): void {
  if (existsSync(relayLockFile)) HomeLock.acquire(relayLockFile).release();
}
