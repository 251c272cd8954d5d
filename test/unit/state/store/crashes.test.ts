import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { toHex, utf8 } from "../../../../host/base/text/bytes.js";
import type { Database } from "../../../../host/state/store/disk/database.js";
import { LmdbDatabase } from "../../../../host/state/store/disk/lmdb-database.js";
import { MemoryDatabase } from "../../../../host/state/store/disk/memory-database.js";
import type { CommitMultiStore } from "../../../../host/state/store/versions/commit-multi-store.js";
import { Crash, CrashingDatabase } from "./crashing-database.js";
import { copyOf, dumpOf, type OpenOptions, openStores, sha256, temporaryDirectory } from "./support.js";

/** One block of a chain that is interrupted at every moment of its commit. */
interface Scene {
  readonly stores: readonly string[];
  readonly options: OpenOptions;
  write(stores: CommitMultiStore): void;
}

const BASE: OpenOptions = { versionsKept: 1, stagedBytes: 3_000 };

function fill(stores: CommitMultiStore, name: string, from: number, to: number, valueBytes: number): void {
  const branch = stores.branch();
  for (let i = from; i < to; i++)
    branch.store(name).set(utf8(`key ${i}`), new Uint8Array(valueBytes + (i % 40)).fill(i));
  branch.write();
}

/** Some versions with orphans of every age, and a store that is about to be collected. */
function prepare(database: Database): void {
  const first = openStores(database, ["a", "b", "gone"], BASE);
  fill(first, "a", 0, 120, 100);
  fill(first, "b", 0, 30, 200);
  fill(first, "gone", 0, 40, 100);
  first.commit({ keep: true });
  fill(first, "a", 10, 60, 90);
  fill(first, "gone", 20, 60, 100);
  first.commit();
  const second = openStores(database, ["a", "b"], { ...BASE, upgrades: { deleted: ["gone"] } });
  fill(second, "a", 50, 90, 110);
  second.commit();
  fill(second, "b", 0, 10, 10);
  second.commit();
}

const PLAIN: Scene = {
  stores: ["a", "b"],
  options: BASE,
  write(stores) {
    fill(stores, "a", 80, 160, 1_200);
    for (let i = 0; i < 40; i++) stores.store("a").delete(utf8(`key ${i}`));
    fill(stores, "b", 5, 9, 50);
  },
};

/** The renamed store is rewritten as a whole, so its first nodes are given up by the commit that makes them. */
const UPGRADE: Scene = {
  stores: ["b", "new", "renamed"],
  options: { ...BASE, upgrades: { added: ["new"], renamed: [{ oldKey: "a", newKey: "renamed" }] } },
  write(stores) {
    fill(stores, "renamed", 0, 120, 700);
    fill(stores, "new", 0, 50, 800);
    stores.store("b").delete(utf8("key 3"));
  },
};

/** Branches put their writes aside, before they are handed on and after. */
const SPILL: Scene = {
  stores: ["a", "b"],
  options: { ...BASE, branchBytes: 4_000 },
  write(stores) {
    PLAIN.write(stores);
    fill(stores, "b", 0, 30, 300);
  },
};

const LARGE: Scene = {
  stores: ["a", "b"],
  options: { versionsKept: 1 },
  write(stores) {
    for (let i = 0; i < 11; i++) stores.store("b").set(Uint8Array.of(i), new Uint8Array(1_000_000).fill(i));
    stores.store("a").delete(utf8("key 5"));
  },
};

function contentsOf(stores: CommitMultiStore): string[] {
  const digest = (value: Uint8Array) => toHex(sha256(value));
  return stores.names.flatMap((name) =>
    Array.from(stores.store(name).iterate(), ([key, value]) => `${name} ${toHex(key)}=${digest(value)}`),
  );
}

/** What the scene makes of the prepared chain when nothing goes wrong. */
function uninterrupted(scene: Scene) {
  const database = new MemoryDatabase();
  prepare(database);
  const before = toHex(openStores(database, ["a", "b"], BASE).lastCommitID.hash);
  const prepared = copyOf(database);
  const counting = new CrashingDatabase(database, -1);
  const stores = openStores(counting, scene.stores, scene.options);
  scene.write(stores);
  const { version, hash } = stores.commit();
  return {
    prepared,
    before,
    moments: counting.moments,
    version,
    hash: toHex(hash),
    dump: dumpOf(database),
    contents: contentsOf(stores),
  };
}

type Expected = ReturnType<typeof uninterrupted>;

/** After a crash: the state is wholly old or wholly new, and a retry ends as the uninterrupted run did. */
function checkRecovery(database: Database, scene: Scene, expected: Expected): void {
  const probe = openStores(database, [], { ...scene.options, upgrades: undefined, mountStored: true });
  const isNew = probe.lastCommitID.version === expected.version;
  expect(toHex(probe.lastCommitID.hash)).toBe(isNew ? expected.hash : expected.before);
  expect(toHex(probe.at(probe.lastCommitID.version).computeAppHash())).toBe(isNew ? expected.hash : expected.before);
  if (!isNew) {
    expect(dumpOf(database)).toEqual(dumpOf(expected.prepared));
    const stores = openStores(database, scene.stores, scene.options);
    scene.write(stores);
    expect(toHex(stores.commit().hash)).toBe(expected.hash);
  }
  expect(dumpOf(database)).toEqual(expected.dump);
  const reopened = openStores(database, scene.stores, { ...scene.options, upgrades: undefined });
  expect(contentsOf(reopened)).toEqual(expected.contents);
}

function interrupt(database: Database, scene: Scene): void {
  expect(() => {
    const stores = openStores(database, scene.stores, scene.options);
    scene.write(stores);
    stores.commit();
  }).toThrow(Crash);
}

/** The answer, or undefined after a crash. */
function attempt<T>(action: () => T): T | undefined {
  try {
    return action();
  } catch (error) {
    expect(error).toBeInstanceOf(Crash);
    return undefined;
  }
}

describe("commit() interrupted", () => {
  for (const [name, scene] of Object.entries({ PLAIN, UPGRADE, SPILL })) {
    test(`the process dies at any moment of a commit that stages early (${name}) → all or nothing, and the retry is the same`, () => {
      const expected = uninterrupted(scene);
      expect(expected.moments).toBeGreaterThan(30);
      for (let at = 0; at < expected.moments; at++) {
        const database = copyOf(expected.prepared);
        interrupt(new CrashingDatabase(database, at), scene);
        checkRecovery(database, scene, expected);
      }
    });

    test(`the process dies again while it sweeps (${name}) → the third one gets there`, () => {
      const expected = uninterrupted(scene);
      const late = copyOf(expected.prepared);
      interrupt(new CrashingDatabase(late, expected.moments - 10), scene);
      expect(dumpOf(late).length).toBeGreaterThan(dumpOf(expected.prepared).length);
      let sweeps = 0;
      for (let at = 0; ; at++) {
        const database = copyOf(late);
        const crashing = new CrashingDatabase(database, at);
        if (!attempt(() => openStores(crashing, scene.stores, scene.options))) sweeps++;
        checkRecovery(database, scene, expected);
        if (!crashing.hasCrashed) break;
      }
      expect(sweeps).toBeGreaterThan(5);
    });

    test(`the disk refuses once, at any moment (${name}) → commit() again in the same process is the same`, () => {
      const expected = uninterrupted(scene);
      for (let at = 0; ; at++) {
        const database = copyOf(expected.prepared);
        const crashing = new CrashingDatabase(database, at, "refuses once");
        const stores = openStores(crashing, scene.stores, scene.options);
        attempt(() => scene.write(stores));
        if (crashing.hasCrashed) scene.write(stores); // its writes are the same each time
        const committed = attempt(() => stores.commit());
        if (!committed) expect(toHex(stores.lastCommitID.hash)).toBe(expected.before);
        expect(toHex((committed ?? stores.commit()).hash)).toBe(expected.hash);
        // A branch that nobody discards leaves what it spilled to the next start.
        expect(dumpOf(database).filter((record) => !record.startsWith("74"))).toEqual(expected.dump);
        expect(contentsOf(stores)).toEqual(expected.contents);
        if (!crashing.hasCrashed) break;
        stores.commit();
        expect([1n, 2n, 3n, 4n, 5n, 6n].filter((version) => stores.has(version))).toEqual([1n, 5n, 6n]);
      }
    });
  }

  test("the process dies in the upgrade block, and the next one makes another block → as if the first never was", () => {
    const interrupted = uninterrupted(UPGRADE);
    const expected = uninterrupted(PLAIN);
    for (let at = 0; at < interrupted.moments - 1; at++) {
      const database = copyOf(expected.prepared);
      interrupt(new CrashingDatabase(database, at), UPGRADE);
      checkRecovery(database, PLAIN, expected);
    }
  });

  test("with the ordinary limit, values of 1 MB and LMDB → the same", () => {
    const expected = uninterrupted(LARGE);
    const moments = [1, 5, 10, 11, 12, 14, expected.moments - 3, expected.moments - 1];
    for (const at of moments) {
      const path = join(temporaryDirectory(), "state.lmdb");
      const database = new LmdbDatabase(path);
      prepare(database);
      const crashing = new CrashingDatabase(database, at);
      interrupt(crashing, LARGE);
      crashing.close();
      const reopened = new LmdbDatabase(path);
      checkRecovery(reopened, LARGE, expected);
      reopened.close();
    }
  });
});
