import { describe, expect, test } from "vitest";
import { concatBytes, utf8 } from "../../../../host/base/text/bytes.js";
import { KEY_BYTES_MAX } from "../../../../host/base/types/limits.js";
import type { FrameScan, KeyRange, KVStore } from "../../../../host/base/types/types.js";
import { CacheKVStore } from "../../../../host/state/branch/kv/cache-kv.js";
import { MemoryKVStore } from "../../../../host/state/branch/kv/memory-kv.js";
import { PrefixStore } from "../../../../host/state/branch/kv/prefix-kv.js";
import { kvStoreSuite, pairsOf } from "../../../suite/kv-store.js";
import { spillingStore } from "../store/support.js";

/** A store of somebody else: only the public shape, nothing of this room. */
class ForeignStore implements KVStore {
  readonly #inner = new MemoryKVStore();
  get = (key: Uint8Array) => this.#inner.get(key);
  has = (key: Uint8Array) => this.#inner.has(key);
  set = (key: Uint8Array, value: Uint8Array) => this.#inner.set(key, value);
  delete = (key: Uint8Array) => this.#inner.delete(key);
  iterate = (range?: KeyRange) => this.#inner.iterate(range);
  scan = (range?: KeyRange): FrameScan => this.#inner.scan(range);
  writeFrames = (frames: Uint8Array) => this.#inner.writeFrames(frames);
}

/** A branch over a parent that already holds what the branch then deletes: all reads go through both. */
function branchOverFilled(): KVStore {
  const parent = new MemoryKVStore();
  const branch = new CacheKVStore(parent);
  for (const key of ["a", "aa", "b", "c", "key", "z"]) parent.set(utf8(key), utf8("old"));
  for (let a = 0; a <= 4; a++) for (let b = 0; b <= 4; b++) parent.set(Uint8Array.of(a, b), utf8("old"));
  for (const [key] of parent.iterate()) branch.delete(key);
  return branch;
}

kvStoreSuite("MemoryKVStore", () => ({ store: new MemoryKVStore() }));
kvStoreSuite("CacheKVStore over MemoryKVStore", () => ({ store: new CacheKVStore(new MemoryKVStore()) }));
kvStoreSuite("CacheKVStore that deleted its parent's pairs", () => ({ store: branchOverFilled() }));
kvStoreSuite("CacheKVStore over a foreign store", () => ({ store: new CacheKVStore(new ForeignStore()) }));
for (const bytes of [0, 60, 3_000]) {
  kvStoreSuite(`CacheKVStore that puts writes beyond ${bytes} bytes aside`, () => ({
    store: new CacheKVStore(spillingStore(bytes).store),
  }));
}
kvStoreSuite("branch of a branch of a branch", () => ({
  store: new CacheKVStore(new MemoryKVStore()).branch().branch(),
}));

kvStoreSuite("PrefixStore over a branch", () => ({
  store: new PrefixStore(new CacheKVStore(branchOverFilled()), utf8("k")),
  keyBytesMax: KEY_BYTES_MAX - 1,
}));

describe("PrefixStore", () => {
  const around = (prefix: Uint8Array) => {
    const parent = new MemoryKVStore();
    for (const key of [[0x6f], [0x70], [0x71], [0xff, 0xfe], [0xff]]) parent.set(Uint8Array.from(key), utf8("other"));
    return { parent, store: new PrefixStore(parent, prefix) };
  };

  test("iterate() → only keys with the prefix, without it; neighbours and the bare prefix are not seen", () => {
    for (const prefix of [Uint8Array.of(0x70), Uint8Array.of(0xff), Uint8Array.of(0xff, 0xff)]) {
      const { parent, store } = around(prefix);
      store.set(utf8("k"), utf8("v"));
      const own = pairsOf(store).filter((pair) => pair.endsWith("=76"));
      expect(own).toEqual(["6b=76"]);
      expect(parent.get(concatBytes(prefix, utf8("k")))).toEqual(utf8("v"));
      store.delete(utf8("k"));
      expect(parent.has(concatBytes(prefix, utf8("k")))).toBe(false);
    }
  });

  test("set() with a key that is too long together with the prefix → UPG_INVALID_KEY", () => {
    const { store } = around(utf8("p"));
    const key = new Uint8Array(65_535);
    expect(() => store.set(key, utf8("v"))).toThrow(expect.objectContaining({ code: "UPG_INVALID_KEY" }));
  });
});

describe("CacheKVStore", () => {
  test("write() → the parent has puts and deletes; before it has neither", () => {
    const parent = new MemoryKVStore();
    parent.set(utf8("a"), utf8("1"));
    const branch = new CacheKVStore(parent);
    branch.delete(utf8("a"));
    branch.set(utf8("b"), utf8("2"));
    expect(pairsOf(parent)).toEqual(["61=31"]);
    branch.write();
    expect(pairsOf(parent)).toEqual(["62=32"]);
    expect(branch.isEmpty).toBe(true);
    expect(pairsOf(branch)).toEqual(["62=32"]);
  });

  test("discard() → as if nothing was written", () => {
    const parent = new MemoryKVStore();
    const branch = new CacheKVStore(parent);
    branch.set(utf8("a"), utf8("1"));
    branch.discard();
    branch.write();
    expect(pairsOf(parent)).toEqual([]);
  });

  test("write() of nested branches → reaches the parent through each, into touched and untouched ones", () => {
    for (const touch of [false, true]) {
      const parent = new MemoryKVStore();
      const outer = new CacheKVStore(parent);
      if (touch) outer.set(utf8("outer"), utf8("1"));
      const inner = outer.branch();
      inner.set(utf8("inner"), utf8("2"));
      inner.delete(utf8("outer"));
      inner.write();
      expect(pairsOf(parent)).toEqual([]);
      outer.write();
      expect(pairsOf(parent)).toEqual(["696e6e6572=32"]);
    }
  });

  test("write() into a parent of another kind → keys ascending, in frames, large values alone", () => {
    const written: string[] = [];
    const parent = new ForeignStore();
    const writeFrames = parent.writeFrames;
    parent.writeFrames = (frames) => {
      written.push(String(frames.length));
      writeFrames(frames);
    };
    const branch = new CacheKVStore(parent);
    for (let i = 0; i < 3; i++) branch.set(utf8(`big${9 - i}`), new Uint8Array(200_000).fill(i));
    for (let i = 0; i < 2_000; i++)
      branch.set(utf8(`small${String((i * 7919) % 2_000).padStart(4, "0")}`), new Uint8Array(50));
    branch.write();
    expect(written.length).toBeGreaterThan(4);
    expect(pairsOf(parent).length).toBe(2_003);
    expect(parent.get(utf8("big8"))).toEqual(new Uint8Array(200_000).fill(1));
  });

  test("a walk that was begun before write() or discard() → UPG_INVALID_ARGUMENT", () => {
    for (const end of ["write", "discard"] as const) {
      const branch = new CacheKVStore(new MemoryKVStore());
      branch.set(utf8("a"), utf8("1"));
      branch.set(utf8("b"), utf8("2"));
      const walk = branch.iterate();
      walk.next();
      branch[end]();
      expect(() => walk.next()).toThrow(expect.objectContaining({ code: "UPG_INVALID_ARGUMENT" }));
    }
  });

  test("100,000 keys in scattered order → sorted, and the last value of each", () => {
    const store = new CacheKVStore(new MemoryKVStore());
    const key = (i: number) => {
      const bytes = new Uint8Array(8);
      new DataView(bytes.buffer).setUint32(0, i);
      return bytes;
    };
    for (let round = 0; round < 2; round++) {
      for (let i = 0; i < 100_000; i++) store.set(key((i * 48_271) % 100_000), Uint8Array.of(round, i & 255));
    }
    let expected = 0;
    for (const [k, v] of store.iterate()) {
      expect(new DataView(k.buffer).getUint32(0)).toBe(expected++);
      expect(v[0]).toBe(1);
    }
    expect(expected).toBe(100_000);
  });
});
