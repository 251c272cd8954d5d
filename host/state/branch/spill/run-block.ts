/**
 * A block of a run: what is read from a spill file at once.
 *
 *   block   records, u32 offset of each record, u32 count, u32 checksum of all before
 *   record  u32 klen (with FAR_FLAG: the value is in the value log), u32 vlen (DELETED: a deletion), key, value or far
 *   far     u32 segment, u48 byte, u32 checksum
 */
import { compareRanges } from "../../../base/text/bytes.js";
import { FRAME_HEADER_BYTES } from "../../../base/types/limits.js";
import { readU32, writeU32 } from "../../../base/wire/u32.js";
import type { KeyFilter } from "../kv/key-filter.js";

export const FAR_FLAG = 0x8000_0000;
export const FAR_BYTES = 14;
/** A longer value has its place in the value log, and a record leads there. */
export const NEAR_VALUE_BYTES_MAX = 4_096;

const WORD_BYTES = 4;
/** Count and checksum. */
export const BLOCK_TAIL_BYTES = 2 * WORD_BYTES;

/** Where a value is in the value log. */
export interface FarPlace {
  readonly segment: number;
  readonly at: number;
  readonly checksum: number;
}

export function readFar(bytes: Uint8Array, at: number): FarPlace {
  const low = readU32(bytes, at + 4);
  const high = (bytes[at + 8] as number) | ((bytes[at + 9] as number) << 8);
  return { segment: readU32(bytes, at), at: low + high * 2 ** 32, checksum: readU32(bytes, at + 10) };
}

export function writeFar(bytes: Uint8Array, to: number, { segment, at, checksum }: FarPlace): void {
  writeU32(bytes, to, segment);
  writeU32(bytes, to + 4, at % 2 ** 32);
  const high = Math.floor(at / 2 ** 32);
  bytes[to + 8] = high;
  bytes[to + 9] = high >>> 8;
  writeU32(bytes, to + 10, checksum);
}

export class RunBlock {
  readonly count: number;
  readonly #offsetsAt: number;

  constructor(readonly bytes: Uint8Array) {
    this.count = readU32(bytes, bytes.length - BLOCK_TAIL_BYTES);
    this.#offsetsAt = bytes.length - BLOCK_TAIL_BYTES - WORD_BYTES * this.count;
  }

  /** Where a record begins. */
  at(index: number): number {
    return readU32(this.bytes, this.#offsetsAt + WORD_BYTES * index);
  }

  keyLen(record: number): number {
    return (readU32(this.bytes, record) & ~FAR_FLAG) >>> 0;
  }

  /** Index of the first record whose key is not before the given one. */
  seek(bytes: Uint8Array, at: number, len: number): number {
    let low = 0;
    let high = this.count;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.compare(middle, bytes, at, len) > 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  addKeysTo(filter: KeyFilter): void {
    for (let index = 0; index < this.count; index++) {
      const record = this.at(index);
      filter.add(this.bytes, record + FRAME_HEADER_BYTES, this.keyLen(record));
    }
  }

  /** Order of a key relative to a record's key. */
  compare(index: number, bytes: Uint8Array, at: number, len: number): number {
    const record = this.at(index);
    return compareRanges(bytes, at, len, this.bytes, record + FRAME_HEADER_BYTES, this.keyLen(record));
  }
}
