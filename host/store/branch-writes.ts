/**
 * The writes of one branch: a sorted map in memory, and when that has grown large the runs that were put aside before,
 * of which a later one counts more. Runs are merged as they come, so that there are few however much is written.
 */
import { readU32 } from "../frames.js";
import { FRAME_HEADER_BYTES } from "../limits.js";
import { SortedCursor } from "./sorted-cursor.js";
import { SortedMap } from "./sorted-map.js";
import { COUNTED_BYTES, type SpillSpace } from "./spill-space.js";
import type { SpilledRun } from "./spilled-run.js";

/** So many runs of about one size, the latest ones, become one: a byte is moved once each time runs grow fourfold. */
const MERGED_RUNS = 4;
/** More runs than this there never are for long, whatever their sizes. */
const RUNS_MAX = 10;
/** Runs below this are of one size; above, each size has four times that of the one before. */
const LEVEL_BYTES = 131_072;

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
  /** Counts changes of the runs: a walk that sees another number begins anew behind its last pair. */
  moves = 0;
  /** Bytes of the map from which on something may have to be put aside. */
  #lookAt: number;

  /** `spill`: where writes can be put aside; without it all stay in memory. */
  constructor(readonly spill: SpillSpace | undefined) {
    this.#lookAt = spill ? Math.min(spill.branchBytes, COUNTED_BYTES) : Number.POSITIVE_INFINITY;
  }

  get isEmpty(): boolean {
    return this.map.size === 0 && this.runs.length === 0;
  }

  /** Keys written, at least; those that were written again after they were put aside count more than once. */
  get count(): number {
    return this.runs.reduce((sum, { keys }) => sum + keys, this.map.size);
  }

  /** Sets a key; `valueLen` may be DELETED. @throws UpgradeError UPG_STORE_FULL, UPG_STORE_IO */
  put(bytes: Uint8Array, keyAt: number, keyLen: number, value: Uint8Array, valueAt: number, valueLen: number): void {
    this.map.put(bytes, keyAt, keyLen, value, valueAt, valueLen);
    if (this.map.bytes > this.#lookAt && this.spill) this.#look(this.spill);
  }

  #look(spill: SpillSpace): void {
    if (this.map.bytes <= spill.branchBytes) {
      this.#lookAt = Math.min(spill.branchBytes, this.map.bytes + COUNTED_BYTES);
      spill.grew(this);
      this.#mergeSome(spill);
      return;
    }
    this.putAside();
    this.#mergeSome(spill);
  }

  /** Puts what is in memory into the latest run, when it lies behind it, or into one of its own. */
  putAside(): void {
    const { spill, map } = this;
    if (!spill || map.size === 0) return;
    const last = this.runs.at(-1);
    const run = spill.write(new SortedCursor(map, undefined, undefined, false), map.size, last);
    if (run !== last) this.runs = [...this.runs, run];
    this.map = new SortedMap();
    this.#lookAt = Math.min(spill.branchBytes, COUNTED_BYTES);
    this.moves++;
  }

  #mergeSome(spill: SpillSpace): void {
    for (;;) {
      const from = this.#firstToMerge();
      if (from === undefined) return;
      const [before, merged] = [this.runs.slice(0, from), this.runs.slice(from, from + MERGED_RUNS)];
      this.runs = [...before, spill.merge(merged), ...this.runs.slice(from + MERGED_RUNS)];
      this.moves++;
    }
  }

  /** Where those runs begin that are to become one: the latest, when they are of one size, or the smallest of too many. */
  #firstToMerge(): number | undefined {
    const { runs } = this;
    const from = runs.length - MERGED_RUNS;
    if (from < 0) return undefined;
    const level = levelOf(runs[runs.length - 1] as SpilledRun);
    if (runs.slice(from).every((run) => levelOf(run) <= level)) return from;
    if (runs.length <= RUNS_MAX) return undefined;
    const bytesFrom = (at: number) => runs.slice(at, at + MERGED_RUNS).reduce((sum, run) => sum + run.bytes, 0);
    let best = from;
    for (let at = from - 1; at >= 0; at--) if (bytesFrom(at) < bytesFrom(best)) best = at;
    return best;
  }

  /** Where a key's last write stands, its value's length DELETED for a deletion; undefined when there is none. */
  find(key: Uint8Array): FoundWrite | undefined {
    const address = this.map.find(key, 0, key.length);
    if (address !== undefined) {
      const bytes = this.map.segmentOf(address);
      const at = this.map.offsetOf(address);
      return { bytes, valueAt: at + FRAME_HEADER_BYTES + key.length, valueLen: readU32(bytes, at + 4) };
    }
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

function levelOf({ bytes }: SpilledRun): number {
  let level = 0;
  for (let size = LEVEL_BYTES; size <= bytes; size *= 4) level++;
  return level;
}
