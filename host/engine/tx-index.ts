/**
 * Finds transactions and blocks again, in the same database as the blocks:
 *   b t hash                      height, place
 *   b k digest height place      nothing; the digest is of an event's `type.key` and value
 * A block's own events have the last place. A digest only narrows the search: every hit is compared with the events.
 */
import { setImmediate } from "node:timers/promises";
import { concatBytes, fromHex, prefixEnd, utf8 } from "../bytes.js";
import type { ChainEvent } from "../chain/context.js";
import { type EventCondition, eventValues, matchesAll } from "../event-query.js";
import type { Batch, Database } from "../store/database.js";
import { BLOCKS_PREFIX } from "../store/keys.js";
import type { Height, Sha256 } from "../types.js";
import type { BlockResults } from "./block-results.js";

export interface TxPlace {
  readonly height: Height;
  readonly index: number;
}

const letter = (text: string) => text.charCodeAt(0);
const BY_HASH = Uint8Array.of(BLOCKS_PREFIX, letter("t"));
const BY_EVENT = Uint8Array.of(BLOCKS_PREFIX, letter("k"));
const DIGEST_BYTES = 16;
/** The place of a block's own events. */
const BLOCK_PLACE = 0xffff_ffff;
const KEYS_AT_ONCE = 512;
const NOTHING = Uint8Array.of(0);

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

/** What a search looks through. */
export interface Searched {
  /** Lowest and last height with blocks; undefined: there are none. */
  heights(): { readonly lowest: Height; readonly last: Height } | undefined;
  /** Undefined when the block was pruned. */
  results(height: Height): BlockResults | undefined;
  /** Upper-case hex. */
  txHash(place: TxPlace): string;
}

export class TxIndex {
  constructor(
    private readonly database: Database,
    private readonly sha256: Sha256,
    private readonly searched: Searched,
  ) {}

  put(batch: Batch, height: Height, txHashes: readonly Uint8Array[], { txResults, events }: BlockResults): void {
    txHashes.forEach((hash, index) => {
      batch.put(concatBytes(BY_HASH, hash), placeBytes(height, index));
      this.#putEvents(batch, txResults[index]?.events ?? [], { height, index });
    });
    this.#putEvents(batch, events, { height, index: BLOCK_PLACE });
  }

  find(hash: Uint8Array): TxPlace | undefined {
    const bytes = hash.length === 32 ? this.database.get(concatBytes(BY_HASH, hash)) : undefined;
    return bytes && readPlace(bytes);
  }

  /** Ascending; at most `limit`. */
  async searchTxs(conditions: readonly EventCondition[], limit: number): Promise<TxPlace[]> {
    const found: TxPlace[] = [];
    let seen = 0;
    for (const place of this.#txCandidates(conditions)) {
      if (++seen % KEYS_AT_ONCE === 0) await setImmediate();
      const result = this.searched.results(place.height)?.txResults[place.index];
      if (!result) continue;
      const values = eventValues(result.events);
      values.set("tx.height", [String(place.height)]);
      values.set("tx.hash", [this.searched.txHash(place)]);
      if (matchesAll(conditions, values) && found.push(place) >= limit) break;
    }
    return found;
  }

  async searchBlocks(conditions: readonly EventCondition[], limit: number): Promise<Height[]> {
    const found: Height[] = [];
    let seen = 0;
    for (const { height } of this.#blockCandidates(conditions)) {
      if (++seen % KEYS_AT_ONCE === 0) await setImmediate();
      const results = this.searched.results(height);
      if (!results) continue;
      const values = eventValues(results.events);
      values.set("block.height", [String(height)]);
      if (matchesAll(conditions, values) && found.push(height) >= limit) break;
    }
    return found;
  }

  #putEvents(batch: Batch, events: readonly ChainEvent[], place: TxPlace): void {
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

  *#txCandidates(conditions: readonly EventCondition[]): Generator<TxPlace> {
    const hash = conditions.find(({ key, operator }) => key === "tx.hash" && operator === "=")?.value;
    if (hash !== undefined) {
      const place = /^[0-9a-fA-F]{64}$/.test(hash) ? this.find(fromHex(hash)) : undefined;
      if (place) yield place;
      return;
    }
    const driver = conditions.find(({ key, operator }) => operator === "=" && key !== "tx.height");
    if (driver) {
      for (const place of this.#indexed(driver)) if (place.index !== BLOCK_PLACE) yield place;
      return;
    }
    for (const height of this.#heightsFor(conditions, "tx.height")) {
      const count = this.searched.results(height)?.txResults.length ?? 0;
      for (let index = 0; index < count; index++) yield { height, index };
    }
  }

  *#blockCandidates(conditions: readonly EventCondition[]): Generator<TxPlace> {
    const driver = conditions.find(({ key, operator }) => operator === "=" && key !== "block.height");
    if (driver) {
      for (const place of this.#indexed(driver)) if (place.index === BLOCK_PLACE) yield place;
      return;
    }
    for (const height of this.#heightsFor(conditions, "block.height")) yield { height, index: BLOCK_PLACE };
  }

  *#indexed({ key, value }: EventCondition): Generator<TxPlace> {
    const prefix = concatBytes(BY_EVENT, this.#digest(key, value));
    const end = prefixEnd(prefix) as Uint8Array;
    for (let start = prefix; ; ) {
      const keys = this.database.keys({ start, end, limit: KEYS_AT_ONCE });
      for (const each of keys) yield readPlace(each.subarray(prefix.length));
      const last = keys.at(-1);
      if (keys.length < KEYS_AT_ONCE || !last) return;
      start = concatBytes(last, Uint8Array.of(0));
    }
  }

  /** The heights that the conditions leave open. */
  *#heightsFor(conditions: readonly EventCondition[], name: string): Generator<Height> {
    const range = this.searched.heights();
    if (!range) return;
    let { lowest, last } = range;
    for (const { key, operator, value } of conditions) {
      if (key !== name || !/^[0-9]{1,19}$/.test(value)) continue;
      const height = BigInt(value);
      const isLower = operator === "=" || operator === ">=" || operator === ">";
      const isUpper = operator === "=" || operator === "<=" || operator === "<";
      if (isLower && height > lowest) lowest = height;
      if (isUpper && height < last) last = height;
    }
    for (let height = lowest; height <= last; height++) yield height;
  }
}
