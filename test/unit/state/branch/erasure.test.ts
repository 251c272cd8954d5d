import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { bigEndian64 } from "../../../../host/base/text/bytes.js";
import type { CacheKVStore } from "../../../../host/state/branch/kv/cache-kv.js";
import { IavlReader } from "../../../../host/state/branch/kv/iavl-reader.js";
import { MemoryDatabase } from "../../../../host/state/store/disk/memory-database.js";
import type { CommitMultiStore } from "../../../../host/state/store/versions/commit-multi-store.js";
import { losesAll } from "../../../../host/state/store/versions/loses-all.js";
import { openStores } from "../store/support.js";

const COUNT = 40;
const keyOf = (i: number) => bigEndian64(BigInt(i));

/** A store of COUNT pairs, committed. */
function stores(options: { readonly branchBytes?: number } = {}): CommitMultiStore {
  const opened = openStores(new MemoryDatabase(), ["a"], options);
  for (let i = 0; i < COUNT; i++) opened.store("a").set(keyOf(i), Uint8Array.of(i));
  opened.commit();
  return opened;
}

function treeOf(opened: CommitMultiStore) {
  const reader = opened.loaded().store("a");
  if (!(reader instanceof IavlReader)) throw new Error("no tree");
  return reader.tree;
}

function erases(change: (branch: CacheKVStore) => void): boolean {
  const opened = stores();
  const branch = opened.branch();
  change(branch.store("a") as CacheKVStore);
  branch.write();
  return opened.store("a").erases(treeOf(opened));
}

function deleteFrom(branch: CacheKVStore, first: number, behind = COUNT): void {
  for (let i = first; i < behind; i++) branch.delete(keyOf(i));
}

describe("a branch that deletes every pair of its tree in order", () => {
  test("all of them, in a branch of the branch too, and keys after them → known without a walk", () => {
    expect(erases((branch) => deleteFrom(branch, 0))).toBe(true);
    expect(erases((branch) => deleteFrom(branch, 0, COUNT + 2))).toBe(true);
    expect(
      erases((branch) => {
        const inner = branch.branch();
        deleteFrom(inner, 0);
        inner.write();
      }),
    ).toBe(true);
  });

  test("one left alone, at the beginning, in the middle, at the end → not known, and not so", () => {
    for (const spared of [0, 7, COUNT - 1]) {
      const opened = stores();
      for (let i = 0; i < COUNT; i++) if (i !== spared) opened.store("a").delete(keyOf(i));
      expect(opened.store("a").erases(treeOf(opened))).toBe(false);
      expect(losesAll(treeOf(opened), opened.store("a"))).toBe(false);
    }
  });

  test("something set before, between or after, deleted again or not → not known", () => {
    for (const at of [0, 7, COUNT]) {
      for (const isDeleted of [false, true]) {
        const isKnown = erases((branch) => {
          deleteFrom(branch, 0, at);
          branch.set(keyOf(3), Uint8Array.of(1));
          if (isDeleted) branch.delete(keyOf(3));
          deleteFrom(branch, at);
        });
        expect(isKnown).toBe(false);
      }
    }
  });

  test("after the commit the tree is another one → nothing is known of it", () => {
    const opened = stores();
    const before = treeOf(opened);
    deleteFrom(opened.store("a"), 0);
    expect(opened.store("a").erases(before)).toBe(true);
    opened.commit();
    expect(opened.store("a").erases(before)).toBe(false);
    expect(opened.store("a").erases(treeOf(opened))).toBe(false);
  });

  test("a branch begun before its parent was written, and written after it → what the parent then has counts", () => {
    const opened = stores();
    const [first, second] = [opened.branch(), opened.branch()];
    deleteFrom(first.store("a") as CacheKVStore, 0);
    second.store("a").set(keyOf(5), Uint8Array.of(1));
    first.write();
    second.write();
    expect(opened.store("a").erases(treeOf(opened))).toBe(false);
    expect(losesAll(treeOf(opened), opened.store("a"))).toBe(false);
  });

  test("any deletions and sets, through nested branches, at any limit of memory → known only where it is so (property)", () => {
    const step = fc.record({
      from: fc.nat(COUNT - 1),
      to: fc.nat(COUNT),
      isSet: fc.boolean(),
      isNested: fc.boolean(),
      isFull: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 5 }), fc.constantFrom(1, 200, 1_000_000), (steps, branchBytes) => {
        const opened = stores({ branchBytes });
        for (const { from, to, isSet, isNested, isFull } of steps) {
          const outer = opened.branch().store("a") as CacheKVStore;
          const branch = isNested ? outer.branch() : outer;
          if (isFull) deleteFrom(branch, 0);
          else if (isSet) branch.set(keyOf(from), Uint8Array.of(1));
          else deleteFrom(branch, from, to);
          if (isNested) branch.write();
          outer.write();
        }
        const store = opened.store("a");
        const isEmpty = store.iterate().next().done === true;
        if (store.erases(treeOf(opened))) expect(isEmpty).toBe(true);
        const deletesAll = isEmpty && !store.isEmpty;
        expect(losesAll(treeOf(opened), store)).toBe(deletesAll);
      }),
    );
  });
});
