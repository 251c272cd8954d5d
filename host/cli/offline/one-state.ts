/** A home's database as it is at one moment, for work that takes long: a node that runs there goes on meanwhile. */
import type { Home } from "../../node/home/home.js";
import { openShared, type SharedReader } from "../../node/open/home-database.js";
import { LmdbReader } from "../../state/store/disk/lmdb-reader.js";

/**
 * All reads see the same. Pages that the node gives up meanwhile cannot be used again before `close`, so its file may grow.
 * @throws UpgradeError UPG_STORE_LOCKED while a node only begins, UPG_STORE_IO, UPG_STORE_CORRUPT
 */
export function openOneState(home: Home): SharedReader {
  const shared = openShared(home);
  if (!shared.isRunning) return shared;
  shared.close();
  // No commit is counted, so the first look stays.
  const database = new LmdbReader(home.databaseFile, () => 0);
  return { database, isRunning: true, close: () => database.close() };
}
