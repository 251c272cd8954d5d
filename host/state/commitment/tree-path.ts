/**
 * The way to the last write of a tree in the making: a finger that the next write starts from. Nodes on it are on disk
 * or made; it climbs only as far as it must.
 */
import { compareRanges } from "../../base/text/bytes.js";
import { innerIndex, innerRef, isMadeInner, LEFT, leafAddress, type MadeNodes, RIGHT, TOP } from "./made-nodes.js";
import type { NodeView } from "./tree.js";

/** Heights are bytes: a path is not longer. */
const DEPTH_MAX = 258;
export const NONE = -1;

export class TreePath {
  // The path of the last write: nodes, and the side turned to at each. The first #owned of them are made.
  protected readonly path = new Float64Array(DEPTH_MAX).fill(innerRef(TOP), 0, 1);
  protected readonly sides = new Uint8Array(DEPTH_MAX);
  protected length = 1;
  protected owned = 1;
  #lastKey = new Uint8Array(0);

  // Bulk writes ascend: where the path ends above the leaf that was set last, on its right, a greater key is set beside
  // it without a walk, up to the key of the node at which the path last turned left (depth 0: there is none).
  /** Record of that leaf, whose key is used as #lastKey then; -1 when there is none. */
  protected tip = NONE;
  protected fence = 0;

  protected constructor(
    protected readonly disk: NodeView,
    protected readonly nodes: MadeNodes,
  ) {}

  /** Leads the path to the leaf where the key is or would be, and returns that leaf. Makes nothing. */
  protected walk(bytes: Uint8Array, keyAt: number, keyLen: number): number {
    if (this.tip !== NONE) this.rememberRecord(this.tip);
    this.tip = NONE;
    if (compareRanges(bytes, keyAt, keyLen, this.#lastKey, 0, this.#lastKey.length) < 0) this.cut(1);
    else this.#climb(bytes, keyAt, keyLen);
    this.#remember(bytes, keyAt, keyLen);
    for (;;) {
      const ref = this.#childAtEnd();
      if (ref < 0 ? !isMadeInner(ref) : this.disk.go(ref).isLeaf) return ref;
      this.push(ref, this.#compareInner(ref, bytes, keyAt, keyLen) < 0 ? LEFT : RIGHT);
    }
  }

  /** Shortens the path to the node in whose subtree the key, which is not before the last one, belongs. */
  #climb(bytes: Uint8Array, keyAt: number, keyLen: number): void {
    let turn = 0;
    for (let depth = this.length - 1; depth > 0; depth--) {
      if (this.sides[depth] === RIGHT) continue;
      if (this.#compareInner(this.path[depth] as number, bytes, keyAt, keyLen) < 0) break;
      turn = depth;
    }
    if (turn === 0) return;
    this.cut(turn + 1);
    this.sides[turn] = RIGHT;
  }

  protected cut(length: number): void {
    this.length = length;
    if (this.owned > length) this.owned = length;
  }

  protected push(ref: number, side: number): void {
    this.path[this.length] = ref;
    this.sides[this.length++] = side;
  }

  protected rememberRecord(address: number): void {
    const nodes = this.nodes;
    this.#remember(nodes.arena, nodes.keyAt(address), nodes.keyLen(address));
  }

  #remember(bytes: Uint8Array, keyAt: number, keyLen: number): void {
    if (this.#lastKey.length !== keyLen) this.#lastKey = new Uint8Array(keyLen);
    for (let i = 0; i < keyLen; i++) this.#lastKey[i] = bytes[keyAt + i] as number;
  }

  #childAtEnd(): number {
    const depth = this.length - 1;
    const ref = this.path[depth] as number;
    const side = this.sides[depth] as number;
    return ref > 0 ? this.disk.go(ref).child(side) : (this.nodes.refs[2 * innerIndex(ref) + side] as number);
  }

  #compareInner(ref: number, bytes: Uint8Array, keyAt: number, keyLen: number): number {
    if (ref > 0) return this.disk.go(ref).compare(bytes, keyAt, keyLen);
    return this.nodes.compare(this.nodes.keys[innerIndex(ref)] as number, bytes, keyAt, keyLen);
  }

  protected compareLeaf(ref: number, bytes: Uint8Array, keyAt: number, keyLen: number): number {
    if (ref > 0) return this.disk.go(ref).compare(bytes, keyAt, keyLen);
    return this.nodes.compare(leafAddress(ref), bytes, keyAt, keyLen);
  }

  /** Does a key come right after the tip, with nothing in between? */
  protected isBehindTip(bytes: Uint8Array, keyAt: number, keyLen: number): boolean {
    if (this.nodes.compare(this.tip, bytes, keyAt, keyLen) <= 0) return false;
    const fence = this.fence;
    return fence === 0 || this.#compareInner(this.path[fence] as number, bytes, keyAt, keyLen) < 0;
  }

  /** Link from the path's node above `depth` (which is made) to the one at `depth`. */
  protected linkAbove(depth: number): number {
    return 2 * innerIndex(this.path[depth - 1] as number) + (this.sides[depth - 1] as number);
  }

  /**
   * The path's node at `depth` was rotated. Where the path went on through the child that took its place, only that node
   * is no longer on it; elsewhere the path below leads through nodes that changed places.
   */
  protected leaveOut(depth: number): void {
    const path = this.path;
    const sides = this.sides;
    const isOn = depth + 1 < this.length && this.nodes.refs[this.linkAbove(depth)] === path[depth + 1];
    if (!isOn || sides[depth] !== sides[depth + 1] || depth <= this.fence) {
      this.cut(depth);
      return;
    }
    for (let at = depth + 1; at < this.length; at++) {
      path[at - 1] = path[at] as number;
      sides[at - 1] = sides[at] as number;
    }
    this.length--;
    this.owned--;
  }
}
