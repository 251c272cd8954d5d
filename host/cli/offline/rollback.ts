/** Takes back a home's last blocks. */
import { rmSync } from "node:fs";
import { join } from "node:path";
import { assert, UpgradeError } from "../../base/errors/errors.js";
import { readFileIfThere } from "../../base/files/atomic-file.js";
import { sha256 } from "../../base/native/sha256.js";
import { toUpperHex } from "../../base/text/bytes.js";
import { decodeLossy } from "../../base/text/text.js";
import type { Height } from "../../base/types/types.js";
import { BlockStore } from "../../node/blocks/block-store.js";
import { endRollback, type LastState, noteRollback } from "../../node/blocks/rollback-note.js";
import { ValidatorStore } from "../../node/blocks/validator-store.js";
import type { Home } from "../../node/home/home.js";
import { TxIndex } from "../../node/index/tx-index.js";
import { withDatabase } from "../../node/open/home-database.js";
import { SnapshotFolder } from "../../node/snapshots/folder.js";
import type { Batch } from "../../state/store/disk/database.js";
import { lastVersionOf } from "../../state/store/disk/fenced-database.js";
import type { LmdbDatabase } from "../../state/store/disk/lmdb-database.js";
import { codeRecordsAfter } from "../../state/store/versions/code-records.js";
import { lastEngine, readCommit } from "../../state/store/versions/commit-record.js";
import { type RolledBack, rollbackLastVersion, rollbackTo } from "../../state/store/versions/rollback.js";
import { type RollbackLoss, requireTarget, snapshotsAfter } from "./rollback-loss.js";

export interface RolledBackBlock {
  /** Height of the last block now. */
  readonly height: string;
  /** The last one before. */
  readonly removed: string;
  /** Upper-case hex. */
  readonly app_hash: string;
}

/** The last block. @throws UpgradeError UPG_STORE_LOCKED, UPG_NOT_FOUND_VERSION, UPG_NOT_FOUND_BLOCK; nothing is written then */
export function rollback(path: string): RolledBackBlock {
  return withDatabase(path, (database, home) => {
    const last = lastVersionOf(database);
    // What refuses one block in words of its own.
    if (!readCommit(database, last - 1)) return shown(rollbackLastVersion(database));
    return takeBack(database, home, BigInt(last - 1));
  });
}

/**
 * All blocks after a height that an operator has agreed to lose.
 * @throws UpgradeError as `rollback`; UPG_INVALID_ARGUMENT when the home has gone on since
 */
export function rollbackHome(path: string, { from, to }: Pick<RollbackLoss, "from" | "to">): RolledBackBlock {
  return withDatabase(path, (database, home) => {
    const last = lastVersionOf(database);
    if (String(last) !== from) {
      throw new UpgradeError("UPG_INVALID_ARGUMENT", `the last height is ${last} now, it was ${from}: ask again`);
    }
    return takeBack(database, home, BigInt(to));
  });
}

function takeBack(database: LmdbDatabase, home: Home, to: Height): RolledBackBlock {
  requireTarget(database, to);
  const applied = codeRecordsAfter(database, to);
  const forget = (batch: Batch) => {
    for (const { key } of applied) batch.remove(key);
  };
  // First: a rollback that is cut, and not made again, has then no snapshot of blocks that are no more.
  if (lastEngine(database) === "") removeSnapshots(home, to);
  // CometBFT has the blocks, and a record of what its key signed: it gives the blocks again.
  const isEmbedded = lastEngine(database) === "";
  const back = isEmbedded ? withBlocks(database, home, to, forget) : rollbackTo(database, Number(to), forget);
  removeFiles(
    home,
    to,
    applied.map(({ plan }) => plan),
  );
  return shown(back);
}

/** First they are gone, then the key may sign those heights again; where a process dies in between, the next one ends it. */
function withBlocks(database: LmdbDatabase, home: Home, to: Height, forget: (batch: Batch) => void): RolledBack {
  const blocks = new BlockStore(database);
  const index = new TxIndex(database, sha256);
  const validators = new ValidatorStore(database);
  noteRollback(home, lastStateOf(database, Number(to)));
  try {
    return rollbackTo(database, Number(to), (batch, height) => {
      forget(batch);
      index.removeLast(batch, height, blocks.block(height).txs.length);
      blocks.remove(batch, height);
      validators.remove(batch, height);
    });
  } finally {
    endRollback(home, lastStateOf(database));
  }
}

function removeSnapshots(home: Home, to: Height): void {
  const folder = new SnapshotFolder(home.snapshotsFolder);
  for (const height of snapshotsAfter(home, to)) folder.removeHeight(height);
}

function lastStateOf(database: LmdbDatabase, version = lastVersionOf(database)): LastState {
  const state = readCommit(database, version);
  assert(state, "the version that is gone back to is kept");
  return { height: BigInt(version), appHash: state.appHash };
}

/** What says of upgrades that were taken back how they went; and records of halts after the height. */
function removeFiles(home: Home, to: Height, plans: readonly string[]): void {
  for (const plan of plans) {
    for (const file of [home.receiptFile(plan), home.witnessFile(plan), home.forgottenFile(plan)]) {
      rmSync(file, { force: true });
    }
  }
  for (const file of [home.haltFile, join(home.dataFolder, "upgrade-info.json")]) {
    if (heightIn(file) > to) rmSync(file, { force: true });
  }
}

/** 0n where the file names none. */
function heightIn(file: string): Height {
  try {
    const { height } = JSON.parse(decodeLossy(readFileIfThere(file) ?? new Uint8Array())) as { height?: unknown };
    return BigInt(String(height));
  } catch {
    return 0n;
  }
}

function shown({ from, to, appHash }: RolledBack): RolledBackBlock {
  return { height: String(to), removed: String(from), app_hash: toUpperHex(appHash) };
}
