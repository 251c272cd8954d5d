/** Takes back a home's last block. */
import { toUpperHex } from "../../bytes.js";
import { BlockStore } from "../../engine/blocks/block-store.js";
import { TxIndex } from "../../engine/blocks/tx-index.js";
import { withDatabase } from "../../engine/home/home-database.js";
import { LastSigned } from "../../engine/home/last-signed.js";
import { sha256 } from "../../native/sha256.js";
import { rollbackLastVersion } from "../../store/versions/rollback.js";

export interface RolledBackBlock {
  /** Height of the last block now. */
  readonly height: string;
  readonly removed: string;
  /** Upper-case hex. */
  readonly app_hash: string;
}

/** @throws UpgradeError UPG_STORE_LOCKED, UPG_NOT_FOUND_VERSION; nothing is written then */
export function rollback(path: string): RolledBackBlock {
  return withDatabase(path, (database, home) => {
    const blocks = new BlockStore(database);
    const index = new TxIndex(database, sha256);
    const { from, to, appHash } = rollbackLastVersion(database, (batch, height) => {
      // What putting the block's entries writes is what taking them back removes.
      const entries = { put: (key: Uint8Array) => batch.remove(key) };
      index.put(entries, height, blocks.block(height).txs.map(sha256), blocks.results(height));
      blocks.remove(batch, height);
    });
    new LastSigned(home.lastSignedFile).rollBackTo(to);
    return { height: String(to), removed: String(from), app_hash: toUpperHex(appHash) };
  });
}
