import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { toHex, utf8 } from "../../../host/bytes.js";
import { MemoryDatabase } from "../../../host/store/disk/memory-database.js";
import type { CommitMultiStore } from "../../../host/store/versions/commit-multi-store.js";
import { rollbackLastVersion } from "../../../host/store/versions/rollback.js";
import type { StoreUpgrades } from "../../../host/types.js";
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
