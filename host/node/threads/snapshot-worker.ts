/**
 * Takes one snapshot in a thread of its own: it reads the state of one height from the database, whatever blocks are made
 * meanwhile, and ends.
 */
import { parentPort } from "node:worker_threads";
import { messageOf } from "../../base/errors/errors.js";
import { sha256 } from "../../base/native/sha256.js";
import type { Height } from "../../base/types/types.js";
import { LmdbReader } from "../../state/store/disk/lmdb-reader.js";
import { PinnedVersions } from "../../state/store/versions/pinned-versions.js";
import { Core } from "../../upgrade/core/core.js";
import { keptGenesis } from "../home/genesis-record.js";
import { SnapshotFolder, type SparedSnapshots } from "../snapshots/folder.js";
import { takeSnapshot } from "../snapshots/take.js";

/** What the thread is made with. */
export interface SnapshotJob {
  readonly kind: "snapshot";
  readonly databaseFile: string;
  readonly folder: string;
  readonly height: Height;
  /** Snapshots to keep; 0: all. */
  readonly keepRecent: number;
  /** Heights that peers are fetching, the last one that was asked for first. */
  readonly fetched: readonly Height[];
}

/** How it ended. */
export type SnapshotEnd =
  /** `warning`: older ones could not be removed. */
  | { readonly kind: "taken"; readonly chunks: number; readonly hash: Uint8Array; readonly warning: string | undefined }
  | { readonly kind: "failed"; readonly message: string };

export async function runSnapshotThread(job: SnapshotJob): Promise<void> {
  let end: SnapshotEnd;
  try {
    end = await take(job);
  } catch (error) {
    end = { kind: "failed", message: messageOf(error) };
  }
  parentPort?.postMessage(end);
}

async function take({ databaseFile, folder: path, height, keepRecent, fetched }: SnapshotJob): Promise<SnapshotEnd> {
  // No commit is counted here, so all reads see the state that the first one saw.
  const database = new LmdbReader(databaseFile, () => 0);
  try {
    const folder = new SnapshotFolder(path);
    const firstVersion = keptGenesis(database).facts.appVersion || 1n;
    const { chunks, hash } = await takeSnapshot(database, folder, { height, sha256, core: new Core(), firstVersion });
    const held = PinnedVersions.load(database).entries.map(([version]) => BigInt(version));
    return { kind: "taken", chunks, hash, warning: removeOld(folder, keepRecent, { fetched, held }) };
  } finally {
    database.close();
  }
}

function removeOld(folder: SnapshotFolder, keepRecent: number, spared: SparedSnapshots): string | undefined {
  try {
    folder.keepRecent(keepRecent, spared);
    return undefined;
  } catch (error) {
    return messageOf(error);
  }
}
