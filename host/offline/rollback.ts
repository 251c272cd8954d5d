/** Takes back a home's last block. */
import { toUpperHex } from "../bytes.js";
import { BlockStore } from "../engine/blocks/block-store.js";
import { ValidatorStore } from "../engine/blocks/validator-store.js";
import { withDatabase } from "../engine/home/home-database.js";
import { LastSigned } from "../engine/home/last-signed.js";
import { UpgradeError } from "../errors.js";
import { TxIndex } from "../event-index/tx-index.js";
import { sha256 } from "../native/sha256.js";
import type { Database } from "../store/disk/database.js";
import { lastEngine, readCommit } from "../store/versions/commit-record.js";
import { type RolledBack, rollbackLastVersion } from "../store/versions/rollback.js";

export interface RolledBackBlock {
  /** Height of the last block now. */
  readonly height: string;
  readonly removed: string;
  /** Upper-case hex. */
  readonly app_hash: string;
}

/** @throws UpgradeError UPG_STORE_LOCKED, UPG_NOT_FOUND_VERSION, UPG_NOT_FOUND_BLOCK; nothing is written then */
export function rollback(path: string): RolledBackBlock {
  return withDatabase(path, (database, home) => {
    // CometBFT has the blocks, and a record of what its key signed: it gives the block again.
    if (lastEngine(database) !== "") return shown(rollbackLastVersion(database));
    const blocks = new BlockStore(database);
    const index = new TxIndex(database, sha256);
    requireBlockBefore(database, blocks);
    const back = rollbackLastVersion(database, (batch, height) => {
      index.removeLast(batch, height, blocks.block(height).txs.map(sha256), blocks.results(height));
      blocks.remove(batch, height);
      new ValidatorStore(database).remove(batch, height);
    });
    new LastSigned(home.lastSignedFile).rollBackTo(back.to);
    return shown(back);
  });
}

function shown({ from, to, appHash }: RolledBack): RolledBackBlock {
  return { height: String(to), removed: String(from), app_hash: toUpperHex(appHash) };
}

/** The next block names the one before it, so the chain cannot go on from a state whose block was pruned. */
function requireBlockBefore(database: Database, blocks: BlockStore): void {
  const last = blocks.highest();
  if (last === undefined || last !== blocks.lowest() || !readCommit(database, Number(last) - 1)) return;
  throw new UpgradeError(
    "UPG_NOT_FOUND_BLOCK",
    `block ${last - 1n} was pruned (min-retain-blocks), so the chain cannot go on from it: block ${last} cannot be taken ` +
      "back. Restore a copy of the data folder from before it",
  );
}
