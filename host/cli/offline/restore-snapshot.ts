/** The state of a snapshot that lies in a home, in a home without state: as one that CometBFT fetches, but from this disk. */

import { UpgradeError } from "../../base/errors/errors.js";
import type { Snapshot } from "../../base/gen/cosmos/store/snapshots/v1/snapshot_pb.js";
import { sha256 } from "../../base/native/sha256.js";
import { usage } from "../../base/terminal/usage.js";
import { fromHex, toUpperHex } from "../../base/text/bytes.js";
import { homeCommand } from "../../base/text/shell-word.js";
import type { Height } from "../../base/types/types.js";
import type { Chain } from "../../chain/app/chain.js";
import { engineMark } from "../../chain/app/engine-port.js";
import { OpenHome } from "../../node/open/open-home.js";
import type { OpenApp } from "../../node/open/open-options.js";
import { checkedChunk } from "../../node/snapshots/archive.js";
import { namedAppHash, requireKnown } from "../../node/snapshots/facts.js";
import { SnapshotFolder } from "../../node/snapshots/folder.js";
import { SnapshotRestore } from "../../node/snapshots/restore.js";
import { RecordChanges } from "../../state/store/disk/database.js";
import { noSnapshot } from "./snapshots.js";

export interface RestoreFlags {
  readonly height: Height;
  readonly format: number;
  /** Of the state, hex; undefined: the one that the snapshot names is taken. */
  readonly appHash: string | undefined;
  /** Folder of upgrade handlers; undefined: those of the chain. */
  readonly handlers?: string | undefined;
}

/** What was restored, as it is printed. */
export interface Restored {
  readonly height: string;
  /** Upper-case hex. */
  readonly app_hash: string;
}

/**
 * CometBFT gives the blocks after it at the next start, where its own databases have them.
 * @throws UpgradeError UPG_NOT_FOUND_SNAPSHOT, UPG_INVALID_SNAPSHOT, UPG_INVALID_ARGUMENT, UPG_INVALID_CONFIG where the home
 * has a state, UPG_STORE_*: nothing counts then
 */
export async function restoreSnapshot(
  chain: Chain,
  path: string,
  { height, format, appHash, handlers }: RestoreFlags,
  say: (line: string) => void,
): Promise<Restored> {
  const given = appHash === undefined ? undefined : hashOf(appHash);
  const options = { chain, home: path, ...(handlers === undefined ? {} : { handlers }) };
  const held = OpenHome.holdForComet({ ...options, log: (_, message) => say(message) });
  try {
    const folder = new SnapshotFolder(held.home.snapshotsFolder);
    const snapshot = folder.get(height, format);
    if (!snapshot) throw noSnapshot(height, format);
    const trusted = given ?? namedAppHash(snapshot, sha256);
    const opened = held.openApp();
    requireEmpty(opened, path);
    await build(opened, { folder, snapshot, trusted, say });
    const app_hash = toUpperHex(trusted);
    say(restoredWords(height, path));
    if (!given) {
      say(
        `warning: nobody vouched for the app hash ${app_hash}, which is the snapshot's own: compare it with the header of ` +
          `block ${height + 1n}, or give --app-hash`,
      );
    }
    return { height: String(height), app_hash };
  } finally {
    held.close();
  }
}

/** The snapshot does not say which engine decided its block. */
const restoredWords = (height: Height, home: string): string =>
  `the state of block ${height} is here. CometBFT goes on from it (${homeCommand("start --engine cometbft", home)}) where its own databases in ` +
  "this home have the blocks after it. From a snapshot of a chain that the embedded engine runs no engine goes on: it is for rehearsals";

interface Build {
  readonly folder: SnapshotFolder;
  readonly snapshot: Snapshot;
  readonly trusted: Uint8Array;
  readonly say: (line: string) => void;
}

async function build(opened: OpenApp, { folder, snapshot, trusted, say }: Build): Promise<void> {
  const { app, database, alongsideFirst } = opened;
  requireKnown(app, snapshot);
  const restore = new SnapshotRestore(database, snapshot, { sha256, appHash: trusted, engine: engineMark("cometbft") });
  try {
    while (!restore.isComplete) {
      await restore.apply(await checkedChunk(folder, snapshot, restore.next, sha256));
      say(`${restore.next} of ${snapshot.chunks} chunks are built in`);
    }
    app.requireRunnable(restore.finish());
    const first = new RecordChanges();
    alongsideFirst?.(first);
    restore.commit(first.list);
  } catch (error) {
    restore.discard();
    throw error;
  }
}

function hashOf(text: string): Uint8Array {
  if (!/^(0x)?[0-9a-fA-F]{64}$/.test(text)) throw usage(`"${text.slice(0, 80)}" is no app hash: 64 hex digits`);
  return fromHex(text.replace(/^0x/, "").toLowerCase());
}

function requireEmpty({ app }: OpenApp, path: string): void {
  const { version } = app.lastCommitID;
  if (version === 0n) return;
  throw new UpgradeError(
    "UPG_INVALID_CONFIG",
    `${path} has the state of height ${version}, and a snapshot is restored into a home without state: another home, or this one after ` +
      `its data/chain.mdb and data/chain.mdb-lock were removed. ${homeCommand("comet unsafe-reset-all", path)} removes CometBFT's blocks too`,
  );
}
