/**
 * Finds transactions and blocks again, in the same database as the blocks:
 *   b t hash                      height, place
 *   b k digest height place      nothing; the digest is of an event's `type.key` and value
 *   b n height count             nothing; blocks that hold transactions, and how many
 * A block's own events have the last place. A digest only narrows a search: every hit is compared with the events.
 */
import { concatBytes, prefixEnd, utf8 } from "../../bytes.js";
import type { ChainEvent } from "../../chain/context.js";
import { type EventCondition, eventValues } from "../../event-query.js";
import type { Batch, Database } from "../../store/disk/database.js";
import { BLOCKS_PREFIX } from "../../store/disk/keys.js";
import type { Height, Sha256 } from "../../types.js";
import type { BlockResults } from "./block-results.js";

export interface TxPlace {
  readonly height: Height;
  readonly index: number;
}

/** Heights from one end to the other, both counted. */
export interface HeightRange {
  readonly low: Height;
  readonly high: Height;
}

const letter = (text: string) => text.charCodeAt(0);
const BY_HASH = Uint8Array.of(BLOCKS_PREFIX, letter("t"));
const BY_EVENT = Uint8Array.of(BLOCKS_PREFIX, letter("k"));
const WITH_TXS = Uint8Array.of(BLOCKS_PREFIX, letter("n"));
const DIGEST_BYTES = 16;
/** The place of a block's own events. */
export const BLOCK_PLACE = 0xffff_ffff;
const KEYS_AT_ONCE = 512;
const NOTHING = Uint8Array.of(0);

/** The first part of keys that end with a place: the height alone sorts before all its places. */
function heightBytes(height: Height): Uint8Array {
  const bytes = new Uint8Array(8);
  new DataView(bytes.buffer).setBigUint64(0, height);
  return bytes;
}

function placeBytes(height: Height, index: number): Uint8Array {
  const bytes = new Uint8Array(12);
  const view = new DataView(bytes.buffer);
  view.setBigUint64(0, height);
  view.setUint32(8, index);
  return bytes;
}

function readPlace(bytes: Uint8Array): TxPlace {
  const view = new DataView(bytes.buffer, bytes.byteOffset);
  return { height: view.getBigUint64(0), index: view.getUint32(8) };
}

export class TxIndex {
  constructor(
    private readonly database: Database,
    private readonly sha256: Sha256,
  ) {}

  put(
    batch: Pick<Batch, "put">,
    height: Height,
    txHashes: readonly Uint8Array[],
    { txResults, events }: BlockResults,
  ): void {
    txHashes.forEach((hash, index) => {
      batch.put(concatBytes(BY_HASH, hash), placeBytes(height, index));
      this.#putEvents(batch, txResults[index]?.events ?? [], { height, index });
    });
    if (txHashes.length > 0) batch.put(concatBytes(WITH_TXS, placeBytes(height, txHashes.length)), NOTHING);
    this.#putEvents(batch, events, { height, index: BLOCK_PLACE });
  }

  find(hash: Uint8Array): TxPlace | undefined {
    const bytes = hash.length === 32 ? this.database.get(concatBytes(BY_HASH, hash)) : undefined;
    return bytes && readPlace(bytes);
  }

  /** Places of the transactions and blocks with this value, from the end that is asked for. */
  *places({ key, value }: EventCondition, range: HeightRange, isDescending: boolean): Generator<TxPlace> {
    const prefix = concatBytes(BY_EVENT, this.#digest(key, value));
    for (const each of this.#keys(prefix, range, isDescending)) yield readPlace(each.subarray(prefix.length));
  }

  /** How many places have this value: exactly below `limit`, which says "as many or more". */
  placesUpTo({ key, value }: EventCondition, range: HeightRange, limit: number): number {
    return this.database.keys({ ...bounds(concatBytes(BY_EVENT, this.#digest(key, value)), range), limit }).length;
  }

  /** Has the transaction or block at this place this value? */
  has({ key, value }: EventCondition, { height, index }: TxPlace): boolean {
    const entry = concatBytes(BY_EVENT, this.#digest(key, value), placeBytes(height, index));
    return this.database.get(entry) !== undefined;
  }

  /** Places of all transactions, from the end that is asked for. */
  *allTxs(range: HeightRange, isDescending: boolean): Generator<TxPlace> {
    for (const each of this.#keys(WITH_TXS, range, isDescending)) {
      const { height, index: count } = readPlace(each.subarray(WITH_TXS.length));
      for (let at = 0; at < count; at++) yield { height, index: isDescending ? count - 1 - at : at };
    }
  }

  *#keys(prefix: Uint8Array, range: HeightRange, reverse: boolean): Generator<Uint8Array> {
    let { start, end } = bounds(prefix, range);
    for (;;) {
      const keys = this.database.keys({ start, end, reverse, limit: KEYS_AT_ONCE });
      yield* keys;
      const last = keys.at(-1);
      if (keys.length < KEYS_AT_ONCE || !last) return;
      if (reverse) end = last;
      else start = concatBytes(last, Uint8Array.of(0));
    }
  }

  #putEvents(batch: Pick<Batch, "put">, events: readonly ChainEvent[], place: TxPlace): void {
    for (const [key, values] of eventValues(events)) {
      for (const value of new Set(values)) {
        const digest = this.#digest(key, value);
        batch.put(concatBytes(BY_EVENT, digest, placeBytes(place.height, place.index)), NOTHING);
      }
    }
  }

  #digest(key: string, value: string): Uint8Array {
    return this.sha256(concatBytes(utf8(key), Uint8Array.of(0), utf8(value))).slice(0, DIGEST_BYTES);
  }
}

function bounds(prefix: Uint8Array, { low, high }: HeightRange): { start: Uint8Array; end: Uint8Array } {
  return {
    start: concatBytes(prefix, heightBytes(low)),
    end: prefixEnd(concatBytes(prefix, heightBytes(high))) as Uint8Array,
  };
}
