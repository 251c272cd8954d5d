/** Checks the event index: each block has every entry that its events make, and no entry is of no block. */

import { UpgradeError } from "../../base/errors/errors.js";
import { compareBytes, toHex } from "../../base/text/bytes.js";
import type { Height } from "../../base/types/types.js";
import type { Database } from "../../state/store/disk/database.js";
import { bucketOf, type PostingRuns, type Run } from "./posting-runs.js";
import { EntryCursor, type IndexedResults, type Posting } from "./postings.js";
import { TxIndex, withTxsKey } from "./tx-index.js";

export class IndexAudit {
  /** Places of values, over all blocks. */
  entries = 0;
  /** Records of the database that they are in. */
  records = 0;
  readonly #index: TxIndex;
  readonly #events: RunsAudit;
  readonly #hashes: RunsAudit;

  /** `lowest`: what runs have of blocks below it was pruned with them, and is not compared. */
  constructor(
    private readonly database: Database,
    sha256: (bytes: Uint8Array) => Uint8Array,
    lowest: Height,
  ) {
    this.#index = new TxIndex(database, sha256);
    this.#events = new RunsAudit(this.#index.events, lowest);
    this.#hashes = new RunsAudit(this.#index.hashes, lowest);
  }

  /** @throws UpgradeError UPG_STORE_CORRUPT, UPG_STORE_VERSION_MISMATCH */
  block(height: Height, txHashes: readonly Uint8Array[], results: IndexedResults): void {
    const settings = this.#index.history.at(height);
    const isIndexed = settings.indexer === "kv";
    this.entries += this.#events.block(height, isIndexed ? this.#index.eventPostings(results, settings) : []);
    this.entries += this.#hashes.block(height, isIndexed ? this.#index.hashPostings(txHashes) : []);
    if (txHashes.length > 0 && isIndexed) this.#has(height, withTxsKey(height, txHashes.length));
  }

  /** After the last block. @throws UpgradeError UPG_STORE_CORRUPT */
  end(): void {
    this.records += this.#events.end() + this.#hashes.end() + this.#index.history.count();
  }

  #has(height: Height, key: Uint8Array): void {
    if (this.database.get(key) === undefined) {
      throw damaged(`block ${height}: the index lacks the entry ${toHex(key)}`);
    }
    this.entries++;
    this.records++;
  }
}

/** Goes through runs as blocks go up. */
class RunsAudit {
  readonly #runs: Iterator<Run>;
  #records = 0;
  #run: Run | undefined;
  /** What is left of the run: places by digest, by height. */
  #left = new Map<Height, Map<string, Uint8Array>>();

  constructor(
    private readonly runs: PostingRuns,
    private readonly lowest: Height,
  ) {
    this.#runs = runs.all();
    this.#advance();
  }

  /** Returns how many entries it has. */
  block(height: Height, postings: readonly Posting[]): number {
    while (this.#run && this.#run.high < height) this.#advance();
    const found = this.#left.get(height) ?? new Map<string, Uint8Array>();
    this.#left.delete(height);
    for (const { digest, places } of postings) {
      const stored = found.get(toHex(digest));
      if (!stored) throw damaged(`block ${height}: the index lacks the entry ${toHex(digest)}`);
      if (compareBytes(stored, places) !== 0)
        throw damaged(`block ${height}: the entry ${toHex(digest)} has other places`);
    }
    if (found.size === postings.length) return found.size;
    throw damaged(`block ${height}: the index has ${found.size} entries where its events make ${postings.length}`);
  }

  /** Returns how many records all runs have. */
  end(): number {
    while (this.#run) this.#advance();
    return this.#records;
  }

  #advance(): void {
    for (const height of this.#left.keys()) {
      if (height >= this.lowest) throw damaged(`the index has entries of height ${height}, where no block has any`);
    }
    this.#left = new Map();
    const before = this.#run;
    this.#run = this.#runs.next().value as Run | undefined;
    const run = this.#run;
    if (!run) return;
    if (run.low > run.high || (before && run.low <= before.high)) throw damaged(`${nameOf(run)} overlaps another`);
    this.#read(run);
  }

  #read(run: Run): void {
    const { parts } = this.runs.read(run);
    this.#records += parts.length + (run.bits === 0 ? 0 : 1);
    let entries = 0;
    let before: { readonly digest: Uint8Array; readonly heightOffset: number } | undefined;
    for (const { bucket, bytes } of parts) {
      const cursor = new EntryCursor(bytes, this.runs.layout.digestBytes);
      while (cursor.next()) {
        const { digest, heightOffset } = cursor;
        const order = before ? compareBytes(before.digest, digest) || before.heightOffset - heightOffset : -1;
        if (order >= 0 || bucketOf(digest, run.bits) !== bucket)
          throw damaged(`${nameOf(run)} has entries out of order`);
        before = { digest, heightOffset };
        entries++;
        this.#keep(run, cursor);
      }
    }
    const heights = [...this.#left.keys()];
    const isWhole = heights.includes(run.low) && heights.includes(run.high);
    if (entries !== run.entries || !isWhole) throw damaged(`${nameOf(run)} has ${entries} of ${run.entries} entries`);
  }

  #keep(run: Run, { heightOffset, digest, places }: EntryCursor): void {
    const height = run.low + BigInt(heightOffset);
    if (height > run.high) throw damaged(`${nameOf(run)} has entries of height ${height}`);
    const block = this.#left.get(height) ?? new Map<string, Uint8Array>();
    this.#left.set(height, block);
    block.set(toHex(digest), places);
  }
}

const nameOf = ({ low, high }: Run): string => `the run of the index for heights ${low} to ${high}`;

function damaged(what: string): UpgradeError {
  return new UpgradeError("UPG_STORE_CORRUPT", what);
}
