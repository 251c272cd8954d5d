import { describe, expect, test } from "vitest";
import { toHex, utf8 } from "../../../../host/base/text/bytes.js";
import type { RecordChange } from "../../../../host/state/store/disk/database.js";
import { MemoryDatabase } from "../../../../host/state/store/disk/memory-database.js";
import type { CommitMultiStore } from "../../../../host/state/store/versions/commit-multi-store.js";
import type { RootChange } from "../../../../host/state/store/versions/open-store.js";
import type { CommitOptions } from "../../../../host/state/store/versions/store-options.js";
import { pairsOf } from "../../../suite/kv-store.js";
import { expectNoGarbage } from "./reachable.js";
import { code, dumpOf, openStores } from "./support.js";

const NAMES = ["a", "b", "last"];

function opened(stagedBytes = 1_000_000): { database: MemoryDatabase; stores: CommitMultiStore } {
  const database = new MemoryDatabase();
  const stores = openStores(database, NAMES, { stagedBytes });
  for (const name of NAMES) stores.store(name).set(utf8("first"), utf8(name));
  stores.commit();
  return { database, stores };
}

function fill(stores: CommitMultiStore, name: string, from: number, to: number): void {
  for (let i = from; i < to; i++) stores.store(name).set(utf8(`key ${i}`), new Uint8Array(100).fill(i));
}

describe("stage()", () => {
  test("stage() then commit() → the same version and hash; the working hash is the same", () => {
    const { stores } = opened();
    fill(stores, "a", 0, 300);
    const working = stores.workingHash();
    const staged = stores.stage();
    expect(staged.version).toBe(2n);
    expect(stores.lastCommitID.version).toBe(1n);
    expect(stores.has(2n)).toBe(false);
    const committed = stores.commit();
    expect(committed).toEqual(staged);
    expect(toHex(committed.hash)).toBe(toHex(working));
    expect(toHex(stores.at(2n).appHash)).toBe(toHex(working));
  });

  test("stage() twice, workingHash() in between, more writes in between → what commit() alone would make", () => {
    for (const stagedBytes of [0, 2_000, 1_000_000]) {
      const { database, stores } = opened(stagedBytes);
      fill(stores, "a", 0, 200);
      stores.stage();
      stores.workingHash();
      fill(stores, "b", 0, 300);
      const twice = [stores.stage(), stores.stage()].map(({ hash }) => toHex(hash));
      const plain = opened(stagedBytes);
      fill(plain.stores, "a", 0, 200);
      fill(plain.stores, "b", 0, 300);
      expect(twice).toEqual([toHex(plain.stores.commit().hash), toHex(stores.commit().hash)]);
      expect(dumpOf(database)).toEqual(dumpOf(plain.database));
    }
  });

  test("staged work that is given up, also when part of it was written early → leaves nothing behind", () => {
    for (const stagedBytes of [0, 2_000]) {
      const { database, stores } = opened(stagedBytes);
      fill(stores, "a", 0, 400);
      stores.commit();
      const plain = opened(stagedBytes);
      fill(plain.stores, "a", 0, 400);
      plain.stores.commit();
      // Changes everything, so that every node is an orphan of what is given up.
      fill(stores, "a", 0, 500);
      fill(stores, "b", 0, 500);
      stores.workingHash();
      for (const name of NAMES) stores.store(name).discard();
      for (const each of [stores, plain.stores]) {
        fill(each, "a", 3, 5);
        each.commit();
      }
      expect(dumpOf(database)).toEqual(dumpOf(plain.database));
    }
  });

  test("discard(), staged or only written, also when part of it was written early → as if nothing had been written", () => {
    for (const stagedBytes of [0, 2_000, 1_000_000]) {
      const { database, stores } = opened(stagedBytes);
      const before = dumpOf(database);
      for (const isStaged of [true, false]) {
        fill(stores, "a", 0, 500);
        stores.store("last").delete(utf8("first"));
        if (isStaged) stores.stage({ time: { seconds: 9n, nanos: 9 }, engine: "given up" });
        stores.discard();
        expect(stores.store("last").get(utf8("first"))).toEqual(utf8("last"));
        expect(dumpOf(database)).toEqual(before);
      }
      const plain = opened(stagedBytes);
      for (const each of [stores, plain.stores]) {
        fill(each, "b", 0, 3);
        each.commit();
      }
      expect(dumpOf(database)).toEqual(dumpOf(plain.database));
      expect(stores.lastBlock).toEqual({ time: undefined, engine: "" });
    }
  });

  test("so much staged work that its own nodes are read while it is made, given up and made otherwise → the other tree", () => {
    // The first keys are rewritten and finished early; then the last are removed, and balancing turns finished nodes,
    // which are where an attempt that was given up had others.
    const key = (i: number) => utf8(`key ${String(i).padStart(4, "0")}`);
    const start = () => {
      const database = new MemoryDatabase();
      const first = openStores(database, ["a"]);
      for (let i = 0; i < 1_600; i++) first.store("a").set(key(i), Uint8Array.of(i));
      first.commit();
      return { database, stores: openStores(database, ["a"], { stagedBytes: 100_000 }) };
    };
    const write = (stores: CommitMultiStore, byte: number) => {
      for (let i = 0; i < 600; i++) stores.store("a").set(key(i), new Uint8Array(12_000).fill(byte));
      for (let i = 600; i < 1_600; i++) stores.store("a").delete(key(i));
    };
    const { database, stores } = start();
    for (const byte of [1, 2]) {
      write(stores, byte);
      stores.workingHash();
      stores.store("a").discard();
    }
    const plain = start();
    for (const each of [stores, plain.stores]) write(each, 77);
    expect(toHex(stores.commit().hash)).toBe(toHex(plain.stores.commit().hash));
    expect(dumpOf(database)).toEqual(dumpOf(plain.database));
    for (let i = 0; i < 600; i++) expect(stores.store("a").get(key(i))?.[i]).toBe(77);
  });

  test("writing, writing a branch, or discarding after stage() → commit() is UPG_BUG_ASSERT and nothing is committed", () => {
    const touches: ((stores: CommitMultiStore) => void)[] = [
      (stores) => stores.store("a").set(utf8("k"), utf8("v")),
      (stores) => stores.store("b").delete(utf8("nope")),
      (stores) => stores.store("a").discard(),
      (stores) => {
        const branch = stores.branch();
        branch.store("b").set(utf8("k"), utf8("v"));
        branch.write();
      },
    ];
    for (const touch of touches) {
      const { stores } = opened();
      fill(stores, "a", 0, 3);
      stores.stage();
      touch(stores);
      expect(() => stores.commit()).toThrow(code("UPG_BUG_ASSERT"));
      expect(stores.lastCommitID.version).toBe(1n);
      const again = stores.stage();
      expect(stores.commit()).toEqual(again);
    }
  });

  test("a branch that was not written, and one that is written empty, after stage() → commit() goes on", () => {
    const { stores } = opened();
    fill(stores, "a", 0, 3);
    const staged = stores.stage();
    const branch = stores.branch();
    branch.store("a").set(utf8("never written"), utf8("x"));
    stores.branch().write();
    expect(stores.commit()).toEqual(staged);
    expect(stores.store("a").has(utf8("never written"))).toBe(false);
  });

  test("keep, given to stage() or to commit() → the version stays readable", () => {
    const ways: [CommitOptions, CommitOptions][] = [
      [{ keep: true }, {}],
      [{}, { keep: true }],
    ];
    for (const [toStage, toCommit] of ways) {
      const stores = openStores(new MemoryDatabase(), ["a"], { versionsKept: 0 });
      stores.stage(toStage);
      stores.commit(toCommit);
      for (let i = 0; i < 3; i++) stores.commit();
      expect([1n, 2n, 3n, 4n].filter((version) => stores.has(version))).toEqual([1n, 4n]);
    }
  });
});

describe("commit() with last", () => {
  test("write() gets the roots of all other stores, before and after; what it writes is part of the version", () => {
    const { stores } = opened();
    const before = stores.at(1n);
    stores.store("a").set(utf8("first"), utf8("changed"));
    stores.store("last").set(utf8("block"), utf8("write"));
    let seen: ReadonlyMap<string, RootChange> = new Map();
    stores.commit({
      last: {
        store: "last",
        write(store, roots) {
          seen = roots;
          expect(pairsOf(store)).toHaveLength(2);
          store.set(utf8("receipt"), roots.get("a")?.after ?? new Uint8Array());
        },
      },
    });
    const after = stores.at(2n);
    expect([...seen.keys()].sort()).toEqual(["a", "b"]);
    for (const name of ["a", "b"]) {
      expect(seen.get(name)?.before).toEqual(before.rootHash(name));
      expect(seen.get(name)?.after).toEqual(after.rootHash(name));
    }
    expect(seen.get("a")?.before).not.toEqual(seen.get("a")?.after);
    expect(seen.get("b")?.before).toEqual(seen.get("b")?.after);
    expect(after.store("last").get(utf8("receipt"))).toEqual(after.rootHash("a"));
    expect(toHex(after.computeAppHash())).toBe(toHex(after.appHash));
  });

  test("a new store has no root before, a renamed one that of its old name", () => {
    const { database, stores } = opened();
    const renamed = [{ oldKey: "b", newKey: "c" }];
    const next = openStores(database, ["a", "c", "new", "last"], { upgrades: { renamed, added: ["new"] } });
    const seen: string[] = [];
    next.stage({
      last: {
        store: "last",
        write: (_, roots) => {
          for (const [name, { before }] of roots) seen.push(`${name} ${before && toHex(before)}`);
        },
      },
    });
    const root = (name: string) => toHex(stores.at(1n).rootHash(name));
    expect(seen.sort()).toEqual([`a ${root("a")}`, `c ${root("b")}`, "new undefined"]);
  });

  test("a store that is absent → UPG_NOT_FOUND_STORE; write() that throws → nothing committed, and again", () => {
    const { database, stores } = opened();
    fill(stores, "a", 0, 100);
    const nothing = { write: () => undefined };
    expect(() => stores.commit({ last: { store: "none", ...nothing } })).toThrow(code("UPG_NOT_FOUND_STORE"));
    const error = new Error("no receipt");
    const failing = {
      store: "last",
      write: () => {
        throw error;
      },
    };
    expect(() => stores.commit({ last: failing })).toThrow(error);
    expect(stores.lastCommitID.version).toBe(1n);
    const plain = opened();
    fill(plain.stores, "a", 0, 100);
    expect(stores.commit({ last: { store: "last", ...nothing } })).toEqual(plain.stores.commit());
    expect(dumpOf(database)).toEqual(dumpOf(plain.database));
    expectNoGarbage(database);
  });
});

describe("commit() with alongside", () => {
  const record = utf8("b record of somebody else's");

  test("its records become visible with the version, not with stage()", () => {
    const { database, stores } = opened();
    const alongside = [{ key: record, value: utf8("block") }];
    stores.stage({ alongside });
    expect(database.get(record)).toBeUndefined();
    stores.commit({ alongside });
    expect(database.get(record)).toEqual(utf8("block"));
  });

  test("that throws → neither record nor version; the next commit() has both", () => {
    const { database, stores } = opened();
    fill(stores, "a", 0, 10);
    const error = new Error("no block");
    function* failing(): Generator<RecordChange> {
      yield { key: record, value: utf8("block") };
      throw error;
    }
    expect(() => stores.commit({ alongside: failing() })).toThrow(error);
    expect(database.get(record)).toBeUndefined();
    expect([stores.has(2n), stores.lastCommitID.version]).toEqual([false, 1n]);
    stores.commit({ alongside: [{ key: record, value: utf8("again") }] });
    expect(database.get(record)).toEqual(utf8("again"));
    expect(pairsOf(stores.store("a"))).toHaveLength(11);
  });
});
