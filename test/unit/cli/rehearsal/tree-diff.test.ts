/** Differences of two committed trees beside a comparison of all their pairs. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { sha256 } from "../../../../host/base/native/sha256.js";
import { toHex } from "../../../../host/base/text/bytes.js";
import type { StoreUpgrades } from "../../../../host/base/types/types.js";
import { type Changes, storeChanges } from "../../../../host/cli/rehearsal/diff/store-changes.js";
import { treeDiff } from "../../../../host/cli/rehearsal/diff/tree-diff.js";
import { MemoryDatabase } from "../../../../host/state/store/disk/memory-database.js";
import { CommitMultiStore } from "../../../../host/state/store/versions/commit-multi-store.js";

const NONE: StoreUpgrades = { added: [], renamed: [], deleted: [] };
const key = (n: number) => Uint8Array.of(n >> 8, n & 255);

/** A database with one version of each of these contents. */
function versions(...contents: readonly ReadonlyMap<number, number>[]): CommitMultiStore {
  const stores = new CommitMultiStore(new MemoryDatabase(), { sha256 });
  stores.mount("bank");
  stores.loadLatestVersion();
  let before: ReadonlyMap<number, number> = new Map();
  for (const content of contents) {
    const store = stores.store("bank");
    for (const name of before.keys()) if (!content.has(name)) store.delete(key(name));
    for (const [name, value] of content) if (before.get(name) !== value) store.set(key(name), Uint8Array.of(value));
    stores.commit();
    before = content;
  }
  return stores;
}

describe("treeDiff()", () => {
  const contents = fc
    .array(fc.tuple(fc.integer({ min: 0, max: 400 }), fc.integer({ min: 0, max: 2 })), { maxLength: 300 })
    .map((pairs) => new Map(pairs));

  test("any two contents → each pair that differs, once, ascending", () => {
    fc.assert(
      fc.property(contents, contents, (before, after) => {
        const stores = versions(before, after);
        const found = [...treeDiff(stores.at(1n).treeAt("bank"), stores.at(2n).treeAt("bank"))].map(
          (each) => [toHex(each.key), each.before?.[0], each.after?.[0]] as const,
        );
        const names = [...new Set([...before.keys(), ...after.keys()])].sort((a, b) => a - b);
        const expected = names
          .filter((name) => before.get(name) !== after.get(name))
          .map((name) => [toHex(key(name)), before.get(name), after.get(name)] as const);
        expect(found).toEqual(expected);
      }),
      { numRuns: 60 },
    );
  });

  test("one pair of 3,000 is another → a path of nodes is read, and not the store", () => {
    const before = new Map(Array.from({ length: 3_000 }, (_, at) => [at, at & 127] as const));
    const stores = versions(before, new Map([...before, [1_234, 200]]));
    const [left, right] = [stores.at(1n).treeAt("bank"), stores.at(2n).treeAt("bank")];
    let reads = 0;
    const counted = { ...right, source: { chunk: (number: number) => right.source.chunk(number + 0 * ++reads) } };
    expect([...treeDiff(left, counted as typeof right)]).toHaveLength(1);
    expect(reads).toBeLessThan(60);
  });
});

describe("storeChanges()", () => {
  const changesOf = (prepare: (stores: CommitMultiStore) => CommitMultiStore, upgrades = NONE): Changes => {
    const stores = prepare(
      versions(
        new Map([
          [1, 10],
          [2, 20],
          [3, 30],
        ]),
      ),
    );
    const last = stores.lastCommitID.version;
    return storeChanges(stores.at(1n), stores.at(last), upgrades, () => undefined);
  };

  test("a pair added, one changed, one deleted → counts, bytes and sizes of values", () => {
    const { stores, sizes } = changesOf((multi) => {
      const store = multi.store("bank");
      store.delete(key(1));
      store.set(key(2), new Uint8Array(9));
      store.set(key(4), new Uint8Array(0));
      multi.commit();
      return multi;
    });
    expect(stores[0]).toMatchObject({
      fate: "changed",
      pairsBefore: 3,
      pairsAfter: 3,
      added: 1,
      written: 1,
      deleted: 1,
    });
    expect(stores[0]).toMatchObject({ bytesWritten: 2 + 9 + 2, bytesDeleted: 3 + 3 });
    expect(sizes).toEqual([1, 0, 0, 0, 1]);
  });

  test("a store that is renamed → compared to the one it was; one that goes → all of it is deleted", () => {
    const renamed = { ...NONE, renamed: [{ oldKey: "bank", newKey: "purse" }] };
    const reopen =
      (upgrades: StoreUpgrades, ...names: string[]) =>
      (multi: CommitMultiStore) => {
        const again = new CommitMultiStore((multi as unknown as { database: MemoryDatabase }).database, { sha256 });
        again.mount(...names);
        again.loadLatestVersion(upgrades);
        again.commit();
        return again;
      };
    const { stores } = changesOf(reopen(renamed, "purse"), renamed);
    expect(stores).toMatchObject([{ name: "purse", from: "bank", fate: "renamed", added: 0, written: 0, deleted: 0 }]);
    const deleted = { ...NONE, deleted: ["bank"] };
    expect(changesOf(reopen(deleted), deleted).stores).toMatchObject([{ name: "bank", fate: "deleted", deleted: 3 }]);
  });
});
