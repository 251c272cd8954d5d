import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { bigEndian64, concatBytes, toHex, utf8 } from "../../../host/bytes.js";
import type { CommitMultiStore } from "../../../host/store/commit-multi-store.js";
import type { Database } from "../../../host/store/database.js";
import { LmdbDatabase } from "../../../host/store/lmdb-database.js";
import { MemoryDatabase } from "../../../host/store/memory-database.js";
import { type RefNode, refHash, refSet } from "../commitment/reference-tree.js";
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
    for (let i = 0; i < 80 && keysOf(reopened, "n").length > 0; i++) renamed.commit();
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
