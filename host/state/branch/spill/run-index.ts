/**
 * Which block of a run may hold a key. Of each block memory has its place and a separator: the shortest beginning of its
 * first key that lies after the block before, cut to SEPARATOR_BYTES_MAX. So a block costs the same however long keys
 * are; where separators were cut and are alike, the run looks at the blocks themselves.
 */
import { compareRanges } from "../../../base/text/bytes.js";

const SEPARATOR_BYTES_MAX = 32;

const BLOCKS_AT_FIRST = 64;

export class RunIndex {
  count = 0;
  /** First byte after the last block. */
  end = 0;
  #offsets = new Float64Array(BLOCKS_AT_FIRST);
  /** First byte after each separator. */
  #ends = new Uint32Array(BLOCKS_AT_FIRST);
  #keys = new Uint8Array(BLOCKS_AT_FIRST * 8);

  /**
   * Adds a block that begins with a key and ends before byte `end`; `last` is the last key of the block before, `lastLen`
   * below 0 when there is none.
   */
  add(key: Uint8Array, keyAt: number, keyLen: number, last: Uint8Array, lastLen: number, end: number): void {
    if (this.count === this.#offsets.length) {
      this.#offsets = grown(this.#offsets, new Float64Array(2 * this.count));
      this.#ends = grown(this.#ends, new Uint32Array(2 * this.count));
    }
    let length = Math.min(keyLen, SEPARATOR_BYTES_MAX);
    for (let i = 0; i < length && lastLen >= 0; i++) {
      if (i >= lastLen || key[keyAt + i] !== last[i]) length = i + 1;
    }
    const from = this.#startOf(this.count);
    if (from + length > this.#keys.length) this.#keys = grown(this.#keys, new Uint8Array(2 * (from + length)));
    for (let i = 0; i < length; i++) this.#keys[from + i] = key[keyAt + i] as number;
    this.#offsets[this.count] = this.end;
    this.#ends[this.count] = from + length;
    this.count++;
    this.end = end;
  }

  /** Forgets the blocks from `count` on; the one before ends at byte `end`. */
  cut(count: number, end: number): void {
    this.count = count;
    this.end = end;
  }

  /** First byte of a block. */
  offset(block: number): number {
    return this.#offsets[block] as number;
  }

  /** Bytes of a block. */
  length(block: number): number {
    return (block + 1 < this.count ? (this.#offsets[block + 1] as number) : this.end) - this.offset(block);
  }

  /** Order of a key relative to a block's separator. */
  compare(block: number, bytes: Uint8Array, at: number, len: number): number {
    const from = this.#startOf(block);
    return compareRanges(bytes, at, len, this.#keys, from, (this.#ends[block] as number) - from);
  }

  /** A key at or before the first one of a block. */
  separator(block: number): { readonly bytes: Uint8Array; readonly at: number; readonly len: number } {
    const at = this.#startOf(block);
    return { bytes: this.#keys, at, len: (this.#ends[block] as number) - at };
  }

  /** The last block whose separator is at or before a key; -1 when none is. */
  locate(bytes: Uint8Array, at: number, len: number): number {
    let low = -1;
    let high = this.count - 1;
    while (low < high) {
      const middle = (low + high + 1) >>> 1;
      if (this.compare(middle, bytes, at, len) < 0) high = middle - 1;
      else low = middle;
    }
    return low;
  }

  /** May a key that `locate` found in `block` come before that block, since its separator was cut? */
  isUnsure(block: number, bytes: Uint8Array, at: number, len: number): boolean {
    const { at: from, len: own } = this.separator(block);
    if (own < SEPARATOR_BYTES_MAX || len < own) return false;
    return compareRanges(bytes, at, own, this.#keys, from, own) === 0;
  }

  /** The first of the blocks that have the same separator. */
  firstLike(block: number): number {
    const { bytes, at, len } = this.separator(block);
    let low = 0;
    let high = block;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.compare(middle, bytes, at, len) > 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #startOf(block: number): number {
    return block === 0 ? 0 : (this.#ends[block - 1] as number);
  }
}

function grown<T extends Float64Array | Uint32Array | Uint8Array>(from: T, to: T): T {
  to.set(from);
  return to;
}
