/** Walks several layers of writes at once: the next pair of all comes first, and of several to one key the latest. */
import { compareRanges } from "../../../base/text/bytes.js";
import { beginningOf } from "../kv/sorted-blocks.js";
import type { SortedCursor } from "../kv/sorted-cursor.js";
import { RunCursor } from "./run-cursor.js";

/** A walk over one layer. A greater age is a later layer. */
interface Head {
  readonly walk: SortedCursor | RunCursor;
  readonly age: number;
  /** Of the key that the walk shows: most comparisons end here. */
  beginning: number;
}

export class RunHeap {
  /** Walks that are on a pair or wait before one, as a heap: the next one to be shown comes first. */
  readonly #heads: Head[] = [];

  constructor(private readonly reverse: boolean) {}

  /** Adds a walk that is to make its first step. A run whose turn has not come is not read. */
  add(walk: SortedCursor | RunCursor, age: number): void {
    if (!(walk instanceof RunCursor && walk.wait()) && !walk.step()) return;
    const head = { walk, age, beginning: beginningOf(walk.bytes, walk.keyAt, walk.keyLen) };
    const heads = this.#heads;
    let at = heads.length;
    for (; at > 0; at = (at - 1) >>> 1) {
      const above = heads[(at - 1) >>> 1] as Head;
      if (!this.#isBefore(head, above)) break;
      heads[at] = above;
    }
    heads[at] = head;
  }

  /** The walk that is on the next pair. */
  first(): SortedCursor | RunCursor | undefined {
    for (;;) {
      const head = this.#heads[0];
      if (!head || !isWaiting(head)) return head?.walk;
      this.#advance(head);
    }
  }

  /** Moves every walk on that is on the key that `first` has shown. */
  pass(): void {
    const shown = this.#heads[0];
    if (!shown) return;
    const { bytes, keyAt, keyLen } = shown.walk;
    const { beginning } = shown;
    this.#advance(shown);
    for (let head = this.#heads[0]; head && head.beginning === beginning; head = this.#heads[0]) {
      // Whether one that waits is on the key shows when it has made a step.
      const { walk } = head;
      if (!isWaiting(head) && compareRanges(walk.bytes, walk.keyAt, walk.keyLen, bytes, keyAt, keyLen) !== 0) return;
      this.#advance(head);
    }
  }

  /** The first walk makes a step and finds its place again. */
  #advance(head: Head): void {
    const { walk } = head;
    const isThere = walk.step();
    if (isThere) head.beginning = beginningOf(walk.bytes, walk.keyAt, walk.keyLen);
    const last = isThere ? head : this.#heads.pop();
    if (last !== undefined && this.#heads.length > 0) this.#sink(last);
  }

  /** Puts a head in the place of the first one, and down to where it belongs. */
  #sink(head: Head): void {
    const heads = this.#heads;
    let at = 0;
    for (;;) {
      let next = 2 * at + 1;
      const right = heads[next + 1];
      if (right !== undefined && this.#isBefore(right, heads[next] as Head)) next++;
      const below = heads[next];
      if (below === undefined || !this.#isBefore(below, head)) break;
      heads[at] = below;
      at = next;
    }
    heads[at] = head;
  }

  #isBefore(a: Head, b: Head): boolean {
    if (a.beginning !== b.beginning) return this.reverse === a.beginning > b.beginning;
    const x = a.walk;
    const y = b.walk;
    const order = compareRanges(x.bytes, x.keyAt, x.keyLen, y.bytes, y.keyAt, y.keyLen);
    // A walk that waits may be on the same key as the other, and be the later one.
    if (order === 0) return isWaiting(a) !== isWaiting(b) ? isWaiting(a) : a.age > b.age;
    return this.reverse ? order > 0 : order < 0;
  }
}

function isWaiting({ walk }: Head): boolean {
  return walk instanceof RunCursor && walk.isWaiting;
}
