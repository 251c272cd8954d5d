import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { toHex, utf8 } from "../../../../host/base/text/bytes.js";
import type { StoreUpgrades } from "../../../../host/base/types/types.js";
import type { Database } from "../../../../host/state/store/disk/database.js";
import { lastVersionOf } from "../../../../host/state/store/disk/fenced-database.js";
import { MemoryDatabase } from "../../../../host/state/store/disk/memory-database.js";
import type { CommitMultiStore } from "../../../../host/state/store/versions/commit-multi-store.js";
import { PinnedVersions } from "../../../../host/state/store/versions/pinned-versions.js";
import { rollbackLastVersion, rollbackTo } from "../../../../host/state/store/versions/rollback.js";
import { Crash, CrashingDatabase } from "./crashing-database.js";
import { expectNoGarbage } from "./reachable.js";
import { code, copyOf, DATABASES, dumpOf, openStores } from "./support.js";

function fill(stores: CommitMultiStore, name: string, seed: number, count = 60): void {
  const branch = stores.branch();
  const store = branch.store(name);
  for (let i = 0; i < count; i++) {
    const key = utf8(`key ${(i * 7 + seed * 13) % 90}`);
    if ((i + seed) % 5 === 0) store.delete(key);
    else store.set(key, new Uint8Array(20 + ((i * seed) % 60)).fill(seed));
  }
  branch.write();
}

function contents(stores: CommitMultiStore): string[] {
  return stores.names.flatMap((name) =>
    Array.from(stores.store(name).iterate(), ([key, value]) => `${name} ${toHex(key)}=${toHex(value)}`),
  );
}

describe.each(DATABASES)("rollbackLastVersion() on %s", (_, make) => {
  test("the version before is the last again, and the same writes give the same hash", () => {
    const database = make();
    const stores = openStores(database, ["a", "b"]);
    fill(stores, "a", 1);
    stores.commit();
    fill(stores, "b", 2);
    const two = stores.commit();
    const before = contents(stores);
    fill(stores, "a", 3);
    fill(stores, "b", 3);
    const three = stores.commit();
    expect(rollbackLastVersion(database)).toEqual({ from: 3n, to: 2n, appHash: two.hash });
    const again = openStores(database, ["a", "b"]);
    expect(again.lastCommitID).toEqual(two);
    expect(contents(again)).toEqual(before);
    expect(() => again.at(3n)).toThrow(code("UPG_NOT_FOUND_VERSION"));
    fill(again, "a", 3);
    fill(again, "b", 3);
    expect(again.commit()).toEqual(three);
    database.close();
  });

  test("a version that deleted, renamed and added stores → the stores before it are back", () => {
    const database = make();
    const stores = openStores(database, ["a", "b", "c"]);
    for (const name of ["a", "b", "c"]) fill(stores, name, 1);
    stores.commit();
    const before = contents(stores);
    const upgrades: Partial<StoreUpgrades> = {
      added: ["new"],
      renamed: [{ oldKey: "b", newKey: "renamed" }],
      deleted: ["c"],
    };
    const upgraded = openStores(database, ["a", "new", "renamed"], { upgrades });
    fill(upgraded, "new", 4);
    fill(upgraded, "renamed", 4);
    const two = upgraded.commit({ keep: true });
    rollbackLastVersion(database);
    const back = openStores(database, ["a", "b", "c"]);
    expect(contents(back)).toEqual(before);
    const again = openStores(database, ["a", "new", "renamed"], { upgrades });
    fill(again, "new", 4);
    fill(again, "renamed", 4);
    expect(again.commit({ keep: true })).toEqual(two);
    database.close();
  });
});

describe("rollbackLastVersion()", () => {
  test("nothing committed, one version only, or the one before pruned → UPG_NOT_FOUND_VERSION, nothing written", () => {
    const database = new MemoryDatabase();
    expect(() => rollbackLastVersion(database)).toThrow(code("UPG_NOT_FOUND_VERSION"));
    const stores = openStores(database, ["a"], { versionsKept: 0 });
    stores.commit();
    const one = dumpOf(database);
    expect(() => rollbackLastVersion(database)).toThrow(code("UPG_NOT_FOUND_VERSION"));
    expect(dumpOf(database)).toEqual(one);
    fill(stores, "a", 2);
    stores.commit();
    expect(() => rollbackLastVersion(database)).toThrow(code("UPG_NOT_FOUND_VERSION"));
    expect(openStores(database, ["a"]).lastCommitID.version).toBe(2n);
  });

  test("what the version showed beside the state is taken back with it, or not at all", () => {
    const database = new MemoryDatabase();
    const stores = openStores(database, ["a"]);
    const key = utf8("b block 2");
    stores.commit();
    stores.commit({ alongside: [{ key, value: utf8("block") }] });
    const fails = () => {
      throw new Error("no");
    };
    expect(() => rollbackLastVersion(database, fails)).toThrow("no");
    expect(openStores(database, ["a"]).lastCommitID.version).toBe(2n);
    rollbackLastVersion(database, (batch, version) => {
      expect(version).toBe(2n);
      batch.remove(key);
    });
    expect(database.get(key)).toBeUndefined();
  });

  test("ended at any moment → the version is there or gone, and the next start is sound", () => {
    const prepared = new MemoryDatabase();
    const stores = openStores(prepared, ["a"], { stagedBytes: 1_000 });
    for (let seed = 1; seed <= 3; seed++) {
      fill(stores, "a", seed);
      stores.commit();
    }
    const hashes = [2n, 3n].map((version) => toHex(stores.at(version).appHash));
    const counting = new CrashingDatabase(copyOf(prepared), -1);
    rollbackLastVersion(counting);
    expect(counting.moments).toBeGreaterThan(1);
    for (let moment = 0; moment < counting.moments; moment++) {
      const database = copyOf(prepared);
      expect(() => rollbackLastVersion(new CrashingDatabase(database, moment))).toThrow(Crash);
      const next = openStores(database, ["a"]);
      expect(hashes).toContain(toHex(next.lastCommitID.hash));
      expect(toHex(next.at(next.lastCommitID.version).computeAppHash())).toBe(toHex(next.lastCommitID.hash));
    }
  });

  test("any history, rolled back and made again → the same hashes, and no garbage in the end", () => {
    const step = fc.record({ seed: fc.integer({ min: 1, max: 50 }), back: fc.boolean(), kept: fc.boolean() });
    fc.assert(
      fc.property(
        fc.array(step, { minLength: 2, maxLength: 14 }),
        fc.integer({ min: 1, max: 3 }),
        (steps, versionsKept) => {
          const database = new MemoryDatabase();
          const twin = new MemoryDatabase();
          let stores = openStores(database, ["a", "b"], { versionsKept });
          const other = openStores(twin, ["a", "b"], { versionsKept });
          const commit = (to: CommitMultiStore, seed: number, keep: boolean) => {
            fill(to, "a", seed);
            fill(to, "b", seed + 1, 20);
            return toHex(to.commit({ keep }).hash);
          };
          for (const { seed, back, kept } of steps) {
            if (back && stores.lastCommitID.version > 1n) {
              commit(stores, seed + 3, kept);
              rollbackLastVersion(database);
              stores = openStores(database, ["a", "b"], { versionsKept });
            }
            expect(commit(stores, seed, kept)).toBe(commit(other, seed, kept));
          }
          expect(contents(stores)).toEqual(contents(other));
          for (let i = 0; i < 6; i++) stores.commit();
          expectNoGarbage(database);
        },
      ),
      { numRuns: 40 },
    );
  });
});

describe("rollbackTo()", () => {
  const UPGRADES: Partial<StoreUpgrades> = {
    added: ["new"],
    renamed: [{ oldKey: "b", newKey: "renamed" }],
    deleted: ["c"],
  };

  /** Versions 1 to 3 of a, b, c; the upgrade in 4, which holds 3; then up to 12, of which few are kept. */
  function grown(database: Database, from = 0): string[] {
    const hashes: string[] = [];
    const rules = { versionsKept: 2, isReleased: () => false, stagedBytes: 2_000 };
    if (from < 3) {
      const stores = openStores(database, ["a", "b", "c"], rules);
      for (let seed = from + 1; seed <= 3; seed++) {
        for (const name of ["a", "b", "c"]) fill(stores, name, seed);
        hashes.push(toHex(stores.commit().hash));
      }
    }
    const upgraded = openStores(database, ["a", "new", "renamed"], {
      ...rules,
      ...(from < 4 ? { upgrades: UPGRADES } : {}),
    });
    for (let seed = Math.max(4, from + 1); seed <= 12; seed++) {
      for (const name of ["a", "new", "renamed"]) fill(upgraded, name, seed);
      hashes.push(toHex(upgraded.commit(seed === 4 ? { keep: true, holdBefore: "v2" } : {}).hash));
    }
    return hashes;
  }

  test("the version before an upgrade of stores, most versions after it pruned → made again with the same hashes, no garbage", () => {
    const database = new MemoryDatabase();
    const hashes = grown(database);
    const before = dumpOf(database);
    expect(() => rollbackTo(database, 7)).toThrow(code("UPG_NOT_FOUND_VERSION"));
    expect(() => rollbackTo(database, 12)).toThrow(code("UPG_NOT_FOUND_VERSION"));
    expect(() => rollbackTo(database, 0)).toThrow(code("UPG_NOT_FOUND_VERSION"));
    expect(dumpOf(database)).toEqual(before);
    expect(rollbackTo(database, 3)).toMatchObject({ from: 12n, to: 3n });
    const back = openStores(database, ["a", "b", "c"]);
    expect(toHex(back.lastCommitID.hash)).toBe(hashes[2]);
    expect(toHex(back.at(3n).computeAppHash())).toBe(hashes[2]);
    expect(grown(database, 3)).toEqual(hashes.slice(3));
    const last = openStores(database, ["a", "new", "renamed"], { versionsKept: 0 });
    for (let i = 0; i < 20; i++) last.commit();
    expectNoGarbage(database);
  });

  test("the upgrade's own version, kept for good → it is the last, and what was held before it still is", () => {
    const database = new MemoryDatabase();
    const hashes = grown(database);
    rollbackTo(database, 4);
    const back = openStores(database, ["a", "new", "renamed"]);
    expect(toHex(back.lastCommitID.hash)).toBe(hashes[3]);
    expect(PinnedVersions.load(database).entries).toEqual([[3, "v2"]]);
    expect(grown(database, 4)).toEqual(hashes.slice(4));
  });

  test("called for each height, the last one first, also where its version was pruned", () => {
    const database = new MemoryDatabase();
    grown(database);
    const heights: bigint[] = [];
    rollbackTo(database, 3, (_, height) => void heights.push(height));
    expect(heights).toEqual([12n, 11n, 10n, 9n, 8n, 7n, 6n, 5n, 4n]);
  });

  test("ended at any moment → all versions are there or none, and the next start is sound", () => {
    const prepared = new MemoryDatabase();
    const hashes = grown(prepared);
    const counting = new CrashingDatabase(copyOf(prepared), -1);
    rollbackTo(counting, 3);
    expect(counting.moments).toBeGreaterThan(1);
    for (let moment = 0; moment < counting.moments; moment++) {
      const database = copyOf(prepared);
      expect(() => rollbackTo(new CrashingDatabase(database, moment), 3)).toThrow(Crash);
      const isOld = lastVersionOf(database) === 12;
      const next = openStores(database, isOld ? ["a", "new", "renamed"] : ["a", "b", "c"]);
      expect(toHex(next.lastCommitID.hash)).toBe(hashes[isOld ? 11 : 2]);
      expect(toHex(next.at(next.lastCommitID.version).computeAppHash())).toBe(hashes[isOld ? 11 : 2]);
      if (!isOld) expect(grown(database, 3)).toEqual(hashes.slice(3));
    }
  });
});
