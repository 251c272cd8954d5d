import { describe, expect, test } from "vitest";
import { isUpgradeError } from "../../../../host/base/errors/errors.js";
import { toHex, utf8 } from "../../../../host/base/text/bytes.js";
import type { StoreUpgrades } from "../../../../host/base/types/types.js";
import { MemoryDatabase } from "../../../../host/state/store/disk/memory-database.js";
import { CommitMultiStore } from "../../../../host/state/store/versions/commit-multi-store.js";
import { defaultStoreLoader, upgradeStoreLoader } from "../../../../host/state/store/versions/store-loader.js";
import { pairsOf } from "../../../suite/kv-store.js";
import { code, copyOf, dumpOf, openStores, sha256 } from "./support.js";

const DATA = "6b=76";

/** Stores `a` and `b` with a pair each, `empty` without any. */
function stored(): MemoryDatabase {
  const database = new MemoryDatabase();
  const stores = openStores(database, ["a", "b", "empty"]);
  for (const name of ["a", "b"]) stores.store(name).set(utf8("k"), utf8("v"));
  stores.commit();
  return database;
}

const STORED = stored();

interface Refusal {
  readonly what: string;
  readonly mounted: readonly string[];
  readonly upgrades?: Partial<StoreUpgrades>;
  /** Every problem that the message names, in order. */
  readonly problems: readonly string[];
}

const rename = (oldKey: string, newKey: string) => ({ oldKey, newKey });

const REFUSALS: readonly Refusal[] = [
  {
    what: "an added store that has data",
    mounted: ["a", "b", "empty"],
    upgrades: { added: ["a"] },
    problems: ['store "a" is to be added but already has data'],
  },
  {
    what: "an added store that is not mounted",
    mounted: ["a", "b", "empty"],
    upgrades: { added: ["new"] },
    problems: ['store "new" is to be added but not mounted'],
  },
  {
    what: "a rename from a store that is absent",
    mounted: ["a", "b", "empty", "new"],
    upgrades: { renamed: [rename("none", "new")] },
    problems: ['store "none" is to be renamed but is not stored'],
  },
  {
    what: "a rename to a store that exists",
    mounted: ["b", "empty"],
    upgrades: { renamed: [rename("a", "b")] },
    problems: ['store "b" is the new name of "a" but already exists'],
  },
  {
    what: "a rename to a store that exists and is empty",
    mounted: ["b", "empty"],
    upgrades: { renamed: [rename("a", "empty")] },
    problems: ['store "empty" is the new name of "a" but already exists'],
  },
  {
    what: "a rename to a store that is not mounted",
    mounted: ["b", "empty"],
    upgrades: { renamed: [rename("a", "new")] },
    problems: ['store "new" is the new name of "a" but not mounted'],
  },
  {
    what: "a rename from a store that is still mounted",
    mounted: ["a", "b", "empty", "new"],
    upgrades: { renamed: [rename("a", "new")] },
    problems: ['store "a" is to be renamed to "new" but is still mounted'],
  },
  {
    what: "a deleted store that is absent",
    mounted: ["a", "b", "empty"],
    upgrades: { deleted: ["none"] },
    problems: ['store "none" is to be deleted but is not stored'],
  },
  {
    what: "a mounted store that is neither stored nor added",
    mounted: ["a", "b", "empty", "new"],
    problems: ['store "new" is mounted but neither stored nor added'],
  },
  {
    what: "a stored store that is neither mounted, deleted nor renamed",
    mounted: ["a", "empty"],
    problems: ['store "b" is stored but neither mounted, deleted nor renamed'],
  },
  {
    what: "a store named twice",
    mounted: ["a", "b", "empty", "new"],
    upgrades: { added: ["new", "new"] },
    problems: ['store "new" is named twice in the store upgrades'],
  },
  {
    what: "a swap of two names",
    mounted: ["a", "b", "empty"],
    upgrades: { renamed: [rename("a", "b"), rename("b", "a")] },
    problems: [
      'store "b" is named twice in the store upgrades',
      'store "a" is named twice in the store upgrades',
      'store "b" is the new name of "a" but already exists',
      'store "a" is to be renamed to "b" but is still mounted',
      'store "a" is the new name of "b" but already exists',
      'store "b" is to be renamed to "a" but is still mounted',
    ],
  },
  {
    what: "several at once",
    mounted: ["a", "new", "other"],
    upgrades: { added: ["a", "x"], renamed: [rename("y", "new")], deleted: ["z", "empty"] },
    problems: [
      'store "a" is to be added but already has data',
      'store "x" is to be added but not mounted',
      'store "y" is to be renamed but is not stored',
      'store "z" is to be deleted but is not stored',
      'store "b" is stored but neither mounted, deleted nor renamed',
      'store "other" is mounted but neither stored nor added',
    ],
  },
];

describe("loadLatestVersion() with stores that do not fit → UPG_STORE_UPGRADE, every problem named, nothing written", () => {
  for (const { what, mounted, upgrades, problems } of REFUSALS) {
    test(what, () => {
      const database = copyOf(STORED);
      // What a commit that never happened left behind is not swept either.
      database.transaction((batch) => batch.put(utf8("o\xff leftover"), utf8("x")));
      const before = dumpOf(database);
      let refusal: unknown;
      try {
        openStores(database, mounted, { upgrades });
      } catch (error) {
        refusal = error;
      }
      expect(isUpgradeError(refusal) && [refusal.code, refusal.message]).toEqual([
        "UPG_STORE_UPGRADE",
        `the stores do not fit: ${problems.join("; ")}`,
      ]);
      expect(isUpgradeError(refusal) && refusal.details).toEqual({
        mounted: mounted.join(","),
        stored: "a,b,empty",
      });
      expect(dumpOf(database)).toEqual(before);
    });
  }

  test("after a refusal the same object can be loaded as the stores are", () => {
    const database = copyOf(STORED);
    const stores = new CommitMultiStore(database, { sha256 });
    stores.mount("a", "b", "empty");
    expect(() => stores.loadLatestVersion({ added: [], renamed: [], deleted: ["none"] })).toThrow();
    stores.loadLatestVersion();
    expect(pairsOf(stores.store("a"))).toEqual([DATA]);
  });

  test("before the first commit: any store may be mounted, none renamed or deleted", () => {
    const open = (upgrades: Partial<StoreUpgrades>) => openStores(new MemoryDatabase(), ["a"], { upgrades });
    expect(open({ added: ["a"] }).names).toEqual(["a"]);
    expect(open({}).names).toEqual(["a"]);
    expect(() => open({ renamed: [rename("b", "a")] })).toThrow(/"b" is to be renamed but is not stored/);
    expect(() => open({ deleted: ["b"] })).toThrow(/"b" is to be deleted but is not stored/);
  });
});

describe("loadLatestVersion() with store upgrades", () => {
  test("take effect in memory at once, on disk with the commit; a restart before it is as if nothing was", () => {
    const database = copyOf(STORED);
    const before = dumpOf(database);
    const upgrades = { added: ["new"], renamed: [rename("a", "c")], deleted: ["b"] };
    const stores = openStores(database, ["c", "empty", "new"], { upgrades });
    expect(stores.names).toEqual(["c", "empty", "new"]);
    expect(pairsOf(stores.store("c"))).toEqual([DATA]);
    expect(dumpOf(database)).toEqual(before);
    expect(openStores(database, ["a", "b", "empty"]).names).toEqual(["a", "b", "empty"]);
    openStores(database, ["c", "empty", "new"], { upgrades }).commit();
    const after = openStores(database, ["c", "empty", "new"]);
    expect(after.at(2n).names).toEqual(["c", "empty", "new"]);
    expect(after.at(1n).names).toEqual(["a", "b", "empty"]);
    expect(pairsOf(after.store("c"))).toEqual([DATA]);
    expect(pairsOf(after.at(1n).store("b"))).toEqual([DATA]);
  });

  test("a store that is both mounted and deleted is not opened; an added store that is there and empty stays", () => {
    const stores = openStores(copyOf(STORED), ["a", "b", "empty"], { upgrades: { deleted: ["b"], added: ["empty"] } });
    expect(stores.names).toEqual(["a", "empty"]);
  });

  test("a deleted name that is added again → an empty store with another root history", () => {
    const database = copyOf(STORED);
    openStores(database, ["b", "empty"], { upgrades: { deleted: ["a"] } }).commit();
    const stores = openStores(database, ["a", "b", "empty"], { upgrades: { added: ["a"] } });
    expect(pairsOf(stores.store("a"))).toEqual([]);
    stores.store("a").set(utf8("k"), utf8("w"));
    stores.commit();
    expect(pairsOf(stores.at(3n).store("a"))).toEqual(["6b=77"]);
    expect(pairsOf(stores.at(1n).store("a"))).toEqual([DATA]);
  });
});

describe("upgradeStoreLoader()", () => {
  const upgrades: StoreUpgrades = { added: [], renamed: [rename("a", "c")], deleted: ["b"] };
  const load = (database: MemoryDatabase, height: bigint, mounted: readonly string[], changes = upgrades) => {
    const stores = new CommitMultiStore(database, { sha256 });
    stores.mount(...mounted);
    upgradeStoreLoader(height, changes)(stores);
    return stores;
  };
  const OLD = ["a", "b", "empty"];
  const NEW = ["c", "empty"];

  test("at last + 1 → with the upgrades; before and after that height → as the stores are", () => {
    expect(load(copyOf(STORED), 2n, NEW).names).toEqual(NEW);
    for (const height of [1n, 3n, 100n]) {
      expect(load(copyOf(STORED), height, OLD).names).toEqual(OLD);
      expect(() => load(copyOf(STORED), height, NEW)).toThrow(code("UPG_STORE_UPGRADE"));
    }
    expect(() => load(copyOf(STORED), 2n, OLD)).toThrow(/"a" is to be renamed to "c" but is still mounted/);
  });

  test("started again before the commit → the same; after it → nothing more happens", () => {
    const database = copyOf(STORED);
    const hashes = [1, 2].map(() => toHex(load(database, 2n, NEW).workingHash()));
    const committed = load(database, 2n, NEW).commit();
    expect(hashes).toEqual([toHex(committed.hash), toHex(committed.hash)]);
    const dump = dumpOf(database);
    const again = load(database, 2n, NEW);
    expect([again.names, again.lastCommitID.version]).toEqual([NEW, 2n]);
    expect(toHex(again.workingHash())).toBe(toHex(committed.hash));
    expect(dumpOf(database)).toEqual(dump);
    expect(pairsOf(again.store("c"))).toEqual([DATA]);
  });

  test("without changes, at its height → as the stores are", () => {
    const none: StoreUpgrades = { added: [], renamed: [], deleted: [] };
    expect(load(copyOf(STORED), 2n, OLD, none).names).toEqual(OLD);
    const stores = new CommitMultiStore(copyOf(STORED), { sha256 });
    stores.mount(...OLD);
    defaultStoreLoader(stores);
    expect(stores.names).toEqual(OLD);
  });

  test("a height that is not a positive int64 → UPG_INVALID_HEIGHT", () => {
    for (const height of [0n, -1n, 2n ** 63n, 5, undefined]) {
      expect(() => Reflect.apply(upgradeStoreLoader, undefined, [height, upgrades])).toThrow(
        code("UPG_INVALID_HEIGHT"),
      );
    }
    expect(() => upgradeStoreLoader(2n ** 63n - 1n, upgrades)).not.toThrow();
  });
});
