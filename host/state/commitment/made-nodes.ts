/**
 * Nodes that one commit makes, before they are finished: flat arrays, no object per node.
 *
 * Link `2 i + side` belongs to inner node `i` and leads to its left (0) or right (1) child. A link's size and hash
 * count only while it leads to disk; its height always counts. Node 0 is a pseudo node whose left link is the root's.
 */
import { compareRanges, copyInto } from "../../base/text/bytes.js";
import { readU32, writeU32 } from "../../base/wire/u32.js";
import { LINK_HASH_AT, LINK_HEIGHT_AT, LINK_SIZE_AT, type RootLink, readU48 } from "./chunk.js";
import { HASH_BYTES } from "./iavl-hash.js";
import type { NodeView } from "./tree.js";

// A reference to a node: an id (above 0) is on disk, 0 is nothing, below 0 it was made here:
// -(2 i + 1) is inner node i, -(2 a + 2) the leaf whose record begins at byte a of the arena.
export const innerRef = (index: number): number => -(2 * index + 1);
export const innerIndex = (ref: number): number => (-ref - 1) / 2;
export const isMadeInner = (ref: number): boolean => ref < 0 && ref % 2 !== 0;
export const leafRef = (address: number): number => -(2 * address + 2);
export const leafAddress = (ref: number): number => (-ref - 2) / 2;

export const LEFT = 0;
export const RIGHT = 1;
/** The pseudo node above the root. */
export const TOP = 0;

const NODES_AT_FIRST = 1_024;
const ARENA_BYTES_AT_FIRST = 65_536;
const RECORD_HEADER_BYTES = 8;

/** Parallel arrays, by link (2 × inner node + side) or by inner node, and the bytes of records. */
export interface NodeArrays {
  readonly refs: Float64Array;
  readonly sizes: Float64Array;
  readonly heights: Uint8Array;
  readonly hashes: Uint8Array;
  readonly keys: Float64Array;
  readonly arena: Uint8Array;
}

function newArrays(): NodeArrays {
  return {
    refs: new Float64Array(2 * NODES_AT_FIRST),
    sizes: new Float64Array(2 * NODES_AT_FIRST),
    heights: new Uint8Array(2 * NODES_AT_FIRST),
    hashes: new Uint8Array(2 * NODES_AT_FIRST * HASH_BYTES),
    keys: new Float64Array(NODES_AT_FIRST),
    arena: new Uint8Array(ARENA_BYTES_AT_FIRST),
  };
}

export class MadeNodes {
  refs: Float64Array;
  sizes: Float64Array;
  heights: Uint8Array;
  hashes: Uint8Array;
  /** Arena address of a record with the node's key. */
  keys: Float64Array;
  /** Records `u32 klen, u32 vlen, key, value` of made leaves, and keys of made inner nodes. */
  arena: Uint8Array;
  arenaUsed = 0;
  count = 1;

  constructor(arrays: NodeArrays = newArrays()) {
    this.refs = arrays.refs;
    this.sizes = arrays.sizes;
    this.heights = arrays.heights;
    this.hashes = arrays.hashes;
    this.keys = arrays.keys;
    this.arena = arrays.arena;
  }

  /** Puts a tree below TOP. */
  begin(root: RootLink): void {
    this.clear();
    this.refs[TOP] = root.id;
    this.sizes[TOP] = root.size;
    this.heights[TOP] = root.height;
    this.hashes.set(root.hash, 0);
  }

  /** Forgets every node and keeps the room. */
  clear(): void {
    this.count = 1;
    this.arenaUsed = 0;
  }

  newInner(): number {
    const index = this.count++;
    if (index >= this.keys.length) this.makeRoomForNodes();
    return index;
  }

  /** Doubles the room for nodes. */
  protected makeRoomForNodes(): void {
    const capacity = this.keys.length * 2;
    this.refs = grown(this.refs, new Float64Array(2 * capacity));
    this.sizes = grown(this.sizes, new Float64Array(2 * capacity));
    this.heights = grown(this.heights, new Uint8Array(2 * capacity));
    this.hashes = grown(this.hashes, new Uint8Array(2 * capacity * HASH_BYTES));
    this.keys = grown(this.keys, new Float64Array(capacity));
  }

  /** Makes the arena at least this long. */
  protected makeRoomInArena(bytes: number): void {
    this.arena = grown(this.arena, new Uint8Array(Math.max(2 * this.arena.length, bytes)));
  }

  /** Copies key and value into the arena and returns the record's address. */
  record(
    bytes: Uint8Array,
    keyAt: number,
    keyLen: number,
    value: Uint8Array,
    valueAt: number,
    valueLen: number,
  ): number {
    const address = this.arenaUsed;
    this.arenaUsed += RECORD_HEADER_BYTES + keyLen + valueLen;
    if (this.arenaUsed > this.arena.length) this.makeRoomInArena(this.arenaUsed);
    writeU32(this.arena, address, keyLen);
    writeU32(this.arena, address + 4, valueLen);
    const to = address + RECORD_HEADER_BYTES;
    if (value === bytes && valueAt === keyAt + keyLen) copyInto(this.arena, to, bytes, keyAt, keyLen + valueLen);
    else copyInto(this.arena, copyInto(this.arena, to, bytes, keyAt, keyLen), value, valueAt, valueLen);
    return address;
  }

  /** Copies the key of a node on disk into the arena. */
  recordKey(node: NodeView): number {
    return this.record(node.bytes, node.keyAt, node.keyLen, node.bytes, 0, 0);
  }

  keyAt(address: number): number {
    return address + RECORD_HEADER_BYTES;
  }
  keyLen(address: number): number {
    return readU32(this.arena, address);
  }
  valueAt(address: number): number {
    return address + RECORD_HEADER_BYTES + readU32(this.arena, address);
  }
  valueLen(address: number): number {
    return readU32(this.arena, address + 4);
  }

  /** Order of a key that is in `bytes` relative to a record's key. */
  compare(address: number, bytes: Uint8Array, keyAt: number, keyLen: number): number {
    return compareRanges(bytes, keyAt, keyLen, this.arena, this.keyAt(address), this.keyLen(address));
  }

  moveLink(from: number, to: number): void {
    this.refs[to] = this.refs[from] as number;
    this.sizes[to] = this.sizes[from] as number;
    this.heights[to] = this.heights[from] as number;
    // What is made here has no hash yet.
    if ((this.refs[to] as number) < 0) return;
    copyInto(this.hashes, to * HASH_BYTES, this.hashes, from * HASH_BYTES, HASH_BYTES);
  }

  /** Makes a new copy of an inner node on disk. */
  copyInner(node: NodeView): number {
    const index = this.newInner();
    this.readLink(node, LEFT, 2 * index + LEFT);
    this.readLink(node, RIGHT, 2 * index + RIGHT);
    // First the key: the arena may grow for it, and all arrays are others then.
    const key = this.recordKey(node);
    this.keys[index] = key;
    return index;
  }

  /** Takes over a link of a node on disk. */
  readLink(node: NodeView, side: number, to: number): void {
    const { bytes } = node;
    const at = node.linkAt(side);
    this.refs[to] = readU48(bytes, at);
    this.sizes[to] = readU48(bytes, at + LINK_SIZE_AT);
    this.heights[to] = bytes[at + LINK_HEIGHT_AT] as number;
    copyInto(this.hashes, to * HASH_BYTES, bytes, at + LINK_HASH_AT, HASH_BYTES);
  }

  /** Height of the left child less that of the right one. */
  balance(index: number): number {
    return (this.heights[2 * index] as number) - (this.heights[2 * index + 1] as number);
  }

  heightOf(index: number): number {
    return 1 + Math.max(this.heights[2 * index] as number, this.heights[2 * index + 1] as number);
  }

  /**
   * A rotation: the (made) child on `side` of node `index` takes the place that link `above` leads to, and `index`
   * becomes its other child.
   */
  turn(index: number, above: number, side: number): void {
    const child = innerIndex(this.refs[2 * index + side] as number);
    const inner = 2 * child + 1 - side;
    this.moveLink(inner, 2 * index + side);
    this.refs[inner] = innerRef(index);
    this.heights[inner] = this.heightOf(index);
    this.refs[above] = innerRef(child);
    this.heights[above] = this.heightOf(child);
  }

  /**
   * Forgets every node but those of a path, when all others are finished. `path` begins at TOP and leads down; its
   * references are renamed. `spare` is where they are put meanwhile.
   */
  keepPath(path: Float64Array, spare: MadeNodes): void {
    spare.clear();
    path.forEach((ref, depth) => {
      path[depth] = spare.#takeOver(this, innerIndex(ref), depth);
    });
    this.refs.set(spare.refs.subarray(0, 2 * spare.count));
    this.sizes.set(spare.sizes.subarray(0, 2 * spare.count));
    this.heights.set(spare.heights.subarray(0, 2 * spare.count));
    this.hashes.set(spare.hashes.subarray(0, 2 * spare.count * HASH_BYTES));
    this.keys.set(spare.keys.subarray(0, spare.count));
    this.arena.set(spare.arena.subarray(0, spare.arenaUsed));
    this.count = spare.count;
    this.arenaUsed = spare.arenaUsed;
  }

  /** Copies the node of a path that is at `depth`, and returns its new reference. */
  #takeOver(old: MadeNodes, from: number, depth: number): number {
    const to = depth === TOP ? TOP : this.newInner();
    for (let side = LEFT; side <= RIGHT; side++) {
      const child = old.refs[2 * from + side] as number;
      // A link to a made node leads to the next one of the path.
      this.refs[2 * to + side] = child < 0 ? innerRef(depth + 1) : child;
      this.sizes[2 * to + side] = old.sizes[2 * from + side] as number;
      this.heights[2 * to + side] = old.heights[2 * from + side] as number;
    }
    copyInto(this.hashes, 2 * to * HASH_BYTES, old.hashes, 2 * from * HASH_BYTES, 2 * HASH_BYTES);
    const key = old.keys[from] as number;
    if (to !== TOP) this.keys[to] = this.record(old.arena, old.keyAt(key), old.keyLen(key), old.arena, 0, 0);
    return innerRef(to);
  }
}

function grown<T extends Float64Array | Uint8Array>(from: T, to: T): T {
  to.set(from);
  return to;
}
