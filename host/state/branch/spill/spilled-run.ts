/**
 * A run: writes of a branch in ascending order that are in a spill file until the branch is written or dropped. It is
 * cut into blocks; writes that all lie after its last key can be added to it.
 */
import { compareRanges } from "../../../base/text/bytes.js";
import { readU32 } from "../../../base/wire/u32.js";
import type { KeyFilter } from "../kv/key-filter.js";
import { changedOnDisk, type FarTally } from "../kv/value-log.js";
import type { ReadableRun, RunGround } from "./readable-run.js";
import { BLOCK_TAIL_BYTES, RunBlock } from "./run-block.js";
import { RunCursor } from "./run-cursor.js";
import { RunIndex } from "./run-index.js";
import type { SpillFile } from "./spill-files.js";

/** Runs × blocks in one number: 2^23 runs of 2^30 blocks stay at 2^53. */
const BLOCKS_PER_RUN = 2 ** 30;
/** Of the greatest key: enough to see that most later writes lie after it. */
export const LAST_KEY_BYTES_MAX = 64;

/** What was added at one time. */
interface Part {
  readonly firstBlock: number;
  readonly keys: number;
  /** Undefined: no memory was left for one, or nobody has read yet. */
  readonly filter: KeyFilter | undefined;
  /** Nobody has read yet: the filter is made when somebody does. */
  readonly lacksFilter: boolean;
}

export class SpilledRun implements ReadableRun {
  readonly index = new RunIndex();
  /** Bytes of values elsewhere that its records lead to. */
  readonly far: FarTally = new Map();
  /** Number of its records. */
  keys = 0;
  /** Undefined: nothing can be added, since something that was to be added could not be written. */
  lastKey: Uint8Array | undefined = new Uint8Array(0);
  readonly parts: Part[] = [];

  constructor(
    readonly number: number,
    readonly file: SpillFile,
    readonly ground: RunGround,
  ) {}

  get bytes(): number {
    return this.index.end;
  }

  /** Does a key certainly lie after all of this run? */
  endsBefore(bytes: Uint8Array, at: number, len: number): boolean {
    const last = this.lastKey;
    if (!last || compareRanges(bytes, at, len, last, 0, last.length) <= 0) return false;
    // A last key that was cut begins what it was cut from.
    return (
      last.length < LAST_KEY_BYTES_MAX || compareRanges(bytes, at, Math.min(len, last.length), last, 0, last.length) > 0
    );
  }

  /** A block, checked. @throws UpgradeError UPG_STORE_IO when it is not what was written */
  block(number: number): RunBlock {
    const { cache } = this.ground;
    const id = this.number * BLOCKS_PER_RUN + number;
    const known = cache.get(id);
    if (known) return known;
    const block = this.checked(this.file.read(this.index.offset(number), this.index.length(number)));
    cache.set(id, block);
    return block;
  }

  /** A block of bytes that were read. @throws UpgradeError UPG_STORE_IO when they are not what was written */
  checked(bytes: Uint8Array): RunBlock {
    const sumAt = bytes.length - BLOCK_TAIL_BYTES / 2;
    if (readU32(bytes, sumAt) === this.ground.files.checksum(bytes.subarray(0, sumAt))) return new RunBlock(bytes);
    throw changedOnDisk(bytes.length);
  }

  /** The last block that begins at or before a key; the first one when none does. */
  blockFor(bytes: Uint8Array, at: number, len: number): number {
    const found = this.index.locate(bytes, at, len);
    if (found <= 0 || !this.index.isUnsure(found, bytes, at, len)) return Math.max(0, found);
    let low = Math.max(0, this.index.firstLike(found) - 1);
    let high = found;
    while (low < high) {
      const middle = (low + high + 1) >>> 1;
      if (this.block(middle).compare(0, bytes, at, len) < 0) high = middle - 1;
      else low = middle;
    }
    return low;
  }

  /** A cursor that is on the record of a key, deletions included; undefined when there is none. */
  find(bytes: Uint8Array, at: number, len: number): RunCursor | undefined {
    const nearby = this.index.locate(bytes, at, len);
    if (nearby < 0 || !this.#mayHave(nearby, bytes, at, len)) return undefined;
    const block = this.block(this.blockFor(bytes, at, len));
    const index = block.seek(bytes, at, len);
    if (index === block.count || block.compare(index, bytes, at, len) !== 0) return undefined;
    const cursor = new RunCursor(this, undefined, undefined, false);
    cursor.stand(block, index);
    return cursor;
  }

  /** Asks the filter of the part that `block` is in, and where that part just begins that of the part before. */
  #mayHave(block: number, bytes: Uint8Array, at: number, len: number): boolean {
    let part = this.parts.length - 1;
    while (part > 0 && (this.parts[part] as Part).firstBlock > block) part--;
    const unsure = this.index.isUnsure(block, bytes, at, len);
    for (; part >= 0; part--) {
      if (this.parts[part]?.filter?.mayHave(bytes, at, len) ?? true) return true;
      if (!unsure) return false;
    }
    return false;
  }

  /** Nobody reads this run any more. */
  drop(): void {
    this.file.drop();
    this.ground.log.release(this.far);
  }
}
