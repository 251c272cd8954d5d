/**
 * Checks the blocks of a database against themselves, each other and the state: hashes of headers, contents and results,
 * the chain of block ids and commits, the commits' signatures, and that the index has every entry that the blocks make and none besides.
 */

import { messageOf, UpgradeError } from "../../base/errors/errors.js";
import { equalBytes } from "../../base/text/bytes.js";
import type { Height, Sha256 } from "../../base/types/types.js";
import { blockIdOf, encodeBlock, validateBlock } from "../../chain/comet-types/block.js";
import type { BlockId } from "../../chain/comet-types/block-id.js";
import { commitHash } from "../../chain/comet-types/commit.js";
import { encodeHeader } from "../../chain/comet-types/header.js";
import type { PublicKey } from "../../chain/comet-types/keys.js";
import { resultsHash } from "../../chain/comet-types/results.js";
import type { Database } from "../../state/store/disk/database.js";
import { BLOCKS_PREFIX } from "../../state/store/disk/keys.js";
import { everyKey } from "../../state/store/versions/audit.js";
import { type CommitState, readCommit } from "../../state/store/versions/commit-record.js";
import { GENESIS_KEY } from "../home/genesis-record.js";
import { IndexAudit } from "../index/audit-index.js";
import { CommitAudit, SetAudit } from "./audit-commits.js";
import { BlockStore, type StoredBlock } from "./block-store.js";
import { ValidatorStore } from "./validator-store.js";

/** Records of a block besides those of the index: record, bytes, hash, results. */
const KEYS_PER_BLOCK = 4;
const PROGRESS_BLOCKS = 1_024;

export interface BlocksAudit {
  readonly blocks: bigint;
  readonly txs: bigint;
  /** Entries of the index. */
  readonly entries: number;
  /** Commits whose signature was checked: those of the key that was given. */
  readonly commits: bigint;
}

export interface BlocksAuditOptions {
  readonly sha256: Sha256;
  readonly last: CommitState | undefined;
  /** The home's own key; without, signatures are not checked. */
  readonly key?: PublicKey | undefined;
  /** Called now and then with the number of blocks checked so far. */
  readonly onProgress?: (blocks: number) => void;
}

/** @throws UpgradeError UPG_STORE_CORRUPT naming the height */
export function auditBlocks(database: Database, options: BlocksAuditOptions): BlocksAudit {
  const blocks = new BlockStore(database);
  const lowest = blocks.lowest();
  const last = blocks.latest();
  const lastHeight = last?.header.height;
  const version = options.last === undefined ? undefined : BigInt(options.last.version);
  if (lastHeight !== version) {
    throw damaged(`the last block is ${lastHeight ?? "absent"}, the last version of the state ${version ?? "absent"}`);
  }
  if (lowest === undefined || lastHeight === undefined) return { blocks: 0n, txs: 0n, entries: 0, commits: 0n };
  const audit = new BlockAudit(database, blocks, lowest, options);
  let before: StoredBlock | undefined;
  for (let height = lowest; height <= lastHeight; height++) {
    before = audit.block(height, before);
    if (audit.blocks % PROGRESS_BLOCKS === 0) options.onProgress?.(audit.blocks);
  }
  audit.checkCount();
  return {
    blocks: BigInt(audit.blocks),
    txs: BigInt(audit.txs),
    entries: audit.index.entries,
    commits: BigInt(audit.commits),
  };
}

class BlockAudit {
  readonly index: IndexAudit;
  blocks = 0;
  txs = 0;
  commits = 0;
  readonly #validators: ValidatorStore;
  readonly #sets: SetAudit;
  readonly #commits: CommitAudit | undefined;
  private readonly sha256: Sha256;

  constructor(
    private readonly database: Database,
    private readonly store: BlockStore,
    private readonly lowest: Height,
    { sha256, key }: BlocksAuditOptions,
  ) {
    this.sha256 = sha256;
    this.index = new IndexAudit(database, sha256, lowest);
    this.#validators = new ValidatorStore(database);
    this.#sets = new SetAudit(sha256, this.#validators);
    this.#commits = key && new CommitAudit(sha256, key, this.#sets);
  }

  /** Returns what was stored, for the check of the next one. */
  block(height: Height, before: StoredBlock | undefined): StoredBlock {
    const stored = decoded(height, "record", () => this.store.at(height));
    const block = decoded(height, "bytes", () => this.store.block(height));
    decoded(height, "contents", () => validateBlock(this.sha256, block));
    const id = blockIdOf(this.sha256, block, encodeBlock(block));
    const { header } = stored;
    require(height, header.height === height, "the record is of another height");
    require(height, equalBytes(
      encodeHeader(header),
      encodeHeader(block.header),
    ), "record and block differ in the header");
    require(height, sameId(stored.blockId, id), "the block has another hash than its record");
    require(height, stored.txCount === block.txs.length, "the record counts other transactions than the block");
    require(height, sameId(stored.commit.blockId, id), "the commit is for another block");
    require(height, this.store.heightOf(id.hash) === height, "the block is not found by its hash");
    const problem = decoded(height, "validator set", () => this.#sets.problem(header, before?.header));
    if (problem !== undefined) throw damaged(`block ${height}: ${problem}`);
    this.#signature(height, stored);
    this.#results(height, stored);
    this.#state(height, stored);
    if (before) this.#link(height, stored, before);
    this.index.block(height, block.txs.map(this.sha256), this.store.results(height));
    this.blocks++;
    this.txs += block.txs.length;
    return stored;
  }

  #signature(height: Height, stored: StoredBlock): void {
    if (!this.#commits?.isOurs(stored)) return;
    require(height, this.#commits.isSigned(stored), "the commit's signature is not that of this home's key");
    this.commits++;
  }

  #results(height: Height, stored: StoredBlock): void {
    const { txResults } = decoded(height, "results", () => this.store.results(height));
    require(height, txResults.length === stored.txCount, "there are not as many results as transactions");
    const hash = resultsHash(this.sha256, txResults);
    require(height, equalBytes(hash, stored.lastResultsHash), "the results have another hash than the record");
  }

  #state(height: Height, stored: StoredBlock): void {
    const state = readCommit(this.database, Number(height));
    if (state) require(height, equalBytes(state.appHash, stored.appHash), "the state has another app hash");
  }

  #link(height: Height, { header }: StoredBlock, before: StoredBlock): void {
    const { sha256 } = this;
    require(height, sameId(header.lastBlockId, before.blockId), "the header names another block before it");
    require(height, equalBytes(
      header.appHash,
      before.appHash,
    ), "the header has another app hash than the block before");
    require(height, equalBytes(header.lastResultsHash, before.lastResultsHash), "the header has another results hash");
    require(height, equalBytes(
      header.lastCommitHash,
      commitHash(sha256, before.commit),
    ), "the header has another commit");
  }

  /** Those of pruned blocks whose state is kept have nothing but a time. */
  checkCount(): void {
    this.index.end();
    let times = 0;
    for (const height of this.store.times(this.lowest)) {
      decoded(height, "time", () => this.store.timeOf(height));
      times++;
    }
    const [start, end] = [Uint8Array.of(BLOCKS_PREFIX), Uint8Array.of(BLOCKS_PREFIX + 1)];
    let found = 0;
    // What the chain began with is among the blocks and is of none.
    for (const key of everyKey(this.database, start, end)) if (!equalBytes(key, GENESIS_KEY)) found++;
    const expected = this.blocks * KEYS_PER_BLOCK + this.index.records + times + this.#validators.count();
    if (found !== expected) {
      throw damaged(
        `blocks, validator sets and index have ${found} records where the blocks make ${expected}: some are of no block`,
      );
    }
  }
}

function sameId(a: BlockId, b: BlockId): boolean {
  return equalBytes(a.hash, b.hash) && a.parts.total === b.parts.total && equalBytes(a.parts.hash, b.parts.hash);
}

function decoded<T>(height: Height, what: string, read: () => T): T {
  try {
    return read();
  } catch (cause) {
    const words = messageOf(cause);
    throw new UpgradeError("UPG_STORE_CORRUPT", `block ${height}: its ${what} cannot be read: ${words}`, { cause });
  }
}

function require(height: Height, condition: boolean, what: string): void {
  if (!condition) throw damaged(`block ${height}: ${what}`);
}

function damaged(what: string): UpgradeError {
  return new UpgradeError("UPG_STORE_CORRUPT", what);
}
