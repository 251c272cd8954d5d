/**
 * Finds transactions and blocks again, in the same database as the blocks:
 *   b p …, b q …        where values of events are, as runs (posting-runs.ts); the digest is of `type.key` and value
 *   b x …, b y …        where transactions are, by hash
 *   b n height count    nothing; blocks that hold transactions, and how many
 *   b v height          what is indexed from there on (index-settings.ts)
 * A digest only narrows a search: every hit is compared with the events, every transaction with its hash.
 */
import { bigEndian64, concatBytes, prefixEnd, toHex, utf8 } from "../../base/text/bytes.js";
import type { Height, Sha256 } from "../../base/types/types.js";
import { type EventCondition, eventValues } from "../../chain/events/event-query.js";
import type { Batch, Database } from "../../state/store/disk/database.js";
import { BLOCKS_PREFIX } from "../../state/store/disk/keys.js";
import { INDEX_ALL, IndexHistory, type IndexSettings } from "./index-settings.js";
import { PostingRuns } from "./posting-runs.js";
import {
  BLOCK_PLACE,
  type HeightRange,
  type IndexedEvent,
  type IndexedResults,
  type Posting,
  PostingList,
  type TxPlace,
} from "./postings.js";

const WITH_TXS = Uint8Array.of(BLOCKS_PREFIX, "n".charCodeAt(0));
const NOTHING = Uint8Array.of(0);
const KEYS_AT_ONCE = 512;
const HASH_BYTES = 32;
const EVENT_DIGEST_BYTES = 12;
const HASH_DIGEST_BYTES = 16;
/** Runs of other blocks that pruning removes at once. */
const RUNS_REMOVED_MAX = 8;
/** Runs that are looked at to see how often a value is found. */
const RUNS_ESTIMATED = 16;

/** What is looked up: `type.key`, and the text of a value. */
type IndexedValue = Pick<EventCondition, "key" | "value">;

const WITHIN_ALL: HeightRange = { low: 0n, high: 0x7fff_ffff_ffff_ffffn };

export class TxIndex {
  readonly events: PostingRuns;
  readonly hashes: PostingRuns;
  readonly history: IndexHistory;
  /** By digest: the run that was looked at last, and what it has. */
  readonly #around = new Map<string, HeightRange & { readonly places: ReadonlySet<string> }>();

  constructor(
    private readonly database: Database,
    private readonly sha256: Sha256,
    /** Of the blocks that are put. */
    private readonly settings: IndexSettings = INDEX_ALL,
  ) {
    this.events = new PostingRuns(database, { directory: "p", buckets: "q", digestBytes: EVENT_DIGEST_BYTES });
    this.hashes = new PostingRuns(database, { directory: "x", buckets: "y", digestBytes: HASH_DIGEST_BYTES });
    this.history = new IndexHistory(database);
  }

  put(batch: Batch, height: Height, txHashes: readonly Uint8Array[], results: IndexedResults): void {
    this.history.put(batch, height, this.settings);
    if (this.settings.indexer === "null") return;
    this.events.put(batch, height, this.eventPostings(results, this.settings));
    this.hashes.put(batch, height, this.hashPostings(txHashes));
    if (txHashes.length > 0) batch.put(withTxsKey(height, txHashes.length), NOTHING);
  }

  /** Takes the last block's entries out again. */
  removeLast(batch: Batch, height: Height, txCount: number): void {
    this.events.removeLast(batch, height);
    this.hashes.removeLast(batch, height);
    this.history.remove(batch, height);
    this.removeOld(batch, height, txCount);
  }

  /** Removes what blocks from `from` on and below `base` have, as far as one step goes. */
  removeBelow(batch: Batch, base: Height): void {
    this.events.removeBelow(batch, base, RUNS_REMOVED_MAX);
    this.hashes.removeBelow(batch, base, RUNS_REMOVED_MAX);
    this.history.removeBelow(batch, base);
  }

  /** Removes what is of this one block alone. */
  removeOld(batch: Batch, height: Height, txCount: number): void {
    if (txCount > 0) batch.remove(withTxsKey(height, txCount));
  }

  /** The transaction that may have this hash: compare them. */
  find(hash: Uint8Array): TxPlace | undefined {
    if (hash.length !== HASH_BYTES) return undefined;
    const digest = hash.slice(0, HASH_DIGEST_BYTES);
    for (const place of this.hashes.places(digest, WITHIN_ALL, true)) if (place) return place;
    return undefined;
  }

  /** Places of the transactions and blocks with this value, from the end that is asked for; undefined: it takes long. */
  *places({ key, value }: IndexedValue, range: HeightRange, isDescending: boolean): Generator<TxPlace | undefined> {
    yield* this.events.places(this.#digest(key, value), range, isDescending);
  }

  /** How many places have this value, about: of the newest runs, and no more than `limit`. */
  placesUpTo(condition: IndexedValue, range: HeightRange, limit: number): number {
    let [count, runs] = [0, 0];
    for (const place of this.places(condition, range, true)) {
      if (place ? ++count >= limit : ++runs >= RUNS_ESTIMATED) break;
    }
    return count;
  }

  /** Has the transaction or block at this place this value? */
  has({ key, value }: IndexedValue, place: TxPlace): boolean {
    const digest = this.#digest(key, value);
    const name = toHex(digest);
    let around = this.#around.get(name);
    if (!around || place.height < around.low || place.height > around.high) {
      const found = this.events.around(digest, place.height);
      around = found && { low: found.low, high: found.high, places: new Set(found.places.map(placeName)) };
      if (this.#around.size >= AROUND_MAX) this.#around.clear();
      if (around) this.#around.set(name, around);
    }
    return around?.places.has(placeName(place)) ?? false;
  }

  /** Places of all transactions, from the end that is asked for. */
  *allTxs(range: HeightRange, isDescending: boolean): Generator<TxPlace> {
    for (const key of withTxsKeys(this.database, range, isDescending)) {
      const view = new DataView(key.buffer, key.byteOffset + WITH_TXS.length);
      const [height, count] = [view.getBigUint64(0), view.getUint32(8)];
      for (let at = 0; at < count; at++) yield { height, index: isDescending ? count - 1 - at : at };
    }
  }

  /** What a block's events make. */
  eventPostings({ txResults, events }: IndexedResults, { events: only }: IndexSettings): Posting[] {
    const list = new PostingList();
    const isWanted = only.length === 0 ? () => true : (key: string) => only.includes(key);
    const add = (of: readonly IndexedEvent[], index: number) => {
      for (const [key, value] of namedValues(of)) {
        if (isWanted(key)) list.add(this.#digest(key, value), index);
      }
    };
    add(events, BLOCK_PLACE);
    for (const [index, { events: ofTx }] of txResults.entries()) add(ofTx, index);
    return list.sorted();
  }

  hashPostings(txHashes: readonly Uint8Array[]): Posting[] {
    const list = new PostingList();
    for (const [index, hash] of txHashes.entries()) list.add(hash.slice(0, HASH_DIGEST_BYTES), index);
    return list.sorted();
  }

  #digest(key: string, value: string): Uint8Array {
    return this.sha256(concatBytes(utf8(key), Uint8Array.of(0), utf8(value))).slice(0, EVENT_DIGEST_BYTES);
  }
}

const AROUND_MAX = 64;

export function withTxsKey(height: Height, count: number): Uint8Array {
  const countBytes = new Uint8Array(4);
  new DataView(countBytes.buffer).setUint32(0, count);
  return concatBytes(WITH_TXS, bigEndian64(height), countBytes);
}

/** The `withTxsKey` keys of the range, from the end that is asked for. */
function* withTxsKeys(database: Database, { low, high }: HeightRange, reverse: boolean): Generator<Uint8Array> {
  let start = concatBytes(WITH_TXS, bigEndian64(low));
  let end = prefixEnd(concatBytes(WITH_TXS, bigEndian64(high))) as Uint8Array;
  for (;;) {
    const keys = database.keys({ start, end, reverse, limit: KEYS_AT_ONCE });
    yield* keys;
    const last = keys.at(-1);
    if (keys.length < KEYS_AT_ONCE || !last) return;
    if (reverse) end = last;
    else start = concatBytes(last, Uint8Array.of(0));
  }
}

const placeName = ({ height, index }: TxPlace): string => `${height}:${index}`;

function* namedValues(events: readonly IndexedEvent[]): Generator<readonly [key: string, value: string]> {
  for (const [key, values] of eventValues(events)) for (const value of new Set(values)) yield [key, value];
}
