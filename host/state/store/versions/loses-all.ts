/** Does a branch delete every pair of the tree below it, and set none? A re-key does that to its old store. */

import { compareRanges } from "../../../base/text/bytes.js";
import type { CacheKVStore } from "../../branch/kv/cache-kv.js";
import type { Tree } from "../../commitment/tree.js";

/** Keys looked up before both are walked: a branch that leaves pairs alone is found out here, most often. */
const SAMPLES = 16;

export function losesAll(tree: Tree, branch: CacheKVStore): boolean {
  if (branch.isEmpty) return false;
  if (branch.erases(tree)) return true;
  const { size } = tree.root;
  for (let i = 0; i < SAMPLES; i++) {
    if (!branch.deletes(tree.keyAt(Math.floor((i * (size - 1)) / (SAMPLES - 1))))) return false;
  }
  return deletesEach(tree, branch);
}

/** Walks the writes beside the tree, up to the first one that sets, or the first pair that stays. */
function deletesEach(tree: Tree, branch: CacheKVStore): boolean {
  const write = branch.pending();
  const leaf = tree.cursor(undefined, undefined, false);
  while (leaf.step()) {
    for (let order = -1; order !== 0; ) {
      if (!write.step() || !write.isDeleted) return false;
      order = compareRanges(write.bytes, write.keyAt, write.keyLen, leaf.bytes, leaf.keyAt, leaf.keyLen);
      if (order > 0) return false;
    }
  }
  while (write.step()) if (!write.isDeleted) return false;
  return true;
}
