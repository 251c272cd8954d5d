/**
 * The writes of one branch: a sorted map in memory, and when that has grown large the runs that were spilled before,
 * of which a later one counts more. Runs are merged when somebody reads them, so that a read meets few however much was
 * written; from the first read on they are merged as they come. Writes that nobody reads are merged by the commit alone.
 */
import { lastOf } from "../../../base/text/checked-index.js";
import { FRAME_HEADER_BYTES } from "../../../base/types/limits.js";
import { readU32 } from "../../../base/wire/u32.js";
import type { Tree } from "../../commitment/tree.js";
import { COUNTED_BYTES, SPARE_SEGMENTS_MAX, type SpillSpace } from "../spill/spill-space.js";
import type { SpilledRun } from "../spill/spilled-run.js";
import { Erasure } from "./erasure.js";
import { DELETED } from "./records.js";
import { SortedCursor } from "./sorted-cursor.js";
import { SortedMap } from "./sorted-map.js";

/** Fewer runs than this are not worth a merge. */
const MERGED_RUNS_MIN = 3;
/** More runs than this no read meets, whatever their sizes. */
const RUNS_MAX = 10;
/** So many runs there may be while nobody reads them: each holds a file open. */
const UNREAD_RUNS_MAX = 32;

export interface FoundWrite {
  readonly bytes: Uint8Array;
  readonly valueAt: number;
  /** DELETED for a deletion. */
  readonly valueLen: number;
  /** Before this is called, `bytes` may lack the value. */
  loadValue?(): void;
}

export class BranchWrites {
  map = new SortedMap();
  /** Oldest first. */
  runs: readonly SpilledRun[] = [];
  /** Counts changes of the runs: a walk that sees another number begins again after its last pair. */
  moves = 0;
  /** Bytes of the map from which on something may have to be spilled. */
  #lookAt: number;
  /** Walks may be on a pair of the map, and go on after it once it is spilled. */
  isWalked = false;
  /** Has somebody read runs? */
  #isRead = false;
  /** Runs were added since they were made ready for reads. */
  #isUntidy = false;
  /** Undefined once something was set, or deleted out of turn. */
  #erasure: Erasure | undefined;
  /** Was anything written? */
  hasBegun = false;

  /** `spill`: where writes can be spilled; without it all stay in memory. */
  constructor(readonly spill: SpillSpace | undefined) {
    this.#lookAt = spill ? Math.min(spill.branchBytes, COUNTED_BYTES) : Number.POSITIVE_INFINITY;
  }

  get isEmpty(): boolean {
    return this.map.size === 0 && this.runs.length === 0;
  }

  /** Keys written, at least; those that were written again after they were spilled count more than once. */
  get count(): number {
    return this.runs.reduce((sum, { keys }) => sum + keys, this.map.size);
  }

  /** Sets a key; `valueLen` may be DELETED. @throws UpgradeError UPG_STORE_FULL, UPG_STORE_IO */
  put(bytes: Uint8Array, keyAt: number, keyLen: number, value: Uint8Array, valueAt: number, valueLen: number): void {
    this.hasBegun = true;
    const goesOn = valueLen === DELETED && this.#erasure?.follows(bytes, keyAt, keyLen);
    if (!goesOn) this.#erasure = undefined;
    this.map.put(bytes, keyAt, keyLen, value, valueAt, valueLen);
    if (this.map.bytes > this.#lookAt && this.spill) this.#look(this.spill);
  }

  /** Before the first write of all, a deletion: what is deleted of this tree is watched from now on. */
  watch(tree: Tree): void {
    if (tree.root.size > 0) this.#erasure = new Erasure(tree);
  }

  /** Is it known that every pair of this tree is deleted, and that none was set again? */
  erases(tree: Tree): boolean {
    return this.#erasure?.isOf(tree) === true;
  }

  #look(spill: SpillSpace): void {
    if (this.map.bytes <= spill.branchBytes) {
      this.#lookAt = Math.min(spill.branchBytes, this.map.bytes + COUNTED_BYTES);
      spill.grew(this);
    } else this.putAside();
    if (!this.#isUntidy) return;
    if (this.#isRead) this.#tidy(spill, RUNS_MAX);
    else if (this.runs.length > UNREAD_RUNS_MAX) this.#mergeSome(spill, UNREAD_RUNS_MAX);
  }

  /** Puts what is in memory into the latest run, when it lies after it, or into one of its own. */
  putAside(): void {
    const { spill, map } = this;
    if (!spill || map.size === 0) return;
    const last = lastOf(this.runs);
    const run = spill.write(new SortedCursor(map, undefined, undefined, false), map.size, last, this.#isRead);
    if (run !== last) this.runs = [...this.runs, run];
    if (!this.isWalked) map.giveUp(spill.spare, SPARE_SEGMENTS_MAX);
    this.map = new SortedMap(spill.spare);
    this.#lookAt = Math.min(spill.branchBytes, COUNTED_BYTES);
    this.moves++;
    this.#isUntidy = true;
  }

  /** Somebody is going to read the runs here and there: makes them few, once for all that was added. */
  prepareReads(): void {
    if (!this.#isUntidy || !this.spill) return;
    this.#isRead = true;
    this.#tidy(this.spill, RUNS_MAX);
  }

  #tidy(spill: SpillSpace, runsMax: number): void {
    this.#mergeSome(spill, runsMax);
    for (const run of this.runs) spill.completeFilters(run);
    this.#isUntidy = false;
  }

  /**
   * Makes one of the latest runs, as many as make up at least half of it: a byte is moved once each time the runs
   * after it have become as many bytes as its own.
   */
  #mergeSome(spill: SpillSpace, runsMax: number): void {
    for (;;) {
      const { runs } = this;
      let from = runs.length - 1;
      for (let bytes = 0; from >= 0; from--) {
        const own = (runs[from] as SpilledRun).bytes;
        if (bytes > 0 && own > bytes) break;
        bytes += own;
      }
      from++;
      if (runs.length > runsMax) from = Math.min(from, runs.length - MERGED_RUNS_MIN);
      if (runs.length - from < MERGED_RUNS_MIN) return;
      this.runs = [...runs.slice(0, from), spill.merge(runs.slice(from), this.#isRead)];
      this.moves++;
    }
  }

  /** Where a key's last write is, its value's length DELETED for a deletion; undefined when there is none. `isOneOfFew`: runs stay as they are. */
  find(key: Uint8Array, isOneOfFew = false): FoundWrite | undefined {
    const address = this.map.find(key, 0, key.length);
    if (address !== undefined) {
      const bytes = this.map.segmentOf(address);
      const at = this.map.offsetOf(address);
      return { bytes, valueAt: at + FRAME_HEADER_BYTES + key.length, valueLen: readU32(bytes, at + 4) };
    }
    if (!isOneOfFew) this.prepareReads();
    for (let i = this.runs.length - 1; i >= 0; i--) {
      const found = this.runs[i]?.find(key, 0, key.length);
      if (found) return found;
    }
    return undefined;
  }

  /** Becomes what other writes are, which are empty afterwards; what was here is dropped. Walks go on over the new. */
  takeOver(other: BranchWrites): void {
    this.drop();
    this.map.takeOver(other.map);
    this.runs = other.runs;
    this.isWalked ||= other.isWalked;
    this.#isRead = other.#isRead;
    this.#isUntidy = other.#isUntidy;
    this.#erasure = other.#erasure;
    this.hasBegun = other.hasBegun;
    this.moves++;
    other.runs = [];
    other.moves++;
  }

  /** Gives everything up. */
  drop(): void {
    for (const run of this.runs) this.spill?.drop(run);
    this.runs = [];
  }
}
