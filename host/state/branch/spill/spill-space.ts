/**
 * Spills writes of branches when they hold many: as sorted runs in spill files. Nothing of it is needed once the
 * branches are written or dropped, or the process has died. What memory it takes is bounded, whatever is written: a few
 * bytes for each block of a run, a cache of blocks, filters, and the maps of all branches together.
 */

import { asHost } from "../../../base/errors/synchronous.js";
import { KeyFilter } from "../kv/key-filter.js";
import type { SortedCursor } from "../kv/sorted-cursor.js";
import { ValueLog } from "../kv/value-log.js";
import { BlockCache } from "./block-cache.js";
import type { RunGround } from "./readable-run.js";
import { RunCursor } from "./run-cursor.js";
import { RunHeap } from "./run-heap.js";
import { RunWindow } from "./run-window.js";
import { RunWriter } from "./run-writer.js";
import type { SpillFiles } from "./spill-files.js";
import { SpilledRun } from "./spilled-run.js";

/** A block is no smaller, so that a read of one is worth its while. */
const BLOCK_BYTES_MIN = 8_192;
/** Blocks of all runs: the index holds some 45 bytes of each. */
const BLOCKS_MAX = 2 ** 20;
const CACHE_BYTES = 8 * 1_048_576;
const FILTER_BYTES_MAX = 32 * 1_048_576;
/** What the branches of all stores may hold in memory together. */
const BRANCHES_BYTES_MAX = 48 * 1_048_576;
/** Segments of a mebibyte that wait for the next map. */
export const SPARE_SEGMENTS_MAX = 16;
/** A branch is counted among them from here on, and again each time it has grown by as much. */
export const COUNTED_BYTES = 262_144;

/** A branch that the space may ask to spill its writes. */
interface SpillableBranch {
  readonly map: { readonly bytes: number };
  putAside(): void;
}

export class SpillSpace {
  readonly #ground: RunGround;
  readonly #blockBytes: number;
  #nextRun = 1;
  #filterBytes = 0;
  /** Memory of maps that were spilled, for the next ones. */
  readonly spare: Uint8Array[] = [];
  /** Branches that hold much in memory; nothing keeps them alive here. */
  #large: WeakRef<SpillableBranch>[] = [];

  /** `branchBytes`: what a branch of one store may hold in memory. */
  constructor(
    files: SpillFiles,
    readonly branchBytes: number,
  ) {
    this.#ground = { files, cache: new BlockCache(CACHE_BYTES), log: new ValueLog(files) };
    const evenly = Number.isFinite(files.bytesMax) ? Math.ceil(files.bytesMax / BLOCKS_MAX) : 0;
    this.#blockBytes = Math.max(BLOCK_BYTES_MIN, Math.min(evenly, BLOCK_BYTES_MIN * 128));
  }

  /**
   * Spills everything that a cursor still has, at least one pair; `keys`: how many they are. It is added to `last`
   * when it lies after it; the answer is the run that has it. `isRead`: reads will want its filter.
   * @throws UpgradeError UPG_STORE_FULL, UPG_STORE_IO; the writes are then where they were
   */
  write(cursor: SortedCursor, keys: number, last: SpilledRun | undefined, isRead: boolean): SpilledRun {
    cursor.step();
    const isBehind = last?.endsBefore(cursor.bytes, cursor.keyAt, cursor.keyLen) === true;
    const run = last && isBehind ? last : this.#newRun();
    const before = { blocks: run.index.count, end: run.index.end, keys: run.keys };
    try {
      const filter = this.#beginPart(run, keys, isRead);
      const writer = new RunWriter(run, { blockBytes: this.#blockBytes, filter });
      do writer.add(cursor);
      while (cursor.step());
      writer.finish();
    } catch (error) {
      if (run !== last) this.drop(run);
      else this.#takeBack(run, before);
      throw error;
    }
    return run;
  }

  /** One run that has what several had, oldest first, of which none is read afterwards. */
  merge(runs: readonly SpilledRun[], isRead: boolean): SpilledRun {
    const merged = this.#newRun();
    try {
      const keys = runs.reduce((sum, run) => sum + run.keys, 0);
      const { log } = this.#ground;
      const filter = this.#beginPart(merged, keys, isRead);
      const writer = new RunWriter(merged, { blockBytes: this.#blockBytes, filter, sparse: log.sparse() });
      const heap = new RunHeap(false);
      runs.forEach((run, age) => {
        heap.add(new RunCursor(run, undefined, undefined, false, true), age);
      });
      for (let next = heap.first(); next; next = heap.first()) {
        writer.add(next);
        heap.pass();
      }
      writer.finish();
    } catch (error) {
      this.drop(merged);
      throw error;
    }
    for (const run of runs) this.drop(run);
    return merged;
  }

  /** Nobody reads this run any more. */
  drop(run: SpilledRun): void {
    for (const { filter } of run.parts) this.#filterBytes -= filter?.bytes ?? 0;
    run.drop();
  }

  /** Makes the filters that were not made when their keys were written, since nobody read then. */
  completeFilters(run: SpilledRun): void {
    const from = run.parts.findIndex(({ lacksFilter }) => lacksFilter);
    if (from < 0) return;
    const lacking = run.parts.splice(from);
    for (const { filter } of lacking) this.#filterBytes -= filter?.bytes ?? 0;
    const keys = lacking.reduce((sum, part) => sum + part.keys, 0);
    const firstBlock = lacking[0]?.firstBlock ?? 0;
    const filter = this.#filterFor(keys);
    run.parts.push({ firstBlock, keys, filter, lacksFilter: false });
    const window = new RunWindow(run);
    for (let number = firstBlock; filter && number < run.index.count; number++) window.block(number).addKeysTo(filter);
  }

  /** A branch has grown: when all hold too much together, the largest spills its writes. */
  grew(branch: SpillableBranch): void {
    const known = asHost(() => this.#large.map((each) => each.deref()));
    const large = known.filter((each) => each !== undefined && each.map.bytes >= COUNTED_BYTES) as SpillableBranch[];
    if (!large.includes(branch)) large.push(branch);
    this.#large = large.map((each) => new WeakRef(each));
    const bytes = large.reduce((sum, { map }) => sum + map.bytes, 0);
    if (bytes <= BRANCHES_BYTES_MAX) return;
    large.reduce((a, b) => (b.map.bytes > a.map.bytes ? b : a)).putAside();
  }

  /** A block has been written: memory that waits for the next map is given back. */
  rest(): void {
    this.spare.length = 0;
  }

  #newRun(): SpilledRun {
    return new SpilledRun(this.#nextRun++, this.#ground.files.create(), this.#ground);
  }

  #beginPart(run: SpilledRun, keys: number, isRead: boolean): KeyFilter | undefined {
    const filter = isRead ? this.#filterFor(keys) : undefined;
    run.parts.push({ firstBlock: run.index.count, keys, filter, lacksFilter: !isRead });
    return filter;
  }

  #filterFor(keys: number): KeyFilter | undefined {
    const filter = KeyFilter.of(keys, (FILTER_BYTES_MAX - this.#filterBytes) / 2);
    this.#filterBytes += filter?.bytes ?? 0;
    return filter;
  }

  /** Forgets what was added last, which could not be written as a whole; nothing is added any more. */
  #takeBack(run: SpilledRun, before: { readonly blocks: number; readonly end: number; readonly keys: number }): void {
    run.index.cut(before.blocks, before.end);
    run.keys = before.keys;
    run.lastKey = undefined;
    this.#filterBytes -= run.parts.pop()?.filter?.bytes ?? 0;
  }
}
