/**
 * Sees whether a branch deletes the pairs of the tree below it one after the other, from the first to the last, while it
 * does so: a re-key treats its old store like that. The commit then need not walk tree and writes once more to know that
 * nothing stays (loses-all.ts), and the parts of the tree that are read here are those that were scanned just before.
 */
import { compareRanges } from "../../../base/text/bytes.js";
import type { Tree, TreeCursor } from "../../commitment/tree.js";

export class Erasure {
  readonly #next: TreeCursor;
  /** Pairs of the tree that are deleted: its first ones. */
  #count = 0;

  constructor(private readonly tree: Tree) {
    this.#next = tree.cursor(undefined, undefined, false);
  }

  /** Is every pair of this tree deleted? */
  isOf(tree: Tree): boolean {
    return tree === this.tree && this.#isWhole;
  }

  get #isWhole(): boolean {
    return this.#count === this.tree.root.size;
  }

  /** A key is deleted: false when it is not the next one, and then nothing is known any more. */
  follows(bytes: Uint8Array, keyAt: number, keyLen: number): boolean {
    if (this.#isWhole) return true;
    const next = this.#next;
    if (!next.step()) return false;
    this.#count++;
    return compareRanges(bytes, keyAt, keyLen, next.bytes, next.keyAt, next.keyLen) === 0;
  }
}
