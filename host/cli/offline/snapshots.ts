/** Snapshots in a home: which there are, one more of the last height, one less, one as a file. */

import { UpgradeError } from "../../base/errors/errors.js";
import type { Snapshot } from "../../base/gen/cosmos/store/snapshots/v1/snapshot_pb.js";
import { sha256 } from "../../base/native/sha256.js";
import { toHex, toUpperHex } from "../../base/text/bytes.js";
import { homeCommand } from "../../base/text/shell-word.js";
import type { Height } from "../../base/types/types.js";
import { engineMark } from "../../chain/app/engine-port.js";
import { requireHome } from "../../node/home/begun-genesis.js";
import { keptGenesis } from "../../node/home/genesis-record.js";
import { Home } from "../../node/home/home.js";
import { noChain } from "../../node/open/home-database.js";
import { loadArchive, writeArchive } from "../../node/snapshots/archive.js";
import { namedAppHash, SNAPSHOT_FORMAT } from "../../node/snapshots/facts.js";
import { SnapshotFolder } from "../../node/snapshots/folder.js";
import { takeSnapshot } from "../../node/snapshots/take.js";
import { lastVersionOf } from "../../state/store/disk/fenced-database.js";
import { readCommit } from "../../state/store/versions/commit-record.js";
import { Core } from "../../upgrade/core/core.js";
import { openOneState } from "./one-state.js";
import { outputFile } from "./output-file.js";

/** A snapshot as it is printed. */
export interface SnapshotSummary {
  readonly height: string;
  readonly format: number;
  readonly chunks: number;
  /** SHA-256 of all chunks, hex. */
  readonly hash: string;
  readonly app_version: string;
  /** That its stores make, upper-case hex; it is in the header of the next block. */
  readonly app_hash: string;
}

function summaryOf(snapshot: Snapshot): SnapshotSummary {
  const { height, format, chunks, hash } = snapshot;
  const app_version = String(snapshot.metadata?.facts?.appVersion ?? 0n);
  return { height: String(height), format, chunks, hash: toHex(hash), app_version, app_hash: appHashOf(snapshot) };
}

/** "" where the description names no stores that could make one. */
function appHashOf(snapshot: Snapshot): string {
  try {
    return toUpperHex(namedAppHash(snapshot, sha256));
  } catch {
    return "";
  }
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
 * Takes one, also beside a running node. @param height 0n: the last
 * @throws UpgradeError UPG_INVALID_CONFIG, UPG_NOT_FOUND_VERSION, UPG_STORE_*
 */
export async function exportSnapshot(
  path: string,
  height: Height,
  say: (line: string) => void,
): Promise<SnapshotSummary> {
  const home = new Home(path);
  if (!home.hasDatabase) throw noChain(path);
  const { database, close } = openOneState(home);
  try {
    const of = height || BigInt(lastVersionOf(database));
    const taken = await takeSnapshot(database, folderOf(path), {
      height: of,
      ...{ sha256, core: new Core(), firstVersion: keptGenesis(database).facts.appVersion || 1n },
      onProgress: (store, nodes) => say(`${nodes} nodes, in store ${store}`),
    });
    if (readCommit(database, Number(of))?.engine === engineMark("embedded")) say(embeddedWarning(of, path));
    return summaryOf(taken);
  } finally {
    close();
  }
}

/** A restored home is CometBFT's, which needs the blocks after the state; nobody has those of the embedded engine. */
const embeddedWarning = (height: Height, home: string): string =>
  `warning: block ${height} was decided by the embedded engine. This snapshot is for rehearsals (\`upgrade rehearse --snapshot FILE\`): ` +
  `no engine goes on from it in another home. To come back to this height: ${homeCommand(`rollback --to ${height}`, home)}, or a copy: ${homeCommand("backup FOLDER", home)}`;

/** @throws UpgradeError UPG_NOT_FOUND_SNAPSHOT, UPG_STORE_IO */
export function deleteSnapshot(path: string, height: Height, format = SNAPSHOT_FORMAT): void {
  if (!folderOf(path).remove(height, format)) throw noSnapshot(height, format);
}

export function noSnapshot(height: Height, format: number): UpgradeError {
  return new UpgradeError("UPG_NOT_FOUND_SNAPSHOT", `there is no snapshot of height ${height} in format ${format}`);
}

/**
 * Writes a snapshot into one file. @param file undefined: `<height>-<format>.tar.gz` in this folder
 * @throws UpgradeError UPG_NOT_FOUND_SNAPSHOT, UPG_INVALID_SNAPSHOT, UPG_STORE_*
 */
export async function dumpSnapshot(path: string, height: Height, format: number, file?: string): Promise<string> {
  const archive = outputFile(new Home(path), file ?? `${height}-${format}.tar.gz`);
  const folder = folderOf(path);
  const snapshot = folder.get(height, format);
  if (!snapshot) throw noSnapshot(height, format);
  await writeArchive(folder, snapshot, archive, sha256);
  return archive.path;
}

/** Puts the snapshot of such a file among those of a home. @throws UpgradeError UPG_INVALID_SNAPSHOT, UPG_INVALID_ARGUMENT, UPG_STORE_* */
export async function loadSnapshot(path: string, file: string): Promise<SnapshotSummary> {
  return summaryOf(await loadArchive(folderOf(path), file, sha256));
}
