/** Which writes of a block are neither the handler's nor the core's: found from the trees alone. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { sha256 } from "../../../host/base/native/sha256.js";
import { toHex } from "../../../host/base/text/bytes.js";
import { CacheKVStore } from "../../../host/state/branch/kv/cache-kv.js";
import { IavlReader } from "../../../host/state/branch/kv/iavl-reader.js";
import { IavlHasher } from "../../../host/state/commitment/iavl-hash.js";
import { nextTree } from "../../../host/state/witness/next-tree.js";
import type { TreeAt } from "../../../host/state/witness/types.js";
import { addOthers } from "../../../host/verify/replay/add-others.js";
import { otherWrites } from "../../../host/verify/replay/other-writes.js";

const hasher = new IavlHasher(sha256);
const EMPTY_TREE: TreeAt = {
  source: {
    chunk() {
      throw new Error("an empty tree has no nodes");
    },
  },
  root: { id: 0, size: 0, height: 0, hash: hasher.empty() },
};

type Write = readonly [key: number, value: number | undefined];
const writes = (max: number) =>
  fc.array(fc.tuple(fc.nat(60), fc.option(fc.nat(3), { nil: undefined })), { maxLength: max });
const branchOver = ({ source, root }: TreeAt) => new CacheKVStore(new IavlReader(source, root));

function put(branch: CacheKVStore, list: readonly Write[]): CacheKVStore {
  for (const [key, value] of list) {
    if (value === undefined) branch.delete(Uint8Array.of(7, key));
    else branch.set(Uint8Array.of(7, key), Uint8Array.of(value));
  }
  return branch;
}

const next = (tree: TreeAt, branch: CacheKVStore, version: number, isRenamed = false) =>
  nextTree(tree, branch.pending(), { hasher, version, isRenamed });

describe("otherWrites()", () => {
  test("any tree, known and other writes → each that is found changes something, and all lead to the same root (property)", () => {
    fc.assert(
      fc.property(writes(80), writes(30), writes(30), fc.boolean(), (base, own, others, isRenamed) => {
        const first = next(EMPTY_TREE, put(branchOver(EMPTY_TREE), base), 1);
        const before = next(first, put(branchOver(first), base.slice(0, 3)), 2);
        const after = next(before, put(put(branchOver(before), own), others), 3, isRenamed);
        const known = put(branchOver(before), own);
        const found = otherWrites({ before, after, version: 3, known, isRenamed });
        addOthers({ store: "s", writes: found, branch: known, isRenamed });
        expect(toHex(next(before, known, 3, isRenamed).root.hash)).toBe(toHex(after.root.hash));
        const keys = found.map(({ key }) => toHex(key));
        expect(keys).toEqual([...new Set(keys)].sort());
        const made = new Set(others.map(([key]) => toHex(Uint8Array.of(7, key))));
        expect(keys.filter((key) => !made.has(key))).toEqual([]);
      }),
      { numRuns: 400 },
    );
  });

  test("no other writes → none, also where a known write changes nothing", () => {
    const before = next(
      EMPTY_TREE,
      put(branchOver(EMPTY_TREE), [
        [1, 1],
        [2, 2],
        [3, 3],
      ]),
      1,
    );
    const own: Write[] = [
      [2, 2],
      [9, undefined],
      [3, undefined],
    ];
    const after = next(before, put(branchOver(before), own), 2);
    const known = put(branchOver(before), own);
    expect(otherWrites({ before, after, version: 2, known, isRenamed: false })).toEqual([]);
  });
});
