/**
 * Keys of inner nodes, by which every walk chooses its side. IAVL does not hash them, so a witness that carried them could send
 * a walk astray: they are made here, of the keys of open leaves.
 *
 * The key of a node is the first one of its right subtree. Where that leaf is hidden, it is the smallest key after the
 * last open leaf A that comes before the subtree. So of all keys between A and the next open leaf B, with hidden leaves in
 * between, a walk leads to a stub, and it throws: whatever lies there is not known. Between two adjacent open leaves there
 * is one node that parts them, it has B as its key, and a walk for a key in that gap ends at A, as in the whole tree.
 * docs/witness.md has the argument, also for trees that are made from this one.
 */
import { EMPTY, prefixEnd } from "../../base/text/bytes.js";
import { KEY_BYTES_MAX } from "../../base/types/limits.js";
import { malformed } from "./byte-reader.js";
import { type FlatTree, INNER, LEAF, NO_LEAF } from "./flat-tree.js";

/** For each node the leaf that is first below it; NO_LEAF where that one is hidden. */
export function firstLeaves({ count, kinds }: FlatTree): Int32Array {
  const firsts = new Int32Array(count);
  for (let node = count - 1; node >= 0; node--) {
    firsts[node] = kinds[node] === INNER ? (firsts[node + 1] as number) : kinds[node] === LEAF ? node : NO_LEAF;
  }
  return firsts;
}

function leafKey({ bytes, places, keyLens }: FlatTree, leaf: number): Uint8Array {
  const at = places[leaf] as number;
  return bytes.subarray(at, at + (keyLens[leaf] as number));
}

/** The key of an inner node. @throws UpgradeError UPG_WITNESS_MALFORMED when no key comes after the last one before a stub */
export function separator(tree: FlatTree, node: number, firsts: Int32Array): Uint8Array {
  const first = firsts[tree.rights[node] as number] as number;
  if (first !== NO_LEAF) return leafKey(tree, first);
  const before = tree.befores[node] as number;
  // All keys come after the empty one, which is none.
  return before === NO_LEAF ? EMPTY : keyAfter(leafKey(tree, before));
}

/** The smallest key that is greater. */
function keyAfter(key: Uint8Array): Uint8Array {
  if (key.length < KEY_BYTES_MAX) {
    const next = new Uint8Array(key.length + 1);
    next.set(key);
    return next;
  }
  const next = prefixEnd(key);
  if (!next) throw malformed("hidden leaves come after the greatest key that there is");
  return next;
}
