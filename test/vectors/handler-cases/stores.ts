/** Stores of a case: from pairs or a rule, and the digests and roots that they are compared by. */
import { createHash } from "node:crypto";
import { bigEndian64, concatBytes, fromHex, toHex } from "../../../host/base/text/bytes.js";
import type { KVReader } from "../../../host/base/types/types.js";
import { writeU32 } from "../../../host/base/wire/u32.js";
import { OP_DELETE } from "../../../host/state/branch/kv/frames.js";
import { IavlHasher } from "../../../host/state/commitment/iavl-hash.js";
import { TreeWriter } from "../../../host/state/commitment/tree-writer.js";
import { MemoryStores } from "../../../host/upgrade/test-kit/memory-stores.js";
import { sha256 } from "../../guest/build.js";
import { MemoryChunks } from "../../memory-chunks.js";
import type { CaseInput, StorePairs } from "./shapes.js";

type BytePair = readonly [key: Uint8Array, value: Uint8Array];
/** The last write to a key; undefined: it was deleted. */
export type FinalWrite = readonly [key: Uint8Array, value: Uint8Array | undefined];

export function storesOf(input: CaseInput): MemoryStores {
  const stores = new MemoryStores();
  for (const [name, pairs] of Object.entries(input.stores)) {
    const store = stores.open(name);
    for (const [key, value] of pairsOf(pairs)) store.set(key, value);
  }
  return stores;
}

/**
 * Pair i of a rule: h is the SHA-256 of i as 8 bytes, big-endian. The key is the prefix and the first `key_bytes` of h. The value
 * has `least + (h[31] * 256 + h[30]) mod (greatest - least + 1)` bytes, which are h again and again.
 */
function pairsOf(pairs: StorePairs): BytePair[] {
  if (!("count" in pairs)) return pairs.map(([key, value]) => [fromHex(key), fromHex(value)]);
  const { count, prefix, key_bytes, value_bytes } = pairs;
  const [least, greatest] = value_bytes;
  return Array.from({ length: count }, (_, i) => {
    const h = sha256(bigEndian64(BigInt(i)));
    const length = least + (((h[31] as number) * 256 + (h[30] as number)) % (greatest - least + 1));
    const value = Uint8Array.from({ length }, (_, at) => h[at % 32] as number);
    return [concatBytes(fromHex(prefix), h.subarray(0, key_bytes)), value];
  });
}

/** SHA-256 of all pairs, ascending, each as `u32 klen, u32 vlen, key, value`. */
export function pairsDigest(store: KVReader): { count: number; sha256: string } {
  const hash = createHash("sha256");
  let count = 0;
  for (const [key, value] of store.iterate()) {
    hash.update(header(key.length, value.length)).update(key).update(value);
    count++;
  }
  return { count, sha256: hash.digest("hex") };
}

/** The same of writes: a deletion is `u32 1 << 30 | klen, key`. */
export function writesDigest(writes: readonly FinalWrite[]): string {
  const hash = createHash("sha256");
  for (const [key, value] of writes) {
    if (value) hash.update(header(key.length, value.length)).update(key).update(value);
    else hash.update(header((OP_DELETE << 30) | key.length, 0).subarray(0, 4)).update(key);
  }
  return hash.digest("hex");
}

function header(first: number, second: number): Uint8Array {
  const head = new Uint8Array(8);
  writeU32(head, 0, first);
  writeU32(head, 4, second);
  return head;
}

/** The root of a tree that had these pairs as version 1 and these writes as version 2. */
export function rootAfter(before: KVReader, writes: readonly FinalWrite[]): string {
  const hasher = new IavlHasher(sha256);
  const chunks = new MemoryChunks();
  const first = new TreeWriter(chunks, chunks, hasher, { id: 0, size: 0, height: 0, hash: hasher.empty() }, 1);
  for (const [key, value] of before.iterate()) first.set(key, 0, key.length, value, 0, value.length);
  const second = new TreeWriter(chunks, chunks, hasher, first.finish(), 2);
  for (const [key, value] of writes) {
    if (value) second.set(key, 0, key.length, value, 0, value.length);
    else second.remove(key, 0, key.length);
  }
  return toHex(second.finish().hash);
}
