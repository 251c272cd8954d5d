import { describe, expect, test } from "vitest";
import { toHex, utf8 } from "../../../../host/base/text/bytes.js";
import type { KVStore } from "../../../../host/base/types/types.js";
import { Chunk, SLOTS_PER_CHUNK, writeU48 } from "../../../../host/state/commitment/chunk.js";
import type { Database } from "../../../../host/state/store/disk/database.js";
import { chunkKey, commitKey, formatKey } from "../../../../host/state/store/disk/keys.js";
import { MemoryDatabase } from "../../../../host/state/store/disk/memory-database.js";
import { CommitMultiStore } from "../../../../host/state/store/versions/commit-multi-store.js";
import {
  type CommitState,
  encodeCommit,
  readCommit,
  type StoreState,
} from "../../../../host/state/store/versions/commit-record.js";
import { kvStoreSuite, pairsOf, type StoreUnderTest } from "../../../suite/kv-store.js";
import { code, DATABASES, keysOf, openStores, sha256 } from "../store/support.js";

/** A store whose tree holds what its branch then deletes: it looks empty, and all reads go through both. */
function overDeletedTree(database: Database): KVStore {
  const stores = openStores(database, ["a", "b", "c"]);
  const store = stores.store("b");
  for (const key of ["a", "aa", "b", "bb", "c", "d", "e", "key", "z"]) store.set(utf8(key), utf8("old"));
  for (let i = 0; i <= 4; i++) {
    for (let j = 0; j <= 4; j++) store.set(Uint8Array.of(i, j), utf8("old"));
    store.set(Uint8Array.of(i), utf8("old"));
  }
  stores.commit();
  for (const [key] of store.iterate()) store.delete(key);
  return store;
}

for (const [name, makeDatabase] of DATABASES) {
  const under = (make: (database: Database) => KVStore) => (): StoreUnderTest => {
    const database = makeDatabase();
    return { store: make(database), close: () => database.close() };
  };
  kvStoreSuite(
    `store of a new CommitMultiStore over ${name}`,
    under((db) => openStores(db, ["a"]).store("a")),
  );
  kvStoreSuite(`store over a committed tree, ${name}`, under(overDeletedTree));
  kvStoreSuite(
    `branch of a store over a committed tree, ${name}`,
    under((db) => {
      overDeletedTree(db);
      const branch = openStores(db, ["a", "b", "c"]).branch().store("b");
      for (const [key] of branch.iterate()) branch.delete(key);
      return branch;
    }),
  );
}

describe("committed versions", () => {
  for (const [name, makeDatabase] of DATABASES) {
    test(`store(), at() and loaded() over ${name} → what they gave belongs to the caller`, () => {
      const database = makeDatabase();
      const stores = openStores(database, ["a"]);
      for (let i = 0; i < 600; i++) stores.store("a").set(utf8(`key ${i}`), utf8(`value ${i}`));
      stores.commit();
      const reopened = openStores(database, ["a"], { cacheBytes: 0 });
      const before = pairsOf(reopened.store("a"));
      for (const reader of [reopened.store("a"), reopened.at(1n).store("a"), reopened.loaded().store("a")]) {
        reader.get(utf8("key 7"))?.fill(0);
        for (const [key, value] of reader.iterate()) {
          key.fill(0);
          value.fill(0);
        }
        expect(pairsOf(reader)).toEqual(before);
      }
      database.close();
    });
  }

  test("at() and loaded() → cannot be written to", () => {
    const stores = openStores(new MemoryDatabase(), ["a"]);
    stores.store("a").set(utf8("k"), utf8("v"));
    stores.commit();
    const loaded = stores.loaded().store("a");
    expect(() => loaded.set(utf8("k"), utf8("w"))).toThrow(code("UPG_BUG_ASSERT"));
    expect(() => loaded.delete(utf8("k"))).toThrow(code("UPG_BUG_ASSERT"));
    expect(() => loaded.writeFrames(new Uint8Array())).toThrow(code("UPG_BUG_ASSERT"));
    const branch = stores.loaded().branch();
    branch.store("a").set(utf8("k"), utf8("w"));
    expect(pairsOf(branch.store("a"))).toEqual(["6b=77"]);
    expect(() => branch.write()).toThrow(code("UPG_BUG_ASSERT"));
    expect(pairsOf(stores.store("a"))).toEqual(["6b=76"]);
  });

  test("loaded() → store upgrades included, writes of the block not", () => {
    const database = new MemoryDatabase();
    const first = openStores(database, ["old"]);
    first.store("old").set(utf8("k"), utf8("v"));
    first.commit();
    const renamed = [{ oldKey: "old", newKey: "new" }];
    const stores = openStores(database, ["new", "more"], { upgrades: { renamed, added: ["more"] } });
    stores.store("new").set(utf8("k"), utf8("changed"));
    expect(stores.loaded().names).toEqual(["more", "new"]);
    expect(pairsOf(stores.loaded().store("new"))).toEqual(["6b=76"]);
    expect(() => stores.loaded().store("old")).toThrow(code("UPG_NOT_FOUND_STORE"));
    stores.commit();
    expect(pairsOf(stores.loaded().store("new"))).toEqual([`6b=${toHex(utf8("changed"))}`]);
  });

  test("at() of a version that never was, zero, negative or beyond 2^53 → UPG_NOT_FOUND_VERSION that names the range", () => {
    const stores = openStores(new MemoryDatabase(), ["a"]);
    stores.commit();
    stores.commit();
    for (const version of [0n, -1n, 3n, 2n ** 53n, 2n ** 64n]) {
      expect(stores.has(version)).toBe(false);
      expect(() => stores.at(version)).toThrow(code("UPG_NOT_FOUND_VERSION"));
      expect(() => stores.at(version)).toThrow(/kept are 1 to 2/);
    }
  });

  test("initialVersion → the first commit's version, and only the first's", () => {
    const database = new MemoryDatabase();
    const stores = openStores(database, ["a"], { initialVersion: 1_000n });
    expect([stores.lastCommitID.version, stores.nextVersion]).toEqual([0n, 1_000n]);
    stores.store("a").set(utf8("k"), utf8("v"));
    expect(stores.commit().version).toBe(1_000n);
    expect(openStores(database, ["a"], { initialVersion: 1_000n }).commit().version).toBe(1_001n);
  });

  test("stores that are not mounted or not loaded → UPG_NOT_FOUND_STORE; commit() before loading → UPG_BUG_ASSERT", () => {
    const database = new MemoryDatabase();
    openStores(database, ["a"]).commit();
    const stores = openStores(database, ["a"]);
    expect(() => stores.store("b")).toThrow(code("UPG_NOT_FOUND_STORE"));
    expect(() => stores.branch().store("b")).toThrow(code("UPG_NOT_FOUND_STORE"));
    expect(() => stores.at(1n).store("b")).toThrow(/there is no store "b"; there are a/);
    const unloaded = new CommitMultiStore(database, { sha256 });
    unloaded.mount("a");
    expect(() => unloaded.store("a")).toThrow(code("UPG_NOT_FOUND_STORE"));
    expect(() => unloaded.commit()).toThrow(code("UPG_BUG_ASSERT"));
    expect(() => unloaded.workingHash()).toThrow(code("UPG_BUG_ASSERT"));
    expect(unloaded.lastCommitID.version).toBe(1n);
    expect(unloaded.at(1n).names).toEqual(["a"]);
  });
});

describe("new CommitMultiStore() over records that this program does not write", () => {
  const over = (key: Uint8Array, value: Uint8Array) => {
    const database = new MemoryDatabase();
    database.transaction((batch) => batch.put(key, value));
    return () => new CommitMultiStore(database, { sha256 });
  };

  test("a newer format, or another program's → UPG_STORE_VERSION_MISMATCH", () => {
    const newer = Uint8Array.of(0x0a, 13, ...utf8("chain-upgrade"), 0x10, 4);
    const other = Uint8Array.of(0x0a, 5, ...utf8("other"), 0x10, 1);
    for (const record of [newer, other, new Uint8Array()]) {
      expect(over(formatKey(), record)).toThrow(code("UPG_STORE_VERSION_MISMATCH"));
    }
  });

  test("records without a format record → UPG_STORE_VERSION_MISMATCH; none at all → the format is written by the first load", () => {
    expect(over(utf8("somebody else's"), utf8("x"))).toThrow(code("UPG_STORE_VERSION_MISMATCH"));
    const database = new MemoryDatabase();
    new CommitMultiStore(database, { sha256 });
    expect(keysOf(database)).toEqual([]);
    openStores(database, ["a"]);
    expect(keysOf(database)).toEqual([formatKey()]);
    expect(() => new CommitMultiStore(database, { sha256 })).not.toThrow();
  });

  test("a commit record of another version, or with a hash cut short → UPG_STORE_CORRUPT", () => {
    const database = new MemoryDatabase();
    const stores = openStores(database, ["a"]);
    stores.commit();
    stores.commit();
    const state = readCommit(database, 2);
    if (!state) throw new Error("version 2 was committed");
    const [store] = state.stores as [StoreState];
    const short = new Uint8Array(31);
    const wrong: CommitState[] = [
      { ...state, version: 1 },
      { ...state, appHash: short },
      { ...state, stores: [{ ...store, root: { ...store.root, hash: short } }] },
    ];
    for (const each of wrong) {
      database.transaction((batch) => batch.put(commitKey(2), encodeCommit(each)));
      expect(() => stores.at(2n)).toThrow(code("UPG_STORE_CORRUPT"));
      expect(() => openStores(database, ["a"])).toThrow(code("UPG_STORE_CORRUPT"));
    }
  });

  test("a format record that cannot be decoded → UPG_STORE_CORRUPT", () => {
    for (const record of [Uint8Array.of(0x0a, 13), Uint8Array.of(0xff), Uint8Array.of(0x0b)]) {
      expect(over(formatKey(), record)).toThrow(code("UPG_STORE_CORRUPT"));
    }
  });

  test("a tree node that leads to itself → UPG_STORE_CORRUPT, not an endless walk", () => {
    const database = new MemoryDatabase();
    const stores = openStores(database, ["a"]);
    for (const key of ["a", "b"]) stores.store("a").set(utf8(key), utf8("v"));
    stores.commit();
    const bytes = database.get(chunkKey(1, 1)) ?? new Uint8Array();
    const chunk = new Chunk(bytes);
    const rootSlot = chunk.count - 1;
    writeU48(bytes, chunk.at(rootSlot) + 3, SLOTS_PER_CHUNK + rootSlot);
    database.transaction((batch) => batch.put(chunkKey(1, 1), bytes));
    const view = new CommitMultiStore(database, { sha256 }).at(1n);
    expect(() => view.store("a").get(utf8("a"))).toThrow(code("UPG_STORE_CORRUPT"));
    expect(() => pairsOf(view.store("a"))).toThrow(code("UPG_STORE_CORRUPT"));
  });

  test("a commit record or a chunk that is damaged or missing → UPG_STORE_CORRUPT", () => {
    for (const letter of ["c", "n"]) {
      for (const value of [Uint8Array.of(1, 0, 9, 9), undefined]) {
        const database = new MemoryDatabase();
        const stores = openStores(database, ["a"]);
        stores.store("a").set(utf8("k"), utf8("v"));
        stores.commit();
        stores.commit();
        const [key] = database.keys({ start: utf8(letter), end: Uint8Array.of(letter.charCodeAt(0) + 1) });
        if (!key) throw new Error(`no record begins with ${letter}`);
        database.transaction((batch) => (value ? batch.put(key, value) : batch.remove(key)));
        const read = () => new CommitMultiStore(database, { sha256 }).at(1n).store("a").get(utf8("k"));
        expect(read).toThrow(code(letter === "c" && !value ? "UPG_NOT_FOUND_VERSION" : "UPG_STORE_CORRUPT"));
      }
    }
  });
});
