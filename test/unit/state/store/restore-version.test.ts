import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { toHex, utf8 } from "../../../../host/base/text/bytes.js";
import { type TreeNode, treeNodes } from "../../../../host/state/commitment/tree-nodes.js";
import { MemoryDatabase } from "../../../../host/state/store/disk/memory-database.js";
import { auditState } from "../../../../host/state/store/versions/audit.js";
import type { CommitMultiStore } from "../../../../host/state/store/versions/commit-multi-store.js";
import { VersionRestore } from "../../../../host/state/store/versions/restore-version.js";
import { blocks, History } from "./history.js";
import { expectNoGarbage } from "./reachable.js";
import { code, keysOf, openStores, sha256 } from "./support.js";

/** The last version of `stores`, node by node, in a database of its own. */
function restored(stores: CommitMultiStore): MemoryDatabase {
  const database = new MemoryDatabase();
  const { version, hash } = stores.lastCommitID;
  const view = stores.at(version);
  const expected = view.names.map((name) => ({ name, hash: view.rootHash(name), size: view.tree(name).root.size }));
  const options = { sha256, version: Number(version), stores: expected, engine: "cometbft" };
  const restore = new VersionRestore(database, options);
  for (const name of view.names) {
    restore.begin(name);
    for (const node of treeNodes(view.tree(name))) restore.add(node);
  }
  restore.finish(hash);
  restore.commit([]);
  return database;
}

function fresh(names: readonly string[], database = new MemoryDatabase(), size = 1_000): VersionRestore {
  const stores = names.map((name) => ({ name, hash: new Uint8Array(32), size }));
  return new VersionRestore(database, { sha256, version: 9, stores, engine: "" });
}

function writeBlock(stores: CommitMultiStore, names: readonly string[], seed: number): void {
  for (const name of names) {
    for (let i = 0; i < 40; i++) {
      const key = utf8(`key ${(seed * 31 + i * 7) % 500}`);
      if ((seed + i) % 3 === 0) stores.store(name).delete(key);
      else stores.store(name).set(key, utf8(`${seed} ${i}`));
    }
  }
}

describe("VersionRestore", () => {
  test("any history, its last version restored, both going on with the same writes → the same app hashes, proofs, no garbage", () => {
    fc.assert(
      fc.property(blocks, fc.nat(20), (drawn, more) => {
        const original = new History(new MemoryDatabase(), { versionsKept: 3 });
        for (const block of drawn) original.advance(block);
        if (original.stores.lastCommitID.version === 0n) return;
        const database = restored(original.stores);
        const names = original.stores.names;
        const copy = openStores(database, names, { versionsKept: 2 });
        expect(toHex(copy.lastCommitID.hash)).toBe(toHex(original.stores.lastCommitID.hash));
        expect(auditState(database, { sha256 }).versions).toBe(1);
        for (let block = 0; block < more; block++) {
          writeBlock(original.stores, names, block);
          writeBlock(copy, names, block);
          expect(toHex(copy.commit().hash)).toBe(toHex(original.stores.commit().hash));
        }
        auditState(database, { sha256 });
        expectNoGarbage(database);
        const key = utf8("key 7");
        const [before, after] = [original.stores, copy].map((stores) => stores.at(stores.lastCommitID.version));
        for (const name of names) {
          expect(after?.proveUnchecked(name, key)).toEqual(before?.proveUnchecked(name, key));
        }
      }),
      { numRuns: 40 },
    );
  });

  test("given up in the middle → none of its chunks is left", () => {
    const database = new MemoryDatabase();
    const restore = fresh(["a"], database);
    restore.begin("a");
    for (let i = 100; i < 200; i++) {
      restore.add({ key: utf8(`key ${i}`), value: new Uint8Array(100_000), version: 1, height: 0 });
    }
    expect(keysOf(database).length).toBeGreaterThan(10);
    restore.discard();
    expect(keysOf(database, "n")).toEqual([]);
  });

  const leaf = (key: string, version = 1): TreeNode => ({ key: utf8(key), value: utf8("v"), version, height: 0 });
  const inner = (key: string, height = 1, version = 1): TreeNode => ({
    ...{ key: utf8(key), value: undefined, version, height },
  });
  const WRONG: readonly (readonly [what: string, nodes: readonly TreeNode[]])[] = [
    ["keys that descend", [leaf("b"), leaf("a"), inner("a")]],
    ["a key twice", [leaf("a"), leaf("a"), inner("a")]],
    ["an inner node first", [inner("a")]],
    ["an inner node with one child", [leaf("a"), inner("a")]],
    ["an inner node whose key is the left one", [leaf("a"), leaf("b"), inner("a")]],
    ["a height of two above leaves", [leaf("a"), leaf("b"), inner("b", 2)]],
    ["a height below 0", [leaf("a"), leaf("b"), inner("b", -1)]],
    ["an inner node older than a leaf below it", [leaf("a", 2), leaf("b", 3), inner("b", 1, 2)]],
    ["a version after the restored one", [leaf("a", 10)]],
    ["version 0", [leaf("a", 0)]],
    ["an empty key", [leaf("")]],
    ["a key of 65,536 bytes", [leaf("x".repeat(65_536))]],
    ["a value of more than 1 MiB", [{ key: utf8("a"), value: new Uint8Array(1_048_577), version: 1, height: 0 }]],
    ["an inner node with a value", [leaf("a"), leaf("b"), { ...inner("b"), value: utf8("v") }]],
    ["a tree out of balance", [leaf("a"), leaf("b"), leaf("c"), leaf("d"), inner("d"), inner("c", 2), inner("b", 3)]],
    ["leaves without a root", [leaf("a"), leaf("b")]],
  ];

  test.each(WRONG)("%s → UPG_INVALID_SNAPSHOT", (_, nodes) => {
    const restore = fresh(["a", "b"]);
    restore.begin("a");
    expect(() => {
      for (const node of nodes) restore.add(node);
      restore.begin("b");
    }).toThrow(code("UPG_INVALID_SNAPSHOT"));
  });

  test("another store than is next, nodes before a store, more nodes than its size, another hash → UPG_INVALID_SNAPSHOT", () => {
    const bad = code("UPG_INVALID_SNAPSHOT");
    expect(() => fresh(["a", "b"]).begin("b")).toThrow(bad);
    expect(() => fresh([]).begin("a")).toThrow(bad);
    expect(() => fresh(["a"]).add(leaf("a"))).toThrow(bad);
    const many = fresh(["a"], new MemoryDatabase(), 1);
    many.begin("a");
    many.add(leaf("a"));
    expect(() => many.add(leaf("b"))).toThrow(bad);
    const other = fresh(["a", "b"]);
    other.begin("a");
    other.add(leaf("a"));
    expect(() => other.begin("b")).toThrow(bad);
    expect(() => fresh([]).finish(new Uint8Array(32))).toThrow(bad);
  });

  test("a database that has a version → UPG_STORE_LOCKED, nothing of it is swept", () => {
    const database = new MemoryDatabase();
    const stores = openStores(database, ["a"]);
    writeBlock(stores, ["a"], 1);
    stores.commit();
    const before = keysOf(database);
    expect(() => fresh(["a"], database)).toThrow(code("UPG_STORE_LOCKED"));
    expect(keysOf(database)).toEqual(before);
  });
});
