import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { bigEndian64, concatBytes, toHex, utf8 } from "../../../../host/base/text/bytes.js";
import type { Database } from "../../../../host/state/store/disk/database.js";
import { readOrphansKey } from "../../../../host/state/store/disk/keys.js";
import { LmdbDatabase } from "../../../../host/state/store/disk/lmdb-database.js";
import { MemoryDatabase } from "../../../../host/state/store/disk/memory-database.js";
import type { CommitMultiStore } from "../../../../host/state/store/versions/commit-multi-store.js";
import { readCommit } from "../../../../host/state/store/versions/commit-record.js";
import { rollbackLastVersion } from "../../../../host/state/store/versions/rollback.js";
import { type RefNode, refHash, refRemove, refSet } from "../commitment/reference-tree.js";
import { expectNoGarbage } from "./reachable.js";
import { keysOf, openStores, temporaryDirectory } from "./support.js";

const keyOf = (i: number) => concatBytes(utf8("account/"), bigEndian64(BigInt(i)));
const filledValue = (i: number, round: number) => new Uint8Array(24).fill((i * 7 + round) & 255);

/** Writes keys through a branch, as a block does. */
function writeAll(stores: CommitMultiStore, name: string, count: number, round: number): void {
  const branch = stores.branch();
  const store = branch.store(name);
  for (let i = 0; i < count; i++) store.set(keyOf(i), filledValue(i, round));
  branch.write();
}

function deleteAll(stores: CommitMultiStore, name: string): void {
  const branch = stores.branch();
  for (const [key] of branch.store(name).iterate()) branch.store(name).delete(key);
  branch.write();
}

/** The same writes one by one in the reference tree. */
function reference(root: RefNode | undefined, count: number, round: number, version: number): RefNode | undefined {
  for (let i = 0; i < count; i++) root = refSet(root, toHex(keyOf(i)), toHex(filledValue(i, round)), version);
  return root;
}

function chunkBytes(database: Database): number {
  return keysOf(database, "n").reduce((sum, key) => sum + (database.get(key)?.length ?? 0), 0);
}

const rootOf = (stores: CommitMultiStore, name: string, version: bigint) => toHex(stores.at(version).rootHash(name));

describe("bulk", () => {
  test("100,000 ascending keys into a new store over LMDB, a rename, every key deleted → the reference's roots", () => {
    const COUNT = 100_000;
    const path = join(temporaryDirectory(), "state.lmdb");
    const options = { versionsKept: 0, cacheBytes: 1_000_000 };
    const database = new LmdbDatabase(path);
    const stores = openStores(database, ["bank"], options);
    writeAll(stores, "bank", COUNT, 0);
    stores.commit();
    expect(rootOf(stores, "bank", 1n)).toBe(refHash(reference(undefined, COUNT, 0, 1)).toString("hex"));
    database.close();

    const reopened = new LmdbDatabase(path);
    const upgrades = { renamed: [{ oldKey: "bank", newKey: "coins" }] };
    const renamed = openStores(reopened, ["coins"], { ...options, upgrades });
    renamed.commit();
    expect(rootOf(renamed, "coins", 2n)).toBe(refHash(reference(undefined, COUNT, 0, 2)).toString("hex"));
    expect(renamed.store("coins").get(keyOf(COUNT - 1))).toEqual(filledValue(COUNT - 1, 0));
    let count = 0;
    for (const [key, value] of renamed.at(2n).store("coins").iterate()) {
      if (toHex(key) !== toHex(keyOf(count)) || toHex(value) !== toHex(filledValue(count, 0))) break;
      count++;
    }
    expect(count).toBe(COUNT);

    deleteAll(renamed, "coins");
    renamed.commit();
    expect(rootOf(renamed, "coins", 3n)).toBe(refHash(undefined).toString("hex"));
    for (let i = 0; i < 80 && keysOf(reopened, "n").length + keysOf(reopened, "g").length > 0; i++) renamed.commit();
    expect(keysOf(reopened).map((key) => String.fromCharCode(key[0] as number))).toEqual(["c", "f"]);
    reopened.close();
  });

  test("a rename with every value rewritten in the same block → the reference's root, and one tree on disk, not two", () => {
    const COUNT = 20_000;
    const database = new MemoryDatabase();
    const options = { versionsKept: 0, stagedBytes: 200_000 };
    const first = openStores(database, ["old"], options);
    writeAll(first, "old", COUNT, 0);
    first.commit();
    const once = chunkBytes(database);
    const upgrades = { renamed: [{ oldKey: "old", newKey: "new" }] };
    const stores = openStores(database, ["new"], { ...options, upgrades });
    writeAll(stores, "new", COUNT, 1);
    stores.commit();
    const expected = reference(reference(undefined, COUNT, 0, 2), COUNT, 1, 2);
    expect(rootOf(stores, "new", 2n)).toBe(refHash(expected).toString("hex"));
    expect(chunkBytes(database)).toBeLessThan(2.2 * once); // the old store is still there
    for (let i = 0; i < 6; i++) stores.commit();
    expect(chunkBytes(database)).toBeLessThan(1.1 * once);
    expectNoGarbage(database);
  });

  test("every pair of a large store deleted in one block → it begins again under another number; the old one goes whole", () => {
    const COUNT = 5_000;
    const database = new MemoryDatabase();
    const options = { versionsKept: 1, restartPairs: COUNT };
    const stores = openStores(database, ["a", "b"], options);
    writeAll(stores, "a", COUNT, 0);
    writeAll(stores, "b", COUNT - 1, 0);
    stores.commit();
    const before = readCommit(database, 1);
    for (const name of ["a", "b"]) deleteAll(stores, name);
    stores.store("a").delete(utf8("z")); // nobody has it
    expect(stores.stage()).toEqual(stores.stage()); // as often as one likes
    stores.commit();
    const after = readCommit(database, 2);
    expect(after?.stores.map(({ number }) => number)).toEqual([before?.nextStore, before?.stores[1]?.number]);
    expect(after?.nextStore).toBe(3 + 1);
    for (const name of ["a", "b"]) expect(rootOf(stores, name, 2n)).toBe(refHash(undefined).toString("hex"));
    expect(new Set(keysOf(database, "o").map((key) => readOrphansKey(key).store))).toEqual(new Set([2]));

    rollbackLastVersion(database);
    const again = openStores(database, ["a", "b"], options);
    expect(rootOf(again, "a", 1n)).toBe(refHash(reference(undefined, COUNT, 0, 1)).toString("hex"));
    expect(keysOf(database, "g")).toEqual([]);
    for (const name of ["a", "b"]) deleteAll(again, name);
    again.commit();
    writeAll(again, "a", 10, 1);
    again.commit();
    expect(rootOf(again, "a", 3n)).toBe(refHash(reference(undefined, 10, 1, 3)).toString("hex"));
    for (let i = 0; i < 12; i++) again.commit();
    expectNoGarbage(database);
    expect(keysOf(database, "g")).toEqual([]);
  });

  test("all but one pair deleted, all deleted and one set, one rewritten → the reference's roots", () => {
    const COUNT = 300;
    const most = (stores: CommitMultiStore, spared: number) => {
      for (let i = 0; i < COUNT; i++) if (i !== spared) stores.store("a").delete(keyOf(i));
    };
    const without = (spared: number) => {
      let root = reference(undefined, COUNT, 0, 1);
      for (let i = 0; i < COUNT; i++) if (root && i !== spared) root = refRemove(root, toHex(keyOf(i)), 2);
      return root;
    };
    const over = (change: (stores: CommitMultiStore) => void) => {
      const stores = openStores(new MemoryDatabase(), ["a"], { restartPairs: 1 });
      writeAll(stores, "a", COUNT, 0);
      stores.commit();
      change(stores);
      stores.commit();
      return rootOf(stores, "a", 2n);
    };
    for (const spared of [0, 1, 7, 150, COUNT - 1]) {
      expect(over((stores) => most(stores, spared))).toBe(refHash(without(spared)).toString("hex"));
    }
    const behind = keyOf(COUNT);
    const one = refSet(undefined, toHex(behind), "00", 2);
    expect(
      over((stores) => {
        most(stores, -1);
        stores.store("a").set(behind, Uint8Array.of(0));
      }),
    ).toBe(refHash(one).toString("hex"));
    expect(
      over((stores) => {
        most(stores, 7);
        stores.store("a").set(keyOf(7), Uint8Array.of(0));
      }),
    ).not.toBe(refHash(undefined).toString("hex"));
  });

  test("many blocks that rewrite much of a store → no backlog of garbage grows", () => {
    const database = new MemoryDatabase();
    const stores = openStores(database, ["a"], { versionsKept: 2 });
    writeAll(stores, "a", 10_000, 0);
    stores.commit();
    const once = chunkBytes(database);
    for (let round = 1; round < 10; round++) {
      writeAll(stores, "a", 10_000, round);
      stores.commit();
    }
    // Three readable versions share nothing; garbage waits for one commit.
    expect(chunkBytes(database)).toBeLessThan(5 * once);
    for (let i = 0; i < 12; i++) stores.commit();
    expect(chunkBytes(database)).toBeLessThan(1.1 * once);
    expectNoGarbage(database);
  });
});
