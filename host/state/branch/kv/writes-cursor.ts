/** Walks all writes of a branch, in memory and spilled, in either direction; of several to one key the last counts. */

import { RunCursor } from "../spill/run-cursor.js";
import { RunHeap } from "../spill/run-heap.js";
import type { BranchWrites } from "./branch-writes.js";
import type { PairCursor } from "./pair-cursor.js";
import { DELETED } from "./records.js";
import { SortedCursor } from "./sorted-cursor.js";

export class WritesCursor implements PairCursor {
  bytes: Uint8Array = new Uint8Array(0);
  keyAt = 0;
  keyLen = 0;
  valueAt = 0;
  /** DELETED for a deletion. */
  valueLen = 0;

  #top: SortedCursor;
  /** Walks over all layers; undefined until the first step, and where there is only the map. */
  #heap: RunHeap | undefined;
  #moves: number;
  /** The heap's first pair was not shown yet. */
  #isAhead = false;
  #hasStood = false;

  /** `readsAll`: everything is walked once and then given up, so runs are not made ready for other reads. */
  constructor(
    private readonly writes: BranchWrites,
    private readonly start: Uint8Array | undefined,
    private readonly end: Uint8Array | undefined,
    private readonly reverse: boolean,
    private readonly readsAll = false,
  ) {
    writes.isWalked ||= !readsAll;
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
    if (!this.#heap) this.#fill();
    else if (!this.#isAhead) this.#heap.pass();
    this.#isAhead = false;
    const next = this.#heap?.first();
    if (next === this.#top) this.#top.lookAgain(); // its value may be another since the walk came there
    return next !== undefined && this.#show(next);
  }

  /** Reads the value of the pair it is on again: a write to a key that is present makes no cursor stale. */
  lookAgain(): void {
    const shown = this.#heap ? this.#heap.first() : this.#top;
    if (shown !== this.#top) return;
    this.#top.lookAgain();
    this.#show(this.#top);
  }

  loadValue(): void {
    const shown = this.#heap?.first();
    if (!(shown instanceof RunCursor) || shown.bytes !== this.bytes) return;
    shown.loadValue();
    this.#show(shown);
  }

  /** The next step is on the pair that comes after this key in the direction of the walk. */
  goBehind(bytes: Uint8Array, at: number, len: number): void {
    if (this.#moves !== this.writes.moves) this.#begin();
    this.#top.goBehind(bytes, at, len);
    this.#heap = undefined;
    if (this.writes.runs.length > 0) this.#fill({ bytes, at, len });
  }

  #begin(): void {
    this.#top = new SortedCursor(this.writes.map, this.start, this.end, this.reverse);
    this.#moves = this.writes.moves;
    this.#heap = undefined;
  }

  /** Begins a walk over each layer, after a key when one is given (the walk over the map exists already). */
  #fill(behind?: { readonly bytes: Uint8Array; readonly at: number; readonly len: number }): void {
    if (!this.readsAll) this.writes.prepareReads();
    this.#moves = this.writes.moves; // the walk over the map is right still
    const { runs } = this.writes;
    const heap = new RunHeap(this.reverse);
    runs.forEach((run, age) => {
      const walk = new RunCursor(run, this.start, this.end, this.reverse, this.readsAll);
      if (behind) walk.goBehind(behind.bytes, behind.at, behind.len);
      heap.add(walk, age);
    });
    heap.add(this.#top, runs.length);
    this.#heap = heap;
    this.#isAhead = true;
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
