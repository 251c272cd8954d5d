/**
 * The writes of one branch: a sorted map in memory, and when that has grown large the runs that were put aside before,
 * of which a later one counts more.
 */
import { readU32 } from "../frames.js";
import { FRAME_HEADER_BYTES } from "../limits.js";
import { SortedCursor } from "./sorted-cursor.js";
import { SortedMap } from "./sorted-map.js";
import type { SpillSpace } from "./spill-space.js";
import type { SpilledRun } from "./spilled-run.js";

interface ValuePlace {
  readonly bytes: Uint8Array;
  readonly valueAt: number;
  readonly valueLen: number;
}

export class BranchWrites {
  map = new SortedMap();
  /** Oldest first. */
  runs: readonly SpilledRun[] = [];
  /** Counts changes of the runs: a walk that sees another number begins anew behind its last pair. */
  moves = 0;
  /** Writes in runs: one that was written again since counts twice. */
  #aside = 0;

  /** `spill`: where writes can be put aside; without it all stay in memory. */
  constructor(readonly spill: SpillSpace | undefined) {}

  get isEmpty(): boolean {
    return this.map.size === 0 && this.runs.length === 0;
  }

  /** Keys written, at least; those that were written again after they were put aside count more than once. */
  get count(): number {
    return this.map.size + this.#aside;
  }

  /** Sets a key; `valueLen` may be DELETED. @throws UpgradeError UPG_STORE_FULL, UPG_STORE_IO */
  put(bytes: Uint8Array, keyAt: number, keyLen: number, value: Uint8Array, valueAt: number, valueLen: number): void {
    this.map.put(bytes, keyAt, keyLen, value, valueAt, valueLen);
    if (this.spill && this.map.bytes > this.spill.branchBytes) this.#putAside(this.spill);
  }

  #putAside(spill: SpillSpace): void {
    const run = spill.write(new SortedCursor(this.map, undefined, undefined, false), this.map.size);
    this.runs = [...this.runs, run];
    this.#aside += this.map.size;
    this.map = new SortedMap();
    this.moves++;
  }

  /** Where a key's last write stands, its value's length DELETED for a deletion; undefined when there is none. */
  find(key: Uint8Array): ValuePlace | undefined {
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
    this.#aside = other.#aside;
    this.moves++;
    other.runs = [];
    other.#aside = 0;
    other.moves++;
  }

  /** Gives everything up. */
  drop(): void {
    for (const run of this.runs) this.spill?.drop(run);
    this.runs = [];
    this.#aside = 0;
  }
}
