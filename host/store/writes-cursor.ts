/** Walks all writes of a branch, in memory and put aside, in either direction; of several to one key the last counts. */
import { compareRanges } from "../bytes.js";
import type { BranchWrites } from "./branch-writes.js";
import type { PairCursor } from "./pair-cursor.js";
import { DELETED } from "./records.js";
import { SortedCursor } from "./sorted-cursor.js";
import { RunCursor } from "./spilled-run.js";

/** A walk over one layer of writes. A greater age is a later layer. */
interface Head {
  readonly walk: SortedCursor | RunCursor;
  readonly age: number;
}

export class WritesCursor implements PairCursor {
  bytes: Uint8Array = new Uint8Array(0);
  keyAt = 0;
  keyLen = 0;
  valueAt = 0;
  /** DELETED for a deletion. */
  valueLen = 0;

  #top: SortedCursor;
  /** Walks that stand on a pair, as a heap: the next one to be shown comes first. */
  #heap: Head[] = [];
  #moves: number;
  #isFilled = false;
  /** The heap's first pair was not shown yet. */
  #isAhead = false;
  #hasStood = false;

  constructor(
    private readonly writes: BranchWrites,
    private readonly start: Uint8Array | undefined,
    private readonly end: Uint8Array | undefined,
    private readonly reverse: boolean,
  ) {
    this.#top = new SortedCursor(writes.map, start, end, reverse);
    this.#moves = writes.moves;
  }

  get isDeleted(): boolean {
    return this.valueLen === DELETED;
  }

  /** Did the order of the writes change since the last step? */
  get isStale(): boolean {
    return this.#moves !== this.writes.moves || this.#top.isStale;
  }

  step(): boolean {
    if (this.#hasStood && this.isStale) this.goBehind(this.bytes, this.keyAt, this.keyLen);
    else if (this.#moves !== this.writes.moves) this.#begin();
    if (this.writes.runs.length === 0) return this.#top.step() && this.#show(this.#top);
    if (!this.#isFilled) this.#fill();
    else if (!this.#isAhead) this.#passShown();
    this.#isAhead = false;
    const next = this.#heap[0]?.walk;
    if (next === this.#top) next.lookAgain(); // its value may be another since the walk came there
    return next !== undefined && this.#show(next);
  }

  /** Reads the value of the pair it stands on again: a write to a key that is there makes no cursor stale. */
  lookAgain(): void {
    const shown = this.writes.runs.length === 0 ? this.#top : this.#heap[0]?.walk;
    if (!(shown instanceof SortedCursor)) return;
    shown.lookAgain();
    this.#show(shown);
  }

  /** The next step stands on the pair that comes after this key in the direction of the walk. */
  goBehind(bytes: Uint8Array, at: number, len: number): void {
    if (this.#moves !== this.writes.moves) this.#begin();
    this.#top.goBehind(bytes, at, len);
    this.#heap = [];
    this.#isFilled = false;
    if (this.writes.runs.length > 0) this.#fill({ bytes, at, len });
  }

  #begin(): void {
    this.#top = new SortedCursor(this.writes.map, this.start, this.end, this.reverse);
    this.#moves = this.writes.moves;
    this.#heap = [];
    this.#isFilled = false;
  }

  /** Begins a walk over each layer, behind a key when one is given (the walk over the map is there already). */
  #fill(behind?: { readonly bytes: Uint8Array; readonly at: number; readonly len: number }): void {
    const { runs } = this.writes;
    runs.forEach((run, age) => {
      const walk = new RunCursor(run, this.start, this.end, this.reverse);
      if (behind) walk.goBehind(behind.bytes, behind.at, behind.len);
      this.#push({ walk, age });
    });
    this.#push({ walk: this.#top, age: runs.length });
    this.#isFilled = true;
    this.#isAhead = true;
  }

  #push(head: Head): void {
    if (!head.walk.step()) return;
    const heap = this.#heap;
    let at = heap.length;
    for (; at > 0; at = (at - 1) >>> 1) {
      const above = heap[(at - 1) >>> 1] as Head;
      if (!this.#isBefore(head, above)) break;
      heap[at] = above;
    }
    heap[at] = head;
  }

  /** Moves every walk on that stands on the key that was shown last. */
  #passShown(): void {
    for (let head = this.#heap[0]; head !== undefined; head = this.#heap[0]) {
      const { bytes, keyAt, keyLen } = head.walk;
      if (compareRanges(bytes, keyAt, keyLen, this.bytes, this.keyAt, this.keyLen) !== 0) return;
      const last = head.walk.step() ? head : this.#heap.pop();
      if (last !== undefined && this.#heap.length > 0) this.#sink(last);
    }
  }

  /** Puts a head in the place of the first one, and down to where it belongs. */
  #sink(head: Head): void {
    const heap = this.#heap;
    let at = 0;
    for (;;) {
      let next = 2 * at + 1;
      const right = heap[next + 1];
      if (right !== undefined && this.#isBefore(right, heap[next] as Head)) next++;
      const below = heap[next];
      if (below === undefined || !this.#isBefore(below, head)) break;
      heap[at] = below;
      at = next;
    }
    heap[at] = head;
  }

  #isBefore(a: Head, b: Head): boolean {
    const x = a.walk;
    const y = b.walk;
    const order = compareRanges(x.bytes, x.keyAt, x.keyLen, y.bytes, y.keyAt, y.keyLen);
    if (order === 0) return a.age > b.age;
    return this.reverse ? order > 0 : order < 0;
  }

  #show(walk: PairCursor): true {
    this.#hasStood = true;
    this.bytes = walk.bytes;
    this.keyAt = walk.keyAt;
    this.keyLen = walk.keyLen;
    this.valueAt = walk.valueAt;
    this.valueLen = walk.valueLen;
    return true;
  }
}
