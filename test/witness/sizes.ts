/** How large witnesses are: blocks of several kinds on a store of 50,000 pairs of 32 + 100 bytes, as rows of docs/witness.md. */
import { brotliCompressSync, constants } from "node:zlib";
import { bigEndian64, compareBytes } from "../../host/base/text/bytes.js";
import { CacheKVStore } from "../../host/state/branch/kv/cache-kv.js";
import { TreeWriter } from "../../host/state/commitment/tree-writer.js";
import { encodeWitness } from "../../host/state/witness/encode.js";
import { nextTree } from "../../host/state/witness/next-tree.js";
import { recordStore } from "../../host/state/witness/record.js";
import type { TreeAt } from "../../host/state/witness/types.js";
import { MemoryChunks } from "../memory-chunks.js";
import { choices, EMPTY_ROOT, hasher, sha256 } from "../unit/state/commitment/support.js";

const PAIRS = 50_000;
const KEY_BYTES = 32;
const VALUE_BYTES = 100;
const NEIGHBOURS = 1_000;

interface Store extends TreeAt {
  readonly keys: readonly Uint8Array[];
}

/** Half of a value looks random, as balances and addresses do. */
function valueFor(key: Uint8Array): Uint8Array {
  const value = new Uint8Array(VALUE_BYTES);
  value.set(sha256(key));
  return value;
}

function makeStore(): Store {
  const keys = Array.from({ length: PAIRS }, (_, i) => Uint8Array.from(sha256(bigEndian64(BigInt(i))))).sort(
    compareBytes,
  );
  const source = new MemoryChunks();
  const writer = new TreeWriter(source, source, hasher, EMPTY_ROOT, 1);
  for (const key of keys) writer.set(key, 0, KEY_BYTES, valueFor(key), 0, VALUE_BYTES);
  return { source, root: writer.finish(), keys };
}

type Run = (branch: CacheKVStore, store: Store) => void;

/** A block that does one thing to keys by chance. */
function some(count: number, act: (branch: CacheKVStore, key: Uint8Array) => void): Run {
  return (branch, { keys }) => {
    const choose = choices(count);
    for (let i = 0; i < count; i++) act(branch, keys[choose(keys.length)] as Uint8Array);
  };
}

const update = (branch: CacheKVStore, key: Uint8Array) => branch.set(key, new Uint8Array(VALUE_BYTES));
const RUNS: readonly (readonly [what: string, run: Run])[] = [
  ...[1, 10, 100, 1_000, 10_000].map((count) => [`${count} updates`, some(count, update)] as const),
  ["100 inserts", some(100, (branch, key) => update(branch, sha256(key)))],
  ["100 reads of absent keys", some(100, (branch, key) => void branch.get(sha256(key)))],
  [
    "1000 deletions of neighbours",
    (branch, { keys }) => {
      for (const key of keys.slice(PAIRS / 2, PAIRS / 2 + NEIGHBOURS)) branch.delete(key);
    },
  ],
  ["all pairs", (branch, { keys }) => keys.forEach((key) => void update(branch, key))],
];

/** One row a block: bytes of the witness, share of the pairs' bytes in per cent, bytes with brotli. */
export function sizes(): { what: string; bytes: number; share: number; brotli: number }[] {
  const store = makeStore();
  return RUNS.map(([what, run]) => {
    const recorder = recordStore(store.source, store.root);
    const branch = new CacheKVStore(recorder.reader);
    run(branch, store);
    nextTree(recorder, branch.pending(), { hasher, version: 2 });
    const stores = [{ name: "bank", hash: store.root.hash, tree: recorder.finish() }];
    const file = encodeWitness({ chainId: "test-1", plan: "v2", height: 2n, stores, others: [] }, sha256);
    const brotli = brotliCompressSync(file, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } }).length;
    const share = (100 * file.length) / (PAIRS * (KEY_BYTES + VALUE_BYTES));
    return { what, bytes: file.length, share: Math.round(100 * share) / 100, brotli };
  });
}
