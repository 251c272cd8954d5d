/** A committed tree as a store that can be read; the ground under a store's branch. */

import { UpgradeError } from "../../../base/errors/errors.js";
import type { KVStore } from "../../../base/types/types.js";
import type { ChunkSource, RootLink } from "../../commitment/chunk.js";
import { Tree } from "../../commitment/tree.js";
import type { SpillSpace } from "../spill/spill-space.js";
import { BaseKVReader } from "./kv-store.js";
import type { PairCursor } from "./pair-cursor.js";

export class IavlReader extends BaseKVReader implements KVStore {
  #tree: Tree;

  constructor(source: ChunkSource, root: RootLink, spill?: SpillSpace) {
    super();
    this.spill = spill;
    this.#tree = new Tree(source, root);
  }

  get tree(): Tree {
    return this.#tree;
  }

  /** After a commit: the same store, one version on. */
  moveTo(source: ChunkSource, root: RootLink): void {
    this.#tree = new Tree(source, root);
  }

  override _get(key: Uint8Array): Uint8Array | undefined {
    return this.#tree.get(key);
  }

  override _has(key: Uint8Array): boolean {
    return this.#tree.find(key) !== undefined;
  }

  /** Pairs of a range, without walking it. */
  pairCount(start: Uint8Array | undefined, end: Uint8Array | undefined): number {
    const below = end ? this.#tree.countBelow(end) : this.#tree.root.size;
    return below - (start ? this.#tree.countBelow(start) : 0);
  }

  override _cursor(start: Uint8Array | undefined, end: Uint8Array | undefined, reverse: boolean): PairCursor {
    return this.#tree.cursor(start, end, reverse);
  }

  set(): void {
    throw readOnly();
  }

  delete(): void {
    throw readOnly();
  }

  writeFrames(): void {
    throw readOnly();
  }
}

function readOnly(): UpgradeError {
  return new UpgradeError("UPG_BUG_ASSERT", "a committed version cannot be written to");
}
