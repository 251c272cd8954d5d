/** Takes a home back to before its chain's first block: state, blocks and logs go; keys and what they have signed stay. */
import { existsSync, readdirSync, rmSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { UpgradeError } from "../../base/errors/errors.js";
import { diskFailure } from "../../base/files/disk-errors.js";
import { LastSigned } from "../../node/blocks/last-signed.js";
import { cometFiles } from "../../node/comet/comet-files.js";
import { databaseHolder } from "../../node/comet/engine/database-holder.js";
import { requireHome } from "../../node/home/begun-genesis.js";
import { Home } from "../../node/home/home.js";
import { HomeLock } from "../../node/home/home-lock.js";

export interface ResetFlags {
  /** The addresses of peers that CometBFT has learned stay too. */
  readonly keepAddrBook: boolean;
}

/** What was done, as it is printed. */
export interface Reset {
  readonly removed: readonly string[];
  readonly kept: readonly string[];
  /** The key signs nothing up to this height. */
  readonly signed_height: string;
}

/** The transactions of a block that was signed are part of the record. */
const RECORD_FILES = ["priv_validator_state.json", "last_signed_txs.json"];
/** What CometBFT keeps in its folder of databases. */
const IS_OF_COMET = /^(?:[a-z_]+\.db|cs\.wal)$/;

/**
 * The record of signatures stays, where CometBFT's own command sets it back: nothing else keeps a key from signing a height twice.
 * @throws UpgradeError UPG_INVALID_CONFIG, UPG_STORE_LOCKED while a node or CometBFT runs, UPG_STORE_IO
 */
export function resetAll(path: string, { keepAddrBook }: ResetFlags): Reset {
  const home = new Home(resolve(path));
  requireHome(home);
  const { databases, lastSigned, validatorKey } = cometFiles(home);
  const lock = HomeLock.acquire(home.lockFile, home.databaseFile);
  try {
    const holder = databaseHolder(databases);
    if (holder !== undefined) {
      throw new UpgradeError(
        "UPG_STORE_LOCKED",
        `process ${holder} has the database in ${databases} open: stop it first`,
      );
    }
    // Before anything is removed: a record that cannot be read must not be taken for one of nothing.
    const { height } = new LastSigned(lastSigned);
    const kept = new Set([...RECORD_FILES, basename(lastSigned), basename(home.lockFile)]);
    const addresses = join(home.configFolder, "addrbook.json");
    const removed = [
      ...entriesOf(home.dataFolder).filter((file) => !kept.has(basename(file))),
      ...(databases === home.dataFolder ? [] : entriesOf(databases).filter((file) => IS_OF_COMET.test(basename(file)))),
      ...(!keepAddrBook && existsSync(addresses) ? [addresses] : []),
    ];
    for (const file of removed) remove(file);
    return { removed, kept: [validatorKey, lastSigned].filter(existsSync), signed_height: String(height) };
  } finally {
    lock.release();
  }
}

function entriesOf(folder: string): string[] {
  if (!existsSync(folder)) return [];
  try {
    return readdirSync(folder).map((name) => join(folder, name));
  } catch (cause) {
    throw diskFailure("read", `cannot read ${folder}`, folder, cause);
  }
}

function remove(file: string): void {
  try {
    rmSync(file, { recursive: true, force: true });
  } catch (cause) {
    throw diskFailure("write", `cannot remove ${file}`, file, cause);
  }
}
