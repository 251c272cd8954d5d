/**
 * Where values are found, as bytes: entries in the order of their digests, and for one digest in that of heights.
 *   entry    digest, varint height − low, varint bytes of the places, places
 *   places   varints: the first, then each one's distance from the one before; 0: the block's own events, n: transaction n − 1
 */

import { UpgradeError } from "../../base/errors/errors.js";
import { compareRanges, concatBytes, toHex } from "../../base/text/bytes.js";
import type { Height } from "../../base/types/types.js";

export interface TxPlace {
  readonly height: Height;
  readonly index: number;
}

/** Heights from one end to the other, both counted. */
export interface HeightRange {
  readonly low: Height;
  readonly high: Height;
}

/** The index of what is of a block and of none of its transactions: it comes after all of them. */
export const BLOCK_PLACE = 0xffff_ffff;

export interface IndexedEvent {
  readonly type: string;
  readonly attributes: readonly { readonly key: string; readonly value: string }[];
}

/** What of a block's results is indexed. */
export interface IndexedResults {
  readonly txResults: readonly { readonly events: readonly IndexedEvent[] }[];
  /** Of the block and of none of its transactions. */
  readonly events: readonly IndexedEvent[];
}

/** One block's places of one value. */
export interface Posting {
  readonly digest: Uint8Array;
  /** Encoded places. */
  readonly places: Uint8Array;
}

/** Gathers what a block's transactions and hooks have. */
export class PostingList {
  readonly #codes = new Map<string, { readonly digest: Uint8Array; readonly codes: number[] }>();

  /** The block's own before its transactions, these in their order. */
  add(digest: Uint8Array, index: number): void {
    const name = toHex(digest);
    const code = index === BLOCK_PLACE ? 0 : index + 1;
    const known = this.#codes.get(name);
    if (!known) this.#codes.set(name, { digest, codes: [code] });
    else if (known.codes.at(-1) !== code) known.codes.push(code);
  }

  /** By digest. */
  sorted(): Posting[] {
    const names = [...this.#codes.keys()].sort();
    return names.map((name) => {
      const { digest, codes } = this.#codes.get(name) as { digest: Uint8Array; codes: number[] };
      const out = new EntryWriter();
      for (const [at, code] of codes.entries()) out.varint(code - (codes[at - 1] ?? 0));
      return { digest, places: out.taken() };
    });
  }
}

/** Bytes that grow. */
export class EntryWriter {
  #bytes: Uint8Array = new Uint8Array(256);
  length = 0;

  varint(value: number): void {
    this.#reserve(8);
    let rest = value;
    for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) this.#bytes[this.length++] = (rest % 0x80) | 0x80;
    this.#bytes[this.length++] = rest;
  }

  entry(digest: Uint8Array, heightOffset: number, places: Uint8Array): void {
    this.#raw(digest);
    this.varint(heightOffset);
    this.varint(places.length);
    this.#raw(places);
  }

  /** What was written; the writer is empty then. */
  taken(): Uint8Array {
    const bytes = this.#bytes.slice(0, this.length);
    this.length = 0;
    return bytes;
  }

  #raw(bytes: Uint8Array): void {
    this.#reserve(bytes.length);
    this.#bytes.set(bytes, this.length);
    this.length += bytes.length;
  }

  #reserve(more: number): void {
    if (this.length + more <= this.#bytes.length) return;
    this.#bytes = concatBytes(this.#bytes, new Uint8Array(Math.max(more, this.#bytes.length)));
  }
}

/** Goes through entries, one after the other. */
export class EntryCursor {
  #at = 0;
  #digestAt = 0;
  #placesAt = 0;
  /** From the run's lowest height. */
  heightOffset = 0;

  constructor(
    private readonly bytes: Uint8Array,
    private readonly digestBytes: number,
  ) {}

  /** False at the end. @throws UpgradeError UPG_STORE_CORRUPT */
  next(): boolean {
    if (this.#at >= this.bytes.length) return false;
    this.#digestAt = this.#at;
    this.#at += this.digestBytes;
    this.heightOffset = this.#varint();
    const length = this.#varint();
    this.#placesAt = this.#at;
    this.#at += length;
    if (this.#at > this.bytes.length) throw cut();
    return true;
  }

  get digest(): Uint8Array {
    return this.bytes.subarray(this.#digestAt, this.#digestAt + this.digestBytes);
  }

  get places(): Uint8Array {
    return this.bytes.subarray(this.#placesAt, this.#at);
  }

  /** Order of this entry's digest and another. */
  compare(digest: Uint8Array): number {
    return compareRanges(this.bytes, this.#digestAt, this.digestBytes, digest, 0, digest.length);
  }

  #varint(): number {
    let value = 0;
    for (let scale = 1; ; scale *= 0x80) {
      const byte = this.bytes[this.#at++];
      if (byte === undefined || scale > Number.MAX_SAFE_INTEGER) throw cut();
      value += (byte & 0x7f) * scale;
      if (byte < 0x80) return value;
    }
  }
}

/** Transactions ascending, then the block's own. @throws UpgradeError UPG_STORE_CORRUPT */
function indexesOf(places: Uint8Array): number[] {
  const indexes: number[] = [];
  let code = 0;
  let hasOwn = false;
  for (let at = 0; at < places.length; ) {
    let distance = 0;
    for (let scale = 1; ; scale *= 0x80) {
      const byte = places[at++];
      if (byte === undefined) throw cut();
      distance += (byte & 0x7f) * scale;
      if (byte < 0x80) break;
    }
    code += distance;
    if (code === 0) hasOwn = true;
    else indexes.push(code - 1);
  }
  if (hasOwn) indexes.push(BLOCK_PLACE);
  return indexes;
}

/** What one run's entries have for a digest, ascending. */
export function placesIn(bytes: Uint8Array, digest: Uint8Array, low: Height): TxPlace[] {
  const cursor = new EntryCursor(bytes, digest.length);
  const places: TxPlace[] = [];
  while (cursor.next()) {
    const order = cursor.compare(digest);
    if (order > 0) break;
    if (order < 0) continue;
    const height = low + BigInt(cursor.heightOffset);
    for (const index of indexesOf(cursor.places)) places.push({ height, index });
  }
  return places;
}

function cut(): UpgradeError {
  return new UpgradeError("UPG_STORE_CORRUPT", "an entry of the event index is cut short");
}
