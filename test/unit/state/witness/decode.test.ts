/** What `decodeWitness` refuses, each with its code, and that nothing is made of numbers that were only said. */
import { describe, expect, test } from "vitest";
import { concatBytes } from "../../../../host/base/text/bytes.js";
import { IavlReader } from "../../../../host/state/branch/kv/iavl-reader.js";
import { appHash } from "../../../../host/state/commitment/app-hash.js";
import type { RootLink } from "../../../../host/state/commitment/chunk.js";
import { TreeWriter } from "../../../../host/state/commitment/tree-writer.js";
import { ByteWriter } from "../../../../host/state/witness/byte-writer.js";
import { decodeWitness } from "../../../../host/state/witness/decode.js";
import { digestOf } from "../../../../host/state/witness/digest.js";
import { encodeWitness } from "../../../../host/state/witness/encode.js";
import { INNER_TAG, LEAF_TAG, STUB_TAG, WITNESS_FORMAT, WITNESS_MAGIC } from "../../../../host/state/witness/format.js";
import { recordStore } from "../../../../host/state/witness/record.js";
import type { PartialTree, StoreBefore, WitnessContents } from "../../../../host/state/witness/types.js";
import { MemoryChunks } from "../../../memory-chunks.js";
import { code, EMPTY_ROOT, hasher, sha256 } from "../commitment/support.js";

const MAX = 1_048_576;
const bytes = (...of: number[]) => Uint8Array.from(of);
const signed = (body: Uint8Array) => concatBytes(body, digestOf(body, hasher));
const decode = (witness: Uint8Array, expected?: Uint8Array) =>
  decodeWitness(witness, { sha256, maxBytes: MAX, appHash: expected });

/** Keys 2, 4, … 2 n. */
function treeOf(n: number): { source: MemoryChunks; root: RootLink } {
  const source = new MemoryChunks();
  const writer = new TreeWriter(source, source, hasher, EMPTY_ROOT, 1);
  for (let i = 1; i <= n; i++) writer.set(bytes(2 * i), 0, 1, bytes(i), 0, 1);
  return { source, root: writer.finish() };
}

function contentsOf(stores: readonly StoreBefore[]): WitnessContents {
  return { chainId: "test-1", plan: "v2", height: 7n, stores, others: [] };
}

/** A witness of a tree of which `read` is recorded. */
function witnessOf(n: number, read: (reader: IavlReader) => void) {
  const { source, root } = treeOf(n);
  const recorder = recordStore(source, root);
  read(recorder.reader);
  const contents = contentsOf([{ name: "bank", hash: root.hash, tree: recorder.finish() }]);
  const store = decode(encodeWitness(contents, sha256)).stores[0];
  if (!store) throw new Error("no store");
  return { store, reader: () => new IavlReader(store.source, store.root) };
}

/** A file whose only store has these nodes. */
function fileOf(nodes: Uint8Array): Uint8Array {
  const tree: PartialTree = { hash: sha256(bytes(9)), bytes: nodes, leaves: 0, stubs: 0 };
  return encodeWitness(contentsOf([{ name: "bank", hash: tree.hash, tree }]), sha256);
}

/** Magic, format, chain, plan and height, and then what a test says. */
const head = () => new ByteWriter().raw(WITNESS_MAGIC).byte(WITNESS_FORMAT).text("test-1").text("v2").uvarint(7);

describe("decodeWitness()", () => {
  const HASH = sha256(bytes(1));
  const closed = { name: "auth", hash: HASH, tree: undefined };

  test("all that was encoded → the same, closed and empty stores, other writes and deletions included", () => {
    const { source, root } = treeOf(3);
    const empty = { name: "empty", hash: EMPTY_ROOT.hash, tree: recordStore(source, EMPTY_ROOT).finish() };
    const tree = recordStore(source, root).finish();
    const others = [
      { store: "auth", writes: [{ key: bytes(1), value: bytes() }] },
      {
        store: "bank",
        writes: [
          { key: bytes(1), value: undefined },
          { key: bytes(1, 0), value: bytes(5) },
        ],
      },
    ];
    const stores = [closed, { name: "bank", hash: root.hash, tree }, empty];
    const witness = decode(encodeWitness({ ...contentsOf(stores), others }, sha256));
    expect(witness).toMatchObject({ chainId: "test-1", plan: "v2", height: 7n, others });
    expect(witness.appHash).toEqual(appHash(sha256, stores));
    expect(witness.stores.map(({ name, isOpen, leaves }) => [name, isOpen, leaves])).toEqual([
      ["auth", false, 0],
      ["bank", true, 0],
      ["empty", true, 0],
    ]);
    expect(witness.stores[1]?.root).toMatchObject({ size: 3, height: 2, hash: root.hash });
    expect(witness.stores[2]?.root).toMatchObject({ id: 0, size: 0 });
  });

  test("a closed store → its source and its root throw UPG_WITNESS_HIDDEN", () => {
    const store = decode(encodeWitness(contentsOf([closed]), sha256)).stores[0];
    expect(() => store?.root).toThrow(code("UPG_WITNESS_HIDDEN"));
    expect(() => store?.source).toThrow(code("UPG_WITNESS_HIDDEN"));
  });

  test("the header has another app hash → UPG_WITNESS_ROOT", () => {
    const file = encodeWitness(contentsOf([closed]), sha256);
    expect(decode(file, appHash(sha256, [closed])).stores.length).toBe(1);
    expect(() => decode(file, HASH)).toThrow(code("UPG_WITNESS_ROOT"));
  });

  test("as many bytes as are taken → decoded; one more → UPG_WITNESS_TOO_LARGE", () => {
    const file = encodeWitness(contentsOf([closed]), sha256);
    expect(decodeWitness(file, { sha256, maxBytes: file.length }).stores.length).toBe(1);
    expect(() => decodeWitness(file, { sha256, maxBytes: file.length - 1 })).toThrow(code("UPG_WITNESS_TOO_LARGE"));
  });

  const store = (name: string) => new ByteWriter().text(name).raw(HASH).byte(0).finish();
  const twoStores = (a: string, b: string) => head().uvarint(2).raw(store(a)).raw(store(b)).uvarint(0).finish();

  test.each<[string, Uint8Array]>([
    ["no bytes", bytes()],
    ["another magic", signed(concatBytes(bytes(1), WITNESS_MAGIC))],
    ["another format", signed(new ByteWriter().raw(WITNESS_MAGIC).byte(2).finish())],
    ["another digest", concatBytes(head().uvarint(0).uvarint(0).finish(), HASH)],
    ["it ends after the height", signed(head().finish())],
    ["bytes after the end", signed(head().uvarint(0).uvarint(0).byte(0).finish())],
    ["an empty chain id", signed(new ByteWriter().raw(WITNESS_MAGIC).byte(WITNESS_FORMAT).text("").finish())],
    ["a number that is not in its shortest form", signed(head().raw(bytes(0x80, 0)).uvarint(0).finish())],
    ["a number of ten bytes", signed(head().raw(new Uint8Array(9).fill(0xff)).byte(1).finish())],
    ["more stores than an app has", signed(head().uvarint(1_025).finish())],
    ["a store twice", signed(twoStores("bank", "bank"))],
    ["stores that do not ascend", signed(twoStores("bank", "auth"))],
    ["a store that is neither open nor closed", signed(head().uvarint(1).text("a").raw(HASH).byte(2).finish())],
    ["a name that is not UTF-8", signed(head().uvarint(1).uvarint(1).byte(0xff).raw(HASH).byte(0).finish())],
    [
      "2^53 - 1 other writes",
      signed(
        head()
          .uvarint(0)
          .uvarint(1)
          .text("a")
          .uvarint(2 ** 53 - 1)
          .finish(),
      ),
    ],
    ["another write with an empty key", signed(head().uvarint(0).uvarint(1).text("a").uvarint(1).byte(0).finish())],
    [
      "other writes that do not ascend",
      signed(
        head()
          .uvarint(0)
          .uvarint(1)
          .text("a")
          .uvarint(2)
          .raw(bytes(1, 5, 0, 1, 5, 0))
          .finish(),
      ),
    ],
  ])("%s → UPG_WITNESS_MALFORMED", (_, file) => {
    expect(() => decode(file)).toThrow(code("UPG_WITNESS_MALFORMED"));
  });

  const leaf = (key: number, version = 1) =>
    new ByteWriter().byte(LEAF_TAG).uvarint(version).uvarint(1).uvarint(0).byte(key).finish();
  const stub = (height: number, size: number) =>
    new ByteWriter()
      .byte(STUB_TAG + height)
      .uvarint(size)
      .raw(HASH)
      .finish();
  const inner = (version: number, ...children: Uint8Array[]) =>
    concatBytes(new ByteWriter().byte(INNER_TAG).uvarint(version).finish(), ...children);

  test.each<[string, Uint8Array]>([
    ["no nodes", bytes()],
    ["a root that is a stub", stub(0, 1)],
    ["a tag that no node has", bytes(255, 1)],
    ["an empty key", bytes(LEAF_TAG, 1, 0, 0)],
    ["a value that ends after the file", bytes(LEAF_TAG, 1, 1, 100, 7)],
    [
      "a value that is longer than values are",
      new ByteWriter()
        .raw(bytes(LEAF_TAG, 1, 1))
        .uvarint(2 ** 53 - 1)
        .finish(),
    ],
    ["version 0", leaf(1, 0)],
    ["a version that is not before the block", leaf(1, 7)],
    ["an inner node that is older than a leaf below it", inner(1, leaf(1, 2), leaf(2, 1))],
    ["the same key twice", inner(1, leaf(1), leaf(1))],
    ["leaves that change places", inner(1, leaf(2), leaf(1))],
    ["a node without its second child", inner(1, leaf(1))],
    ["out of balance", inner(1, leaf(1), stub(2, 4))],
    ["a stub of one leaf that is 1 high", inner(1, leaf(1), stub(1, 1))],
    ["a stub with more leaves than its height has room for", inner(1, leaf(1), stub(1, 3))],
    ["a stub of 2^48 leaves", inner(1, stub(50, 2 ** 48), stub(50, 2 ** 48))],
    ["two stubs with 2^48 leaves together", inner(1, stub(50, 2 ** 47), stub(50, 2 ** 47))],
    ["a stub that is higher than trees are", inner(1, stub(81, 2 ** 40), stub(81, 2 ** 40))],
    [
      "half a million nodes, each the left child of the one before",
      new Uint8Array(1_000_000).fill(0).map((_, i) => i % 2),
    ],
    [
      "a tree whose right side goes on and on",
      concatBytes(
        ...Array.from({ length: 5_000 }, (_, i) =>
          inner(1, new ByteWriter().raw(bytes(LEAF_TAG, 1, 2, 0, i >> 8, i & 255)).finish()),
        ),
        leaf(255),
      ),
    ],
  ])("a tree with %s → UPG_WITNESS_MALFORMED", (_, nodes) => {
    expect(() => decode(fileOf(nodes))).toThrow(code("UPG_WITNESS_MALFORMED"));
  });

  test("nodes that hash to another root → UPG_WITNESS_ROOT", () => {
    expect(() => decode(fileOf(inner(1, leaf(1), leaf(2))))).toThrow(code("UPG_WITNESS_ROOT"));
  });
});

describe("a decoded store", () => {
  test("a key beside the one that was read → UPG_WITNESS_HIDDEN, also where no leaf is", () => {
    const { reader } = witnessOf(20, (recorded) => void recorded.get(bytes(20)));
    expect(reader().get(bytes(20))).toEqual(bytes(10));
    for (const key of [2, 18, 19, 21, 22, 40, 41])
      expect(() => reader().has(bytes(key))).toThrow(code("UPG_WITNESS_HIDDEN"));
  });

  test("an absent key → absent for it and all keys of its gap; beyond its two neighbours UPG_WITNESS_HIDDEN", () => {
    const { store, reader } = witnessOf(20, (recorded) => void recorded.has(bytes(21)));
    expect(store.leaves).toBe(2);
    for (const key of [bytes(20, 0), bytes(21), bytes(21, 9)]) expect(reader().get(key)).toBeUndefined();
    expect([reader().has(bytes(20)), reader().has(bytes(22))]).toEqual([true, true]);
    for (const key of [bytes(19), bytes(22, 0), bytes(23)])
      expect(() => reader().has(key)).toThrow(code("UPG_WITNESS_HIDDEN"));
  });

  test.each([
    ["before the first", bytes(1), bytes(2, 0)],
    ["after the last", bytes(41), bytes(39)],
  ])("an absent key %s → absent, with one neighbour", (_, key, beyond) => {
    const { store, reader } = witnessOf(20, (recorded) => void recorded.has(key));
    expect(store.leaves).toBe(1);
    expect(reader().has(key)).toBe(false);
    expect(() => reader().has(beyond)).toThrow(code("UPG_WITNESS_HIDDEN"));
  });

  test.each([false, true])("a range, reverse %s → its pairs; one leaf further UPG_WITNESS_HIDDEN", (reverse) => {
    const range = { start: bytes(9), end: bytes(15), reverse };
    const { reader } = witnessOf(20, (recorded) => void [...recorded.iterate(range)]);
    const keys = [...reader().iterate(range)].map(([key]) => key[0]);
    expect(keys).toEqual(reverse ? [14, 12, 10] : [10, 12, 14]);
    expect(() => [...reader().iterate({ start: bytes(5), end: bytes(19), reverse })]).toThrow(
      code("UPG_WITNESS_HIDDEN"),
    );
  });
});
