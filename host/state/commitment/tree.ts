/** A committed IAVL+ tree: reads, walks and paths. It never changes; every version has its own root. */
import { compareRanges } from "../../base/text/bytes.js";
import { readU32 } from "../../base/wire/u32.js";
import {
  type Chunk,
  type ChunkSource,
  chunkOf,
  INNER_HEADER_BYTES,
  LEAF_HEADER_BYTES,
  LINK_BYTES,
  LINK_SIZE_AT,
  type RootLink,
  readU16,
  readU48,
  slotOf,
} from "./chunk.js";

/** A node of a committed tree, read in place: `go` moves the view, nothing is copied. */
export class NodeView {
  chunk!: Chunk;
  bytes: Uint8Array = new Uint8Array(0);
  at = 0;
  #slot = 0;

  constructor(private readonly source: ChunkSource) {}

  go(id: number): this {
    this.chunk = this.source.chunk(chunkOf(id));
    this.bytes = this.chunk.bytes;
    this.#slot = slotOf(id);
    this.at = this.chunk.at(this.#slot);
    return this;
  }

  /** In which the node was made. */
  get version(): number {
    return this.chunk.madeIn(this.#slot);
  }
  get height(): number {
    return this.bytes[this.at] as number;
  }
  get isLeaf(): boolean {
    return this.bytes[this.at] === 0;
  }
  get keyLen(): number {
    return readU16(this.bytes, this.at + 1);
  }
  get keyAt(): number {
    return this.at + (this.isLeaf ? LEAF_HEADER_BYTES : INNER_HEADER_BYTES);
  }
  /** Leaves only. */
  get valueLen(): number {
    return readU32(this.bytes, this.at + 3);
  }
  get valueAt(): number {
    return this.at + LEAF_HEADER_BYTES + this.keyLen;
  }
  /** Leaves below this inner node. */
  get size(): number {
    return readU48(this.bytes, this.linkAt(0) + LINK_SIZE_AT) + readU48(this.bytes, this.linkAt(1) + LINK_SIZE_AT);
  }
  /** Inner nodes only: where the link to the left (0) or right (1) child is. */
  linkAt(side: number): number {
    return this.at + 3 + side * LINK_BYTES;
  }
  child(side: number): number {
    return readU48(this.bytes, this.linkAt(side));
  }

  /** Order of a key that is in `bytes` relative to this node's key. */
  compare(bytes: Uint8Array, at: number, len: number): number {
    return compareRanges(bytes, at, len, this.bytes, this.keyAt, this.keyLen);
  }
}

/** One step of the way from the root to a leaf. */
export interface PathStep {
  readonly id: number;
  /** 0: the way goes left, 1: right. */
  readonly side: number;
}

export class Tree {
  readonly #node: NodeView;

  constructor(
    private readonly source: ChunkSource,
    readonly root: RootLink,
  ) {
    this.#node = new NodeView(source);
  }

  /** The leaf of `key`, valid until the next call; undefined when the key is absent. */
  find(key: Uint8Array): NodeView | undefined {
    if (this.root.id === 0) return undefined;
    const node = this.#node.go(this.root.id);
    while (!node.isLeaf) node.go(node.child(node.compare(key, 0, key.length) < 0 ? 0 : 1));
    return node.compare(key, 0, key.length) === 0 ? node : undefined;
  }

  get(key: Uint8Array): Uint8Array | undefined {
    const leaf = this.find(key);
    return leaf?.bytes.slice(leaf.valueAt, leaf.valueAt + leaf.valueLen);
  }

  /** A copy of the key of the leaf that has `rank` leaves before it, of those below `root.size`. */
  keyAt(rank: number): Uint8Array {
    const node = this.#node.go(this.root.id);
    for (let left = rank; !node.isLeaf; ) {
      const size = readU48(node.bytes, node.linkAt(0) + LINK_SIZE_AT);
      const side = left < size ? 0 : 1;
      if (side === 1) left -= size;
      node.go(node.child(side));
    }
    return node.bytes.slice(node.keyAt, node.keyAt + node.keyLen);
  }

  /** How many keys are less than `key`. */
  countBelow(key: Uint8Array): number {
    if (this.root.id === 0) return 0;
    const node = this.#node.go(this.root.id);
    let below = 0;
    while (!node.isLeaf) {
      const side = node.compare(key, 0, key.length) < 0 ? 0 : 1;
      if (side === 1) below += readU48(node.bytes, node.linkAt(0) + LINK_SIZE_AT);
      node.go(node.child(side));
    }
    return below + (node.compare(key, 0, key.length) > 0 ? 1 : 0);
  }

  cursor(start: Uint8Array | undefined, end: Uint8Array | undefined, reverse: boolean): TreeCursor {
    return new TreeCursor(this.source, this.root.id, start, end, reverse);
  }

  /**
   * The way to the leaf where `key` is or would be; the leaf's id comes last, with side 0.
   * An empty tree has no way.
   */
  path(key: Uint8Array): PathStep[] {
    const steps: PathStep[] = [];
    const node = this.#node;
    let id = this.root.id;
    while (id !== 0) {
      node.go(id);
      const side = !node.isLeaf && node.compare(key, 0, key.length) >= 0 ? 1 : 0;
      steps.push({ id, side });
      id = node.isLeaf ? 0 : node.child(side);
    }
    return steps;
  }

  /** Views nodes of this tree, by the ids of `path`. */
  view(): NodeView {
    return new NodeView(this.source);
  }
}

/** Walks leaves in key order. After `step()` returned true the fields say where the pair is. */
export class TreeCursor {
  bytes: Uint8Array = new Uint8Array(0);
  keyAt = 0;
  keyLen = 0;
  valueAt = 0;
  valueLen = 0;

  readonly #node: NodeView;
  /** Ids of subtrees still to walk, the next one last. */
  readonly #pending: number[] = [];

  constructor(
    source: ChunkSource,
    root: number,
    start: Uint8Array | undefined,
    private readonly end: Uint8Array | undefined,
    private readonly reverse: boolean,
  ) {
    this.#node = new NodeView(source);
    if (root !== 0) this.#seek(root, start);
  }

  /** Leaves in `#pending` every subtree that can hold keys of the range on the side where the walk begins. */
  #seek(root: number, start: Uint8Array | undefined): void {
    const bound = this.reverse ? this.end : start;
    this.#start = start;
    let id = root;
    for (;;) {
      const node = this.#node.go(id);
      if (node.isLeaf || bound === undefined) break;
      const order = node.compare(bound, 0, bound.length);
      if (this.reverse) {
        // Keys below the bound: the left subtree always, the right one when the bound lies behind its first key.
        if (order <= 0) id = node.child(0);
        else {
          this.#pending.push(node.child(0));
          id = node.child(1);
        }
      } else if (order < 0) {
        this.#pending.push(node.child(1));
        id = node.child(0);
      } else id = node.child(1);
    }
    this.#pending.push(id);
  }

  #start: Uint8Array | undefined;

  step(): boolean {
    const node = this.#node;
    for (;;) {
      const id = this.#pending.pop();
      if (id === undefined) return false;
      node.go(id);
      while (!node.isLeaf) {
        const near = this.reverse ? 1 : 0;
        this.#pending.push(node.child(1 - near));
        node.go(node.child(near));
      }
      // Only the first leaf can lie before the range; the first after it ends the walk.
      const beyondStart = this.#start === undefined || node.compare(this.#start, 0, this.#start.length) <= 0;
      const beforeEnd = this.end === undefined || node.compare(this.end, 0, this.end.length) > 0;
      if (beyondStart && beforeEnd) break;
      if (this.reverse ? !beyondStart : !beforeEnd) {
        this.#pending.length = 0;
        return false;
      }
    }
    this.bytes = node.bytes;
    this.keyLen = node.keyLen;
    this.keyAt = node.keyAt;
    this.valueAt = node.valueAt;
    this.valueLen = node.valueLen;
    return true;
  }
}
