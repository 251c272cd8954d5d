/**
 * Makes the next version of an IAVL+ tree from the last one and a run of writes.
 *
 * Shape is the field's, one write at a time: a new leaf splits the leaf it meets, heights are balanced after each
 * write, and every node on the way of a write is made anew. Writes come in ascending order of keys (any order is
 * correct, that one is fast): the writer keeps its finger on the last path, so the next write climbs only as far as it
 * must, and what lies off the path is finished from time to time, which bounds memory however many writes there are.
 */
import { compareRanges } from "../bytes.js";
import type { ChunkSink, ChunkSource, RootLink } from "./chunk.js";
import { HASH_BYTES, type IavlHasher } from "./iavl-hash.js";
import { IdList } from "./id-list.js";
import { innerIndex, innerRef, isMadeInner, LEFT, leafAddress, leafRef, MadeNodes, RIGHT, TOP } from "./made-nodes.js";
import { type NodeFinisher, NodeOutput } from "./node-output.js";
import { RoomOutput } from "./node-room.js";
import { NodeView } from "./tree.js";

/** How much is in hand before what is off the path is finished. */
export interface TreeWriterLimits {
  readonly nodes: number;
  readonly bytes: number;
}

/** Heights are bytes: a path is not longer. */
const DEPTH_MAX = 258;
const NONE = -1;

const LIMITS: TreeWriterLimits = { nodes: 16_384, bytes: 2 * 1_048_576 };

export class TreeWriter {
  readonly #disk: NodeView;
  readonly #output: NodeFinisher;
  readonly #nodes: MadeNodes;
  #spare: MadeNodes | undefined;

  // The path of the last write: nodes, and the side turned to at each. The first #owned of them are made.
  readonly #path = new Float64Array(DEPTH_MAX).fill(innerRef(TOP), 0, 1);
  readonly #sides = new Uint8Array(DEPTH_MAX);
  #length = 1;
  #owned = 1;
  #lastKey = new Uint8Array(0);

  // Bulk writes ascend: where the path ends above the leaf that was set last, on its right, a greater key is set beside
  // it without a walk, up to the key of the node at which the path last turned left (depth 0: there is none).
  /** Record of that leaf, whose key stands for #lastKey then; -1 when there is none. */
  #tip = NONE;
  #fence = 0;

  /** First chunk that this writer wrote: nodes in it and behind it were never visible to anybody. */
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
    this.#disk = new NodeView(source);
    this.#output = RoomOutput.open(sink, hasher, version) ?? new NodeOutput(sink, hasher, version);
    this.#nodes = this.#output.nodes;
    this.#nodes.begin(root);
    this.firstChunk = sink.nextChunk;
  }

  get isEmpty(): boolean {
    return this.#nodes.refs[TOP] === 0;
  }

  /** Sets the key that stands in `bytes`; true when it was there before. */
  set(bytes: Uint8Array, keyAt: number, keyLen: number, value: Uint8Array, valueAt: number, valueLen: number): boolean {
    this.#keepBounded();
    const nodes = this.#nodes;
    const leaf = nodes.record(bytes, keyAt, keyLen, value, valueAt, valueLen);
    if (this.isEmpty) {
      nodes.refs[TOP] = leafRef(leaf);
      nodes.heights[TOP] = 0;
      return false;
    }
    if (this.#tip !== NONE && this.#isBehindTip(bytes, keyAt, keyLen)) {
      this.#insert(this.#linkAbove(this.#length), leafRef(this.#tip), leaf, RIGHT);
      return false;
    }
    const met = this.#walk(bytes, keyAt, keyLen);
    this.#own(this.#length);
    const link = this.#linkAbove(this.#length);
    const order = this.#compareLeaf(met, bytes, keyAt, keyLen);
    if (order === 0) {
      this.#orphan(met);
      nodes.refs[link] = leafRef(leaf);
      return true;
    }
    this.#fence = 0;
    for (let depth = 1; depth < this.#length; depth++) if (this.#sides[depth] === LEFT) this.#fence = depth;
    this.#insert(link, met, leaf, order < 0 ? LEFT : RIGHT);
    return false;
  }

  /** Does a key come right behind the tip, with nothing in between? */
  #isBehindTip(bytes: Uint8Array, keyAt: number, keyLen: number): boolean {
    if (this.#nodes.compare(this.#tip, bytes, keyAt, keyLen) <= 0) return false;
    const fence = this.#fence;
    return fence === 0 || this.#compareInner(this.#path[fence] as number, bytes, keyAt, keyLen) < 0;
  }

  /** Sets a leaf beside the one that was met, and balances. */
  #insert(link: number, met: number, leaf: number, side: number): void {
    this.#split(link, met, leaf, side);
    const parent = this.#path[this.#length - 1];
    this.#tip = NONE;
    this.#rebalance(this.#length - 2);
    if (side === RIGHT && this.#path[this.#length - 1] === parent) this.#tip = leaf;
    else this.#rememberRecord(leaf);
  }

  /** Removes the key that stands in `bytes`; false when it was not there, and then nothing changes. */
  remove(bytes: Uint8Array, keyAt: number, keyLen: number): boolean {
    this.#keepBounded();
    if (this.isEmpty) return false;
    const leaf = this.#walk(bytes, keyAt, keyLen);
    if (this.#compareLeaf(leaf, bytes, keyAt, keyLen) !== 0) return false;
    this.#orphan(leaf);
    const depth = this.#length - 1;
    if (depth === 0) {
      this.#nodes.refs[TOP] = 0;
      return true;
    }
    const rekeyed = this.#liftSibling(depth);
    this.#rebalance(depth - 1);
    // A node that was turned right at has a greater key now: keys in between belong to its left.
    if (rekeyed > 0 && rekeyed < this.#length) this.#cut(rekeyed);
    return true;
  }

  /** Value of a key as it now stands, a copy; undefined when absent. */
  get(bytes: Uint8Array, keyAt: number, keyLen: number): Uint8Array | undefined {
    if (this.isEmpty) return undefined;
    const leaf = this.#walk(bytes, keyAt, keyLen);
    if (this.#compareLeaf(leaf, bytes, keyAt, keyLen) !== 0) return undefined;
    if (leaf > 0) {
      const node = this.#disk.go(leaf);
      return node.bytes.slice(node.valueAt, node.valueAt + node.valueLen);
    }
    const at = this.#nodes.valueAt(leafAddress(leaf));
    return this.#nodes.arena.slice(at, at + this.#nodes.valueLen(leafAddress(leaf)));
  }

  /** Finishes what is left and answers the new root. The writer is used up. */
  finish(): RootLink {
    const nodes = this.#nodes;
    this.#output.finish(new Float64Array(0));
    const id = nodes.refs[TOP] as number;
    const size = nodes.sizes[TOP] as number;
    const height = nodes.heights[TOP] as number;
    const hash = id === 0 ? this.hasher.empty() : nodes.hashes.slice(0, HASH_BYTES);
    this.#output.release();
    return id === 0 ? { id, size: 0, height: 0, hash } : { id, size, height, hash };
  }

  // The way down

  /** Leads the path to the leaf where the key is or would be, and answers that leaf. Makes nothing. */
  #walk(bytes: Uint8Array, keyAt: number, keyLen: number): number {
    if (this.#tip !== NONE) this.#rememberRecord(this.#tip);
    this.#tip = NONE;
    if (compareRanges(bytes, keyAt, keyLen, this.#lastKey, 0, this.#lastKey.length) < 0) this.#cut(1);
    else this.#climb(bytes, keyAt, keyLen);
    this.#remember(bytes, keyAt, keyLen);
    for (;;) {
      const ref = this.#childAtEnd();
      if (ref < 0 ? !isMadeInner(ref) : this.#disk.go(ref).isLeaf) return ref;
      this.#push(ref, this.#compareInner(ref, bytes, keyAt, keyLen) < 0 ? LEFT : RIGHT);
    }
  }

  /** Shortens the path to the node in whose subtree the key, which is not before the last one, belongs. */
  #climb(bytes: Uint8Array, keyAt: number, keyLen: number): void {
    let turn = 0;
    for (let depth = this.#length - 1; depth > 0; depth--) {
      if (this.#sides[depth] === RIGHT) continue;
      if (this.#compareInner(this.#path[depth] as number, bytes, keyAt, keyLen) < 0) break;
      turn = depth;
    }
    if (turn === 0) return;
    this.#cut(turn + 1);
    this.#sides[turn] = RIGHT;
  }

  #cut(length: number): void {
    this.#length = length;
    if (this.#owned > length) this.#owned = length;
  }

  #push(ref: number, side: number): void {
    this.#path[this.#length] = ref;
    this.#sides[this.#length++] = side;
  }

  #rememberRecord(address: number): void {
    const nodes = this.#nodes;
    this.#remember(nodes.arena, nodes.keyAt(address), nodes.keyLen(address));
  }

  #remember(bytes: Uint8Array, keyAt: number, keyLen: number): void {
    if (this.#lastKey.length !== keyLen) this.#lastKey = new Uint8Array(keyLen);
    for (let i = 0; i < keyLen; i++) this.#lastKey[i] = bytes[keyAt + i] as number;
  }

  #childAtEnd(): number {
    const depth = this.#length - 1;
    const ref = this.#path[depth] as number;
    const side = this.#sides[depth] as number;
    return ref > 0 ? this.#disk.go(ref).child(side) : (this.#nodes.refs[2 * innerIndex(ref) + side] as number);
  }

  #compareInner(ref: number, bytes: Uint8Array, keyAt: number, keyLen: number): number {
    if (ref > 0) return this.#disk.go(ref).compare(bytes, keyAt, keyLen);
    return this.#nodes.compare(this.#nodes.keys[innerIndex(ref)] as number, bytes, keyAt, keyLen);
  }

  #compareLeaf(ref: number, bytes: Uint8Array, keyAt: number, keyLen: number): number {
    if (ref > 0) return this.#disk.go(ref).compare(bytes, keyAt, keyLen);
    return this.#nodes.compare(leafAddress(ref), bytes, keyAt, keyLen);
  }

  // Making nodes anew

  /** Makes the first `length` nodes of the path, where they still are the last version's. */
  #own(length: number): void {
    for (; this.#owned < length; this.#owned++) {
      if ((this.#path[this.#owned] as number) > 0)
        this.#path[this.#owned] = this.#ownChild(this.#linkAbove(this.#owned));
    }
  }

  /** Link from the path's node above `depth` (which is made) to the one at `depth`. */
  #linkAbove(depth: number): number {
    return 2 * innerIndex(this.#path[depth - 1] as number) + (this.#sides[depth - 1] as number);
  }

  /** Replaces the inner node that a link leads to by a made copy, unless it is made already. */
  #ownChild(link: number): number {
    const nodes = this.#nodes;
    const ref = nodes.refs[link] as number;
    if (ref < 0) return ref;
    const made = innerRef(nodes.copyInner(this.#disk.go(ref)));
    this.#orphan(ref);
    nodes.refs[link] = made;
    return made;
  }

  #orphan(ref: number): void {
    if (ref > 0) this.orphans.push(ref);
  }

  /** The leaf that was met gets a brother on `side`; their parent's key is the greater of the two. */
  #split(link: number, met: number, leaf: number, side: number): void {
    const nodes = this.#nodes;
    const parent = nodes.newInner();
    const made = 2 * parent + side;
    nodes.refs[made] = leafRef(leaf);
    nodes.heights[made] = 0;
    nodes.moveLink(link, 2 * parent + 1 - side);
    nodes.keys[parent] = side === RIGHT ? leaf : met > 0 ? nodes.recordKey(this.#disk.go(met)) : leafAddress(met);
    nodes.refs[link] = innerRef(parent);
    nodes.heights[link] = 1;
    this.#push(innerRef(parent), side);
    this.#owned = this.#length;
  }

  /**
   * The path's last node (at `depth`) lost the leaf on its side: its other child takes its place. Was it the left one,
   * the smallest key of the subtree is now this node's key, and the nearest node that was turned right at carries it:
   * its depth is the answer, 0 when there is none.
   */
  #liftSibling(depth: number): number {
    const nodes = this.#nodes;
    const side = this.#sides[depth] as number;
    const parent = this.#path[depth] as number;
    this.#own(depth);
    const above = this.#linkAbove(depth);
    let right = side === LEFT ? depth - 1 : 0;
    while (right > 0 && this.#sides[right] === LEFT) right--;
    if (right > 0) {
      const key = parent > 0 ? nodes.recordKey(this.#disk.go(parent)) : (nodes.keys[innerIndex(parent)] as number);
      nodes.keys[innerIndex(this.#path[right] as number)] = key;
    }
    if (parent > 0) nodes.readLink(this.#disk.go(parent), 1 - side, above);
    else nodes.moveLink(2 * innerIndex(parent) + 1 - side, above);
    this.#orphan(parent);
    this.#cut(depth);
    return right;
  }

  /** Balances from the path's node at `depth` upwards, as far as heights change. */
  #rebalance(depth: number): void {
    const nodes = this.#nodes;
    for (; depth > 0; depth--) {
      const index = innerIndex(this.#path[depth] as number);
      const above = this.#linkAbove(depth);
      const before = nodes.heights[above] as number;
      const balance = nodes.balance(index);
      if (balance > 1 || balance < -1) {
        this.#rotate(index, above, balance > 1 ? LEFT : RIGHT);
        this.#leaveOut(depth);
      } else nodes.heights[above] = nodes.heightOf(index);
      if (nodes.heights[above] === before) return;
    }
  }

  /**
   * The path's node at `depth` was rotated. Where the path went on through the child that took its place, only that node
   * is no longer on it; elsewhere the path below leads through nodes that changed places.
   */
  #leaveOut(depth: number): void {
    const path = this.#path;
    const sides = this.#sides;
    const isOn = depth + 1 < this.#length && this.#nodes.refs[this.#linkAbove(depth)] === path[depth + 1];
    if (!isOn || sides[depth] !== sides[depth + 1] || depth <= this.#fence) {
      this.#cut(depth);
      return;
    }
    for (let at = depth + 1; at < this.#length; at++) {
      path[at - 1] = path[at] as number;
      sides[at - 1] = sides[at] as number;
    }
    this.#length--;
    this.#owned--;
  }

  /** Node `index`, which link `above` leads to, is too high on the `heavy` side: one rotation, or two. */
  #rotate(index: number, above: number, heavy: number): void {
    const nodes = this.#nodes;
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

  /** Finishes what is off the path when much is in hand, and keeps what stays. */
  #keepBounded(): void {
    if (this.#nodes.count < this.limits.nodes && this.#nodes.arenaUsed < this.limits.bytes) return;
    if (this.#tip !== NONE) this.#rememberRecord(this.#tip);
    this.#tip = NONE;
    this.#cut(this.#owned);
    const path = this.#path.subarray(0, this.#length);
    this.#output.finish(path);
    this.#spare ??= new MadeNodes();
    this.#nodes.keepPath(path, this.#spare);
  }
}
