/** Checks everything that a home's database holds, and the record of the last signature, while no node runs. Nothing is written, not even a lock file. */
import { existsSync } from "node:fs";
import { messageOf } from "../../base/errors/errors.js";
import { sha256 } from "../../base/native/sha256.js";
import { toUpperHex } from "../../base/text/bytes.js";
import type { PublicKey } from "../../chain/comet-types/keys.js";
import { auditBlocks, type BlocksAudit } from "../../node/blocks/audit-blocks.js";
import { LastSigned } from "../../node/blocks/last-signed.js";
import { readConsensusKey } from "../../node/home/consensus-key.js";
import type { Home } from "../../node/home/home.js";
import { withReader } from "../../node/open/home-database.js";
import type { Database } from "../../state/store/disk/database.js";
import { formatKey } from "../../state/store/disk/keys.js";
import type { LmdbFileDatabase } from "../../state/store/disk/lmdb-file-database.js";
import { walkLmdb } from "../../state/store/disk/lmdb-walk.js";
import { auditState } from "../../state/store/versions/audit.js";
import type { CommitState } from "../../state/store/versions/commit-record.js";

/** 64-bit integers are texts. */
export interface VerifiedHome {
  readonly ok: true;
  /** Height of the last block; "0": there is none. */
  readonly height: string;
  /** Upper-case hex. */
  readonly app_hash: string;
  readonly pages: string;
  readonly versions: string;
  readonly chunks: string;
  readonly nodes: string;
  readonly blocks: string;
  readonly txs: string;
  readonly index_entries: string;
  /** Commits whose signature was checked. */
  readonly commits: string;
}

/**
 * `say`: progress, a line now and then. `keys`: a home with the key, where the copy has none.
 * @throws UpgradeError UPG_STORE_CORRUPT naming the place, UPG_STORE_VERSION_MISMATCH, UPG_STORE_LOCKED, UPG_STORE_IO
 */
export function verifyHome(path: string, say: (line: string) => void, keys?: Home): VerifiedHome {
  return withReader(path, (database, home) => {
    const verified = verifyDatabase(database, keys ?? home, say);
    if (!keys) verifySigned(home, say);
    return verified;
  });
}

/** The record of what the consensus key signed last, where there is one. @throws UpgradeError UPG_STORE_CORRUPT */
function verifySigned({ lastSignedFile }: Home, say: (line: string) => void): void {
  if (!existsSync(lastSignedFile)) return;
  const record = new LastSigned(lastSignedFile);
  record.check();
  say(`signed ✓ the record of the last signature can be read: height ${record.height}`);
}

/** The same for a database that nobody writes to, with the keys of a home. @throws as `verifyHome` */
export function verifyDatabase(database: LmdbFileDatabase, home: Home, say: (line: string) => void): VerifiedHome {
  // An older format has no checksums, which is no damage.
  database.get(formatKey());
  const pages = database.file.meta.lastPage + 1;
  say(`pages: ${pages} in the file`);
  const onPages = (walked: number) => say(`pages: ${walked} pages of keys read`);
  walkLmdb(database.file, { longValues: true, onProgress: onPages });
  say("pages ✓ structure, free pages, checksums");
  const state = auditState(database, { sha256, onProgress: (nodes) => say(`state: ${nodes} tree nodes hashed`) });
  say(`state ✓ ${state.versions} versions, ${state.nodes} tree nodes`);
  const { last } = state;
  const blocks = last?.engine ? blocksElsewhere(say) : verifyBlocks(database, { home, last, say });
  return {
    ok: true,
    height: String(last?.version ?? 0),
    app_hash: toUpperHex(last?.appHash ?? new Uint8Array(0)),
    pages: String(pages),
    versions: String(state.versions),
    chunks: String(state.chunks),
    nodes: String(state.nodes),
    blocks: String(blocks.blocks),
    txs: String(blocks.txs),
    index_entries: String(blocks.entries),
    commits: String(blocks.commits),
  };
}

interface BlocksInput {
  readonly home: Home;
  readonly last: CommitState | undefined;
  readonly say: (line: string) => void;
}

function verifyBlocks(database: Database, { home, last, say }: BlocksInput): BlocksAudit {
  const key = ownKey(home, say);
  const onProgress = (count: number) => say(`blocks: ${count} checked`);
  const blocks = auditBlocks(database, { sha256, last, key, onProgress });
  say(`blocks ✓ ${blocks.blocks} blocks, ${blocks.txs} transactions, ${blocks.entries} index entries`);
  const unchecked = blocks.blocks - blocks.commits;
  const others = key === undefined || unchecked === 0n ? "" : `; ${unchecked} are of another key, and not checked`;
  if (key !== undefined) say(`commits ✓ ${blocks.commits} signatures of this home's key${others}`);
  return blocks;
}

function blocksElsewhere(say: (line: string) => void): BlocksAudit {
  say("blocks: CometBFT keeps them in its own database, which is not checked here");
  return { blocks: 0n, txs: 0n, entries: 0, commits: 0n };
}

/** Undefined where it is absent, as in a copy of the data folder alone, or may not be read. */
function ownKey({ validatorKeyFile }: Home, say: (line: string) => void): PublicKey | undefined {
  if (!existsSync(validatorKeyFile)) {
    say(
      "the signatures of commits are not checked: there is no validator key here, as in a copy that was made without keys",
    );
    return undefined;
  }
  try {
    return readConsensusKey(validatorKeyFile).publicKey;
  } catch (error) {
    const why = messageOf(error);
    say(`the signatures of commits are not checked: ${why}`);
    return undefined;
  }
}
