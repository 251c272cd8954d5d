/**
 * Sorts records by their keys, many at once: by four bytes where keys differ, and those that are equal there by the next
 * ones. No object is made per record, and where the beginnings differ keys are not compared at all.
 */
import { compareRanges } from "../../../base/text/bytes.js";
import { FRAME_HEADER_BYTES } from "../../../base/types/limits.js";
import { readU32 } from "../../../base/wire/u32.js";
import type { Records } from "./records.js";

/** Indices share a float with four bytes of a key. */
const SORTED_AT_ONCE_MAX = 2 ** 20;
const PART_BYTES = 4;
/** So few are sorted by comparisons. */
const FEW = 12;
/** After so many parts, those that are still equal are sorted by comparisons: keys that begin alike for so long are made to. */
const PARTS_MAX = 64;

/** The addresses in ascending order of keys; of those with the same key the last counts, and the others are given up. */
export function latestByKey(records: Records, addresses: Uint32Array): Uint32Array {
  const { order, isReplaced } = new KeySort(records, addresses);
  let count = 0;
  for (let i = 0; i < order.length; i++) {
    const index = order[i] as number;
    const address = addresses[index] as number;
    if (isReplaced[index] === 1) records.drop(address);
    else order[count++] = address;
  }
  return order.subarray(0, count);
}

/** One sort of at most SORTED_AT_ONCE_MAX addresses; equal keys stay in the order in which they were given. */
class KeySort {
  /** Indices of the addresses. */
  readonly order: Uint32Array;
  /** By index: 1 when a later one has the same key. */
  readonly isReplaced: Uint8Array;
  readonly #parts: Float64Array;

  constructor(
    private readonly records: Records,
    private readonly addresses: Uint32Array,
  ) {
    const count = addresses.length;
    this.order = new Uint32Array(count);
    for (let i = 0; i < count; i++) this.order[i] = i;
    this.isReplaced = new Uint8Array(count);
    this.#parts = new Float64Array(count);
    this.#sort(0, count, 0, PARTS_MAX);
  }

  /** Sorts a range of the order. All its keys begin with the same `known` bytes, and its indices ascend. */
  #sort(from: number, to: number, known: number, partsLeft: number): void {
    const { order } = this;
    if (to - from <= FEW) {
      this.#insert(from, to, known);
      return;
    }
    const { shared, shortest, longest } = this.#prefix(from, to, known);
    if (shared === longest) {
      for (let i = from; i < to - 1; i++) this.isReplaced[order[i] as number] = 1;
      return;
    }
    if (partsLeft === 0) {
      this.#sortWhole(from, to, shared);
      return;
    }
    const parts = this.#parts;
    for (let i = from; i < to; i++) {
      const index = order[i] as number;
      parts[i] = this.#partAt(index, shared) * SORTED_AT_ONCE_MAX + index;
    }
    parts.subarray(from, to).sort();
    for (let i = from; i < to; i++) order[i] = (parts[i] as number) % SORTED_AT_ONCE_MAX;
    // A key that ends in this part looks like one with zeros there: only what lies before it is known to be equal.
    const next = shortest >= shared + PART_BYTES ? shared + PART_BYTES : shared;
    const left = next === shared ? 0 : partsLeft - 1;
    for (let begin = from, end = from + 1; begin < to; begin = end++) {
      const part = Math.floor((parts[begin] as number) / SORTED_AT_ONCE_MAX);
      const behind = (part + 1) * SORTED_AT_ONCE_MAX;
      while (end < to && (parts[end] as number) < behind) end++;
      if (end - begin > 1) this.#sort(begin, end, next, left);
    }
  }

  #insert(from: number, to: number, known: number): void {
    const { order } = this;
    for (let i = from + 1; i < to; i++) {
      const index = order[i] as number;
      let at = i;
      for (; at > from; at--) {
        const before = order[at - 1] as number;
        const comparison = this.#compare(before, index, known);
        if (comparison === 0) this.isReplaced[before] = 1;
        if (comparison <= 0) break;
        order[at] = before;
      }
      order[at] = index;
    }
  }

  #sortWhole(from: number, to: number, known: number): void {
    const { order } = this;
    order.subarray(from, to).sort((a, b) => this.#compare(a, b, known) || a - b);
    for (let i = from + 1; i < to; i++) {
      const before = order[i - 1] as number;
      if (this.#compare(before, order[i] as number, known) === 0) this.isReplaced[before] = 1;
    }
  }

  /** Order of two keys that begin with the same `known` bytes. */
  #compare(a: number, b: number, known: number): number {
    const { records, addresses } = this;
    const x = addresses[a] as number;
    const y = addresses[b] as number;
    const xBytes = records.segmentOf(x);
    const xAt = records.offsetOf(x);
    const yBytes = records.segmentOf(y);
    const yAt = records.offsetOf(y);
    const skipped = FRAME_HEADER_BYTES + known;
    const xLen = readU32(xBytes, xAt) - known;
    return compareRanges(xBytes, xAt + skipped, xLen, yBytes, yAt + skipped, readU32(yBytes, yAt) - known);
  }

  /** How many bytes the keys of a range begin with together, `known` at least, and the lengths of the shortest and the longest. */
  #prefix(from: number, to: number, known: number): { shared: number; shortest: number; longest: number } {
    const { records, addresses } = this;
    const { order } = this;
    const one = addresses[order[from] as number] as number;
    const first = records.segmentOf(one);
    const firstAt = records.offsetOf(one) + FRAME_HEADER_BYTES;
    let shared = readU32(first, firstAt - FRAME_HEADER_BYTES);
    let shortest = shared;
    let longest = shared;
    for (let i = from + 1; i < to; i++) {
      const address = addresses[order[i] as number] as number;
      const segment = records.segmentOf(address);
      const at = records.offsetOf(address) + FRAME_HEADER_BYTES;
      const length = readU32(segment, at - FRAME_HEADER_BYTES);
      if (length < shortest) shortest = length;
      if (length > longest) longest = length;
      if (length < shared) shared = length;
      let byte = known;
      while (byte < shared && segment[at + byte] === first[firstAt + byte]) byte++;
      shared = byte;
    }
    return { shared, shortest, longest };
  }

  /** Four bytes of a key after the first `skipped`, zeros after its end. */
  #partAt(index: number, skipped: number): number {
    const address = this.addresses[index] as number;
    const segment = this.records.segmentOf(address);
    const at = this.records.offsetOf(address);
    const len = readU32(segment, at) - skipped;
    const from = at + FRAME_HEADER_BYTES + skipped;
    let bytes = len > 0 ? (segment[from] as number) << 24 : 0;
    if (len > 1) bytes |= (segment[from + 1] as number) << 16;
    if (len > 2) bytes |= (segment[from + 2] as number) << 8;
    if (len > 3) bytes |= segment[from + 3] as number;
    return bytes >>> 0;
  }
}

/** Order of two records' keys. */
export function compareKeys(records: Records, a: number, b: number): number {
  const segment = records.segmentOf(a);
  const at = records.offsetOf(a);
  return records.compare(b, segment, at + FRAME_HEADER_BYTES, readU32(segment, at));
}
