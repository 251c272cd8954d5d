/** Sorts records by their keys, many at once: by four bytes where most keys differ, then what is equal there as a whole. */
import { readU32 } from "../frames.js";
import { FRAME_HEADER_BYTES } from "../limits.js";
import type { Records } from "./records.js";

/** Indices share a float with four bytes of a key. */
const SORTED_AT_ONCE_MAX = 2 ** 20;

/** The addresses in ascending order of keys; of those with the same key the last counts, and the others are given up. */
export function latestByKey(records: Records, addresses: Uint32Array): Uint32Array {
  const latest = sortedByKey(records, addresses).map((index) => addresses[index] as number);
  let count = 0;
  for (let i = 0; i < latest.length; i++) {
    const address = latest[i] as number;
    const next = latest[i + 1];
    if (next !== undefined && compareKeys(records, address, next) === 0) records.drop(address);
    else latest[count++] = address;
  }
  return latest.subarray(0, count);
}

/** Indices of at most SORTED_AT_ONCE_MAX addresses, in order of keys; equal keys in the order in which they were given. */
function sortedByKey(records: Records, addresses: Uint32Array): Uint32Array {
  const skipped = commonPrefixBytes(records, addresses);
  const parts = new Float64Array(addresses.length);
  for (let i = 0; i < addresses.length; i++) {
    parts[i] = fourBytes(records, addresses[i] as number, skipped) * SORTED_AT_ONCE_MAX + i;
  }
  parts.sort();
  const sorted = new Uint32Array(parts.length);
  for (let i = 0; i < parts.length; i++) sorted[i] = (parts[i] as number) % SORTED_AT_ONCE_MAX;
  for (let from = 0, to = 1; from < parts.length; from = to++) {
    const part = Math.floor((parts[from] as number) / SORTED_AT_ONCE_MAX);
    while (to < parts.length && Math.floor((parts[to] as number) / SORTED_AT_ONCE_MAX) === part) to++;
    if (to - from > 1) sortWhole(records, addresses, sorted.subarray(from, to));
  }
  return sorted;
}

function sortWhole(records: Records, addresses: Uint32Array, indices: Uint32Array): void {
  indices.sort((a, b) => compareKeys(records, addresses[a] as number, addresses[b] as number) || a - b);
}

/** Order of two records' keys. */
export function compareKeys(records: Records, a: number, b: number): number {
  const segment = records.segmentOf(a);
  const at = records.offsetOf(a);
  return records.compare(b, segment, at + FRAME_HEADER_BYTES, readU32(segment, at));
}

/** How many bytes all keys begin with. */
function commonPrefixBytes(records: Records, addresses: Uint32Array): number {
  const first = records.segmentOf(addresses[0] as number);
  const firstAt = records.offsetOf(addresses[0] as number);
  let shared = readU32(first, firstAt);
  for (let i = 1; i < addresses.length && shared > 0; i++) {
    const segment = records.segmentOf(addresses[i] as number);
    const at = records.offsetOf(addresses[i] as number);
    shared = Math.min(shared, readU32(segment, at));
    for (let byte = FRAME_HEADER_BYTES; byte < FRAME_HEADER_BYTES + shared; byte++) {
      if (segment[at + byte] !== first[firstAt + byte]) shared = byte - FRAME_HEADER_BYTES;
    }
  }
  return shared;
}

/** Bytes of a key behind the first `skipped`, zeros behind its end. */
function fourBytes(records: Records, address: number, skipped: number): number {
  const segment = records.segmentOf(address);
  const at = records.offsetOf(address);
  const len = readU32(segment, at) - skipped;
  const from = at + FRAME_HEADER_BYTES + skipped;
  let bytes = len > 0 ? (segment[from] as number) << 24 : 0;
  if (len > 1) bytes |= (segment[from + 1] as number) << 16;
  if (len > 2) bytes |= (segment[from + 2] as number) << 8;
  if (len > 3) bytes |= segment[from + 3] as number;
  return bytes >>> 0;
}
