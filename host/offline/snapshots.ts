/** Snapshots in a home: which there are, one more of the last height, one less. */

import { toHex } from "../bytes.js";
import { Core } from "../core/core.js";
import { requireHome } from "../engine/home/begun-genesis.js";
import { keptGenesis } from "../engine/home/genesis-record.js";
import { Home } from "../engine/home/home.js";
import { withReaderUntil } from "../engine/home/home-database.js";
import { UpgradeError } from "../errors.js";
import type { Snapshot } from "../gen/cosmos/store/snapshots/v1/snapshot_pb.js";
import { sha256 } from "../native/sha256.js";
import { SNAPSHOT_FORMAT } from "../snapshot/facts.js";
import { SnapshotFolder } from "../snapshot/folder.js";
import { takeSnapshot } from "../snapshot/take.js";
import { lastVersionOf } from "../store/disk/fenced-database.js";
import type { Height } from "../types.js";

/** A snapshot as it is printed. */
export interface SnapshotSummary {
  readonly height: string;
  readonly format: number;
  readonly chunks: number;
  /** SHA-256 of all chunks, hex. */
  readonly hash: string;
  readonly app_version: string;
}

function summaryOf({ height, format, chunks, hash, metadata }: Snapshot): SnapshotSummary {
  const version = metadata?.facts?.appVersion ?? 0n;
  return { height: String(height), format, chunks, hash: toHex(hash), app_version: String(version) };
}

/** @throws UpgradeError UPG_INVALID_CONFIG where there is no home */
function folderOf(path: string): SnapshotFolder {
  const home = new Home(path);
  requireHome(home);
  return new SnapshotFolder(home.snapshotsFolder);
}

/** The newest first. @throws UpgradeError UPG_STORE_IO */
export function listSnapshots(path: string): SnapshotSummary[] {
  return [...folderOf(path).list()].map(summaryOf);
}

/**
 * Takes one while no node holds the home. @param height 0n: the last
 * @throws UpgradeError UPG_INVALID_CONFIG, UPG_NOT_FOUND_VERSION, UPG_STORE_*
 */
export function exportSnapshot(path: string, height: Height, say: (line: string) => void): Promise<SnapshotSummary> {
  return withReaderUntil(path, async (database) => {
    const taken = await takeSnapshot(database, folderOf(path), {
      height: height || BigInt(lastVersionOf(database)),
      ...{ sha256, core: new Core(), firstVersion: keptGenesis(database).facts.appVersion || 1n },
      onProgress: (store, nodes) => say(`${nodes} nodes, in store ${store}`),
    });
    return summaryOf(taken);
  });
}

/** @throws UpgradeError UPG_NOT_FOUND_SNAPSHOT, UPG_STORE_IO */
export function deleteSnapshot(path: string, height: Height, format = SNAPSHOT_FORMAT): void {
  if (folderOf(path).remove(height, format)) return;
  throw new UpgradeError("UPG_NOT_FOUND_SNAPSHOT", `there is no snapshot of height ${height} in format ${format}`);
}
