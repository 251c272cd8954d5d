/**
 * What a node looks at before it opens its database for writing: that every page of keys is sound, that the last version
 * is what its record says, and that blocks and state end together. LMDB itself trusts its pages: with a damaged one it
 * finds nothing where something is, writes over pages that are in use, or ends the process with a signal.
 */

import { existsSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { UpgradeError } from "../../base/errors/errors.js";
import { sha256 } from "../../base/native/sha256.js";
import { equalBytes } from "../../base/text/bytes.js";
import { homeCommand } from "../../base/text/shell-word.js";
import { visible } from "../../base/text/visible.js";
import type { Height } from "../../base/types/types.js";
import { type EngineName, engineMark } from "../../chain/app/engine-port.js";
import { formatKey } from "../../state/store/disk/keys.js";
import { LmdbFileDatabase } from "../../state/store/disk/lmdb-file-database.js";
import { walkLmdb } from "../../state/store/disk/lmdb-walk.js";
import { checkLastVersion } from "../../state/store/versions/audit.js";
import { type CommitState, checkFormat } from "../../state/store/versions/commit-record.js";
import type { LogLevel } from "../../upgrade/module/handlers.js";
import { BlockStore } from "../blocks/block-store.js";

/** 512 MiB of pages of keys, about 250,000 empty blocks: half a second. Values on pages of their own do not count. */
const START_KEY_PAGES_MAX = 131_072;

/**
 * Returns the height of the last block; undefined: there is none.
 * @param engine the one that is to decide the next block; undefined: the one that decided those before
 * @throws UpgradeError UPG_STORE_CORRUPT naming the place, UPG_STORE_VERSION_MISMATCH, UPG_STORE_IO, UPG_INVALID_CONFIG when
 * another engine decided the blocks
 */
export function checkDatabase(
  path: string,
  engine: EngineName | undefined,
  log: (level: LogLevel, message: string) => void,
): Height | undefined {
  if (!existsSync(path) || statSync(path).size === 0) return undefined;
  const database = LmdbFileDatabase.open(path);
  try {
    // A copy made while a node wrote may have lost any record: no page is trusted for what it does not show.
    const hasChecksums = database.get(formatKey()) !== undefined;
    const { branches, leaves } = database.file.meta.main;
    if (branches + leaves <= START_KEY_PAGES_MAX) walkLmdb(database.file, { longValues: false, hasChecksums });
    else
      log(
        "warn",
        `the database is too large to be checked at start: run ${homeCommand("verify", homeOf(path))} when the node is stopped`,
      );
    checkFormat(database);
    return hasChecksums ? checkLast(database, homeOf(path), engine) : undefined;
  } finally {
    database.close();
  }
}

/** The home of `data/chain.mdb`. */
const homeOf = (databaseFile: string): string => dirname(dirname(databaseFile));

function checkLast(database: LmdbFileDatabase, home: string, engine: EngineName | undefined): Height | undefined {
  const state = checkLastVersion(database, sha256);
  if (state && engine) requireEngine(state, engine, home);
  // The blocks of another engine are in its own folder.
  if (state && state.engine !== "") return BigInt(state.version);
  const block = new BlockStore(database).latest();
  const [height, version] = [block?.header.height ?? 0n, BigInt(state?.version ?? 0)];
  const isOne = height === version && (!state || !block || equalBytes(block.appHash, state.appHash));
  if (isOne) return block?.header.height;
  throw new UpgradeError(
    "UPG_STORE_CORRUPT",
    `the last block is ${height} and the last version of the state ${version}, or they have different app hashes: ` +
      `see the extent with ${homeCommand("verify", home)}, and restore the data folder from a copy`,
  );
}

/**
 * A home belongs to the engine that decided its blocks. The other one would decide the next height again, and sign it with
 * the same key.
 */
export function requireEngine({ version, time, engine: mark }: CommitState, engine: EngineName, home: string): void {
  if (mark === engineMark(engine)) return;
  const other = mark === "" ? "the embedded engine" : visible(mark);
  const how = mark === "" ? "--engine embedded" : `--engine ${visible(mark)}`;
  // A snapshot brings no time of its block.
  const decided = time ? `was decided by ${other}` : `was decided by ${other}, or restored from a snapshot for it`;
  throw new UpgradeError(
    "UPG_INVALID_CONFIG",
    `block ${version} of this home ${decided}: start it with ${homeCommand(`start ${how}`, home)}. Nothing was signed. A chain ` +
      `changes its engine by an export and a new genesis (${homeCommand("export", home)})`,
  );
}
