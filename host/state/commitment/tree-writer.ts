/**
 * Makes the next version of an IAVL+ tree from the last one and a run of writes.
 *
 * Shape is IAVL's, one write at a time: a new leaf splits the leaf it meets, heights are balanced after each
 * write, and every node on the path of a write is made again. Writes come in ascending order of keys (any order is
 * correct, that one is fast): the writer keeps its finger on the last path, so the next write climbs only as far as it
 * must, and what lies off the path is finished from time to time, which bounds memory however many writes there are.
 */
import type { ChunkSink, ChunkSource, RootLink } from "./chunk.js";
import { HASH_BYTES, type IavlHasher } from "./iavl-hash.js";
import { IdList } from "./id-list.js";
import { innerIndex, innerRef, LEFT, leafAddress, leafRef, MadeNodes, RIGHT, TOP } from "./made-nodes.js";
import { type NodeFinisher, NodeOutput } from "./node-output.js";
import { RoomOutput } from "./node-room.js";
import { NodeView } from "./tree.js";
import { NONE, TreePath } from "./tree-path.js";

/** How much is held before what is off the path is finished. */
export interface TreeWriterLimits {
  readonly nodes: number;
  readonly bytes: number;
}

const LIMITS: TreeWriterLimits = { nodes: 16_384, bytes: 2 * 1_048_576 };

export class TreeWriter extends TreePath {
  readonly #output: NodeFinisher;
  #spare: MadeNodes | undefined;

  /** First chunk that this writer wrote: nodes in it and after it were never visible to anybody. */
  readonly firstChunk: number;
  /** Ids of nodes that this version no longer has. */
  readonly orphans = new IdList();

  constructor(
    source: ChunkSource,
    sink: ChunkSink,
    private readonly hasher: IavlHasher,
    root: RootLink,
    version: number,
    private readonly limits: TreeWriterLimits = LIMITS,
  ) {
    const output = RoomOutput.open(sink, hasher, version) ?? new NodeOutput(sink, hasher, version);
    super(new NodeView(source), output.nodes);
    this.#output = output;
    this.nodes.begin(root);
    this.firstChunk = sink.nextChunk;
  }

  get isEmpty(): boolean {
    return this.nodes.refs[TOP] === 0;
  }

  /** Sets the key that is in `bytes`; true when it was present before. */
  set(bytes: Uint8Array, keyAt: number, keyLen: number, value: Uint8Array, valueAt: number, valueLen: number): boolean {
    this.#keepBounded();
    const nodes = this.nodes;
    const leaf = nodes.record(bytes, keyAt, keyLen, value, valueAt, valueLen);
    if (this.isEmpty) {
      nodes.refs[TOP] = leafRef(leaf);
      nodes.heights[TOP] = 0;
      return false;
    }
    if (this.tip !== NONE && this.isBehindTip(bytes, keyAt, keyLen)) {
      this.#insert(this.linkAbove(this.length), leafRef(this.tip), leaf, RIGHT);
      return false;
    }
    const met = this.walk(bytes, keyAt, keyLen);
    this.#own(this.length);
    const link = this.linkAbove(this.length);
    const order = this.compareLeaf(met, bytes, keyAt, keyLen);
    if (order === 0) {
      this.#orphan(met);
      nodes.refs[link] = leafRef(leaf);
      return true;
    }
    this.fence = 0;
    for (let depth = 1; depth < this.length; depth++) if (this.sides[depth] === LEFT) this.fence = depth;
    this.#insert(link, met, leaf, order < 0 ? LEFT : RIGHT);
    return false;
  }

  /** Sets a leaf beside the one that was met, and balances. */
  #insert(link: number, met: number, leaf: number, side: number): void {
    this.#split(link, met, leaf, side);
    const parent = this.path[this.length - 1];
    this.tip = NONE;
    this.#rebalance(this.length - 2);
    if (side === RIGHT && this.path[this.length - 1] === parent) this.tip = leaf;
    else this.rememberRecord(leaf);
  }

  /** Removes the key that is in `bytes`; false when it was absent, and then nothing changes. */
  remove(bytes: Uint8Array, keyAt: number, keyLen: number): boolean {
    this.#keepBounded();
    if (this.isEmpty) return false;
    const leaf = this.walk(bytes, keyAt, keyLen);
    if (this.compareLeaf(leaf, bytes, keyAt, keyLen) !== 0) return false;
    this.#orphan(leaf);
    const depth = this.length - 1;
    if (depth === 0) {
      this.nodes.refs[TOP] = 0;
      return true;
    }
    const rekeyed = this.#liftSibling(depth);
    this.#rebalance(depth - 1);
    // A node that was turned right at has a greater key now: keys in between belong to its left.
    if (rekeyed > 0 && rekeyed < this.length) this.cut(rekeyed);
    return true;
  }

  /** Value of a key as it is now, a copy; undefined when absent. */
  get(bytes: Uint8Array, keyAt: number, keyLen: number): Uint8Array | undefined {
    if (this.isEmpty) return undefined;
    const leaf = this.walk(bytes, keyAt, keyLen);
    if (this.compareLeaf(leaf, bytes, keyAt, keyLen) !== 0) return undefined;
    if (leaf > 0) {
      const node = this.disk.go(leaf);
      return node.bytes.slice(node.valueAt, node.valueAt + node.valueLen);
    }
    const at = this.nodes.valueAt(leafAddress(leaf));
    return this.nodes.arena.slice(at, at + this.nodes.valueLen(leafAddress(leaf)));
  }

  /** Finishes what is left and returns the new root. The writer is used up. */
  finish(): RootLink {
    const nodes = this.nodes;
    this.#output.finish(new Float64Array(0));
    const id = nodes.refs[TOP] as number;
    const size = nodes.sizes[TOP] as number;
    const height = nodes.heights[TOP] as number;
    const hash = id === 0 ? this.hasher.empty() : nodes.hashes.slice(0, HASH_BYTES);
    this.#output.release();
    return id === 0 ? { id, size: 0, height: 0, hash } : { id, size, height, hash };
  }

  // Making new nodes

  /** Makes the first `length` nodes of the path, where they still are the last version's. */
  #own(length: number): void {
    for (; this.owned < length; this.owned++) {
      if ((this.path[this.owned] as number) > 0) this.path[this.owned] = this.#ownChild(this.linkAbove(this.owned));
    }
  }

  /** Replaces the inner node that a link leads to by a made copy, unless it is made already. */
  #ownChild(link: number): number {
    const nodes = this.nodes;
    const ref = nodes.refs[link] as number;
    if (ref < 0) return ref;
    const made = innerRef(nodes.copyInner(this.disk.go(ref)));
    this.#orphan(ref);
    nodes.refs[link] = made;
    return made;
  }

  #orphan(ref: number): void {
    if (ref > 0) this.orphans.push(ref);
  }

  /** The leaf that was met gets a brother on `side`; their parent's key is the greater of the two. */
  #split(link: number, met: number, leaf: number, side: number): void {
    const nodes = this.nodes;
    const parent = nodes.newInner();
    const made = 2 * parent + side;
    nodes.refs[made] = leafRef(leaf);
    nodes.heights[made] = 0;
    nodes.moveLink(link, 2 * parent + 1 - side);
    // First the key: the arena may grow for it, and all arrays are others then.
    const key = side === RIGHT ? leaf : met > 0 ? nodes.recordKey(this.disk.go(met)) : leafAddress(met);
    nodes.keys[parent] = key;
    nodes.refs[link] = innerRef(parent);
    nodes.heights[link] = 1;
    this.push(innerRef(parent), side);
    this.owned = this.length;
  }

  /**
   * The path's last node (at `depth`) lost the leaf on its side: its other child takes its place. Was it the left one,
   * the smallest key of the subtree is now this node's key, and the nearest node that was turned right at carries it:
   * its depth is the answer, 0 when there is none.
   */
  #liftSibling(depth: number): number {
    const nodes = this.nodes;
    const side = this.sides[depth] as number;
    const parent = this.path[depth] as number;
    this.#own(depth);
    const above = this.linkAbove(depth);
    let right = side === LEFT ? depth - 1 : 0;
    while (right > 0 && this.sides[right] === LEFT) right--;
    if (right > 0) {
      const key = parent > 0 ? nodes.recordKey(this.disk.go(parent)) : (nodes.keys[innerIndex(parent)] as number);
      nodes.keys[innerIndex(this.path[right] as number)] = key;
    }
    if (parent > 0) nodes.readLink(this.disk.go(parent), 1 - side, above);
    else nodes.moveLink(2 * innerIndex(parent) + 1 - side, above);
    this.#orphan(parent);
    this.cut(depth);
    return right;
  }

  /** Balances from the path's node at `depth` upwards, as far as heights change. */
  #rebalance(depth: number): void {
    const nodes = this.nodes;
    for (; depth > 0; depth--) {
      const index = innerIndex(this.path[depth] as number);
      const above = this.linkAbove(depth);
      const before = nodes.heights[above] as number;
      const balance = nodes.balance(index);
      if (balance > 1 || balance < -1) {
        this.#rotate(index, above, balance > 1 ? LEFT : RIGHT);
        this.leaveOut(depth);
      } else nodes.heights[above] = nodes.heightOf(index);
      if (nodes.heights[above] === before) return;
    }
  }

  /** Node `index`, which link `above` leads to, is too high on the `heavy` side: one rotation, or two. */
  #rotate(index: number, above: number, heavy: number): void {
    const nodes = this.nodes;
    const link = 2 * index + heavy;
    const child = innerIndex(this.#ownChild(link));
    const lean = nodes.balance(child);
    if (heavy === LEFT ? lean < 0 : lean > 0) {
      this.#ownChild(2 * child + 1 - heavy);
      nodes.turn(child, link, 1 - heavy);
    }
    nodes.turn(index, above, heavy);
  }

  // Bounded memory

  /** Finishes what is off the path when much is held, and keeps what stays. */
  #keepBounded(): void {
    if (this.nodes.count < this.limits.nodes && this.nodes.arenaUsed < this.limits.bytes) return;
    if (this.tip !== NONE) this.rememberRecord(this.tip);
    this.tip = NONE;
    this.cut(this.owned);
    const path = this.path.subarray(0, this.length);
    this.#output.finish(path);
    this.#spare ??= new MadeNodes();
    this.nodes.keepPath(path, this.#spare);
  }
}
