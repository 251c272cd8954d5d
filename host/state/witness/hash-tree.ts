/** Hashes a partial tree: leaves first, then level by level, so that many digests are made together. */

import { copyInto } from "../../base/text/bytes.js";
import { lastOf } from "../../base/text/checked-index.js";
import { HASH_BYTES, type IavlHasher } from "../commitment/iavl-hash.js";
import { type FlatTree, INNER, STUB } from "./flat-tree.js";
import { HEIGHT_MAX } from "./format.js";

/** Hash of every node, those of two siblings one after the other; the root's comes first. */
export interface NodeHashes {
  readonly bytes: Uint8Array;
  /** Where a node's hash begins. */
  readonly ats: Uint32Array;
}

export function hashTree(tree: FlatTree, hasher: IavlHasher): NodeHashes {
  const ats = placeHashes(tree);
  const out = new Uint8Array((tree.count + 1) * HASH_BYTES);
  const { nodes, begins } = levelsOf(tree);
  const level = (height: number) => nodes.subarray(begins[height], begins[height + 1]);
  copyStubs(tree, ats, out);
  hashLeaves(tree, level(0), hasher, ats, out);
  for (let height = 1; height <= (tree.heights[0] as number); height++) {
    for (const node of level(height)) {
      const size = tree.sizes[node] as number;
      const version = tree.versions[node] as number;
      hasher.inner(height, size, version, ats[node + 1] as number, out, ats[node] as number);
    }
    hasher.settle();
  }
  return { bytes: out, ats };
}

/** The root's first, then, pair by pair, those of the children of each inner node. */
function placeHashes({ count, kinds, rights }: FlatTree): Uint32Array {
  const ats = new Uint32Array(count);
  let free = HASH_BYTES;
  for (let node = 0; node < count; node++) {
    if (kinds[node] !== INNER) continue;
    ats[node + 1] = free;
    ats[rights[node] as number] = free + HASH_BYTES;
    free += 2 * HASH_BYTES;
  }
  return ats;
}

/** Open nodes in order of their heights, and where each height's begin: leaves first. */
interface Levels {
  readonly nodes: Uint32Array;
  readonly begins: Uint32Array;
}

function levelsOf({ count, kinds, heights }: FlatTree): Levels {
  const begins = new Uint32Array(HEIGHT_MAX + 2);
  for (let node = 0; node < count; node++) {
    if (kinds[node] !== STUB)
      begins[(heights[node] as number) + 1] = (begins[(heights[node] as number) + 1] as number) + 1;
  }
  for (let i = 1; i < begins.length; i++) begins[i] = (begins[i] as number) + (begins[i - 1] as number);
  const free = begins.slice();
  const nodes = new Uint32Array(lastOf(begins) ?? 0);
  for (let node = 0; node < count; node++) {
    if (kinds[node] === STUB) continue;
    const height = heights[node] as number;
    const at = free[height] as number;
    nodes[at] = node;
    free[height] = at + 1;
  }
  return { nodes, begins };
}

function copyStubs({ count, kinds, places, bytes }: FlatTree, ats: Uint32Array, out: Uint8Array): void {
  for (let node = 0; node < count; node++) {
    if (kinds[node] === STUB) copyInto(out, ats[node] as number, bytes, places[node] as number, HASH_BYTES);
  }
}

function hashLeaves(tree: FlatTree, leaves: Uint32Array, hasher: IavlHasher, ats: Uint32Array, out: Uint8Array): void {
  const { bytes, places, keyLens, valueLens, versions } = tree;
  for (const leaf of leaves) {
    const valueAt = (places[leaf] as number) + (keyLens[leaf] as number);
    hasher.value(bytes, valueAt, valueLens[leaf] as number, out, ats[leaf] as number);
  }
  hasher.settle();
  for (const leaf of leaves) {
    const keyAt = places[leaf] as number;
    hasher.leaf(versions[leaf] as number, bytes, keyAt, keyLens[leaf] as number, out, ats[leaf] as number);
  }
  hasher.settle();
}
