import { describe, expect, test } from "vitest";
import { utf8 } from "../../../../host/base/text/bytes.js";
import type { Batch, Database, DatabaseRange } from "../../../../host/state/store/disk/database.js";
import { commitKey } from "../../../../host/state/store/disk/keys.js";
import { MemoryDatabase } from "../../../../host/state/store/disk/memory-database.js";
import type { CommitMultiStore } from "../../../../host/state/store/versions/commit-multi-store.js";
import { ReadableVersions } from "../../../../host/state/store/versions/readable-versions.js";
import { expectNoGarbage } from "./reachable.js";
import { keysOf, openStores } from "./support.js";

function fill(stores: CommitMultiStore, name: string, from: number, to: number, byte: number): void {
  for (let i = from; i < to; i++) stores.store(name).set(utf8(`key ${i}`), new Uint8Array(100).fill(byte));
}

function settle(stores: CommitMultiStore): void {
  for (let i = 0; i < 6; i++) stores.commit();
}

/** Counts what a database is asked. */
class CountingDatabase implements Database {
  reads = 0;
  readonly #inner = new MemoryDatabase();
  get(key: Uint8Array): Uint8Array | undefined {
    this.reads++;
    return this.#inner.get(key);
  }
  keys(range: DatabaseRange): Uint8Array[] {
    this.reads++;
    return this.#inner.keys(range);
  }
  transaction(changes: (batch: Batch) => void): void {
    this.#inner.transaction(changes);
  }
  close(): void {
    this.#inner.close();
  }
}

describe("pruning", () => {
  test("a store that is deleted while a kept version has it → only what that version reads stays", () => {
    const database = new MemoryDatabase();
    const first = openStores(database, ["a", "b"], { versionsKept: 0 });
    fill(first, "a", 0, 10, 1);
    first.commit({ keep: true });
    fill(first, "a", 5, 3_000, 2);
    first.commit();
    const stores = openStores(database, ["b"], { versionsKept: 0, upgrades: { deleted: ["a"] } });
    stores.commit();
    expect(keysOf(database, "n").length).toBeGreaterThan(20);
    settle(stores);
    expect(keysOf(database, "n").length).toBe(1);
    expectNoGarbage(database);
    expect(stores.at(1n).store("a").get(utf8("key 7"))).toEqual(new Uint8Array(100).fill(1));
  });

  test("a kept version whose record is taken out by hand → what it alone read goes, lists of many parts too", () => {
    const database = new MemoryDatabase();
    const options = { versionsKept: 0 };
    const first = openStores(database, ["a", "gone"], options);
    fill(first, "a", 0, 6_000, 1);
    fill(first, "gone", 0, 100, 1);
    first.commit({ keep: true });
    // Each round gives up other nodes that the kept version has: their lists move to it, one after the other.
    const stores = openStores(database, ["a"], { ...options, upgrades: { deleted: ["gone"] } });
    for (let round = 0; round < 5; round++) {
      fill(stores, "a", round * 1_000, round * 1_000 + 1_000, 2 + round);
      stores.commit({ keep: round === 2 });
    }
    settle(stores);
    expectNoGarbage(database);
    for (const version of [4, 1]) {
      database.transaction((batch) => batch.remove(commitKey(version)));
      const reopened = openStores(database, ["a"], options);
      settle(reopened);
      expectNoGarbage(database);
      expect(Array.from(reopened.store("a").iterate())).toHaveLength(6_000);
    }
    expect(keysOf(database, "o")).toEqual([]);
    expect(keysOf(database, "g")).toEqual([]);
  });

  test("commit() asks the database no more often when there are many versions", () => {
    for (const versionsKept of [150, Number.POSITIVE_INFINITY]) {
      const database = new CountingDatabase();
      const stores = openStores(database, ["a"], { versionsKept });
      const reads: number[] = [];
      for (let version = 1; version <= 400; version++) {
        fill(stores, "a", version % 50, (version % 50) + 1, version);
        const before = database.reads;
        stores.commit({ keep: version % 100 === 0 });
        reads.push(database.reads - before);
      }
      expect(Math.max(...reads.slice(300))).toBeLessThan(60);
      expect(stores.has(100n)).toBe(true);
      expect(stores.has(101n)).toBe(versionsKept > 300);
    }
  });
});

describe("ReadableVersions", () => {
  test("inWords names the run; kept versions before it by themselves, since between them nothing is kept", () => {
    expect(new ReadableVersions([], 5, 7).inWords).toBe("5 to 7");
    expect(new ReadableVersions([2, 3], 5, 7).inWords).toBe("5 to 7, and before, by themselves, 2, 3");
    const many = Array.from({ length: 25 }, (_, at) => at + 1);
    expect(new ReadableVersions(many, 50, 60).inWords).toMatch(
      /^50 to 60, and before, by themselves, from 1 on, the last of them 6, 7, .*, 25$/,
    );
  });

  test("load() → the run up to the last version, and kept ones before it", () => {
    const over = (...versions: number[]) => {
      const database = new MemoryDatabase();
      database.transaction((batch) => {
        for (const version of versions) batch.put(commitKey(version), utf8("x"));
      });
      return ReadableVersions.load(database);
    };
    const many = Array.from({ length: 5_000 }, (_, i) => i + 100);
    const cases: { versions: number[]; first: number; last: number; lowest: number; upTo: Record<number, number> }[] = [
      { versions: [], first: 0, last: 0, lowest: 0, upTo: { 0: 0, 5: 0 } },
      { versions: [7], first: 7, last: 7, lowest: 7, upTo: { 6: 0, 7: 7, 8: 7 } },
      { versions: [3, 5, 6, 7], first: 5, last: 7, lowest: 3, upTo: { 2: 0, 3: 3, 4: 3, 5: 5, 9: 7 } },
      { versions: [1, 2, 9, 20, 21], first: 20, last: 21, lowest: 1, upTo: { 1: 1, 2: 2, 8: 2, 19: 9, 20: 20 } },
      { versions: [4, 98, ...many], first: 100, last: 5_099, lowest: 4, upTo: { 97: 4, 98: 98, 99: 98, 6000: 5_099 } },
    ];
    for (const { versions, first, last, lowest, upTo } of cases) {
      const readable = over(...versions);
      expect(readable).toMatchObject({ first, last, lowest });
      for (const [version, expected] of Object.entries(upTo)) expect(readable.upTo(Number(version))).toBe(expected);
      for (const version of versions) expect(readable.has(version)).toBe(true);
      for (const version of [0, 3, 8, 99, 9_999]) expect(readable.has(version)).toBe(versions.includes(version));
    }
  });
});
