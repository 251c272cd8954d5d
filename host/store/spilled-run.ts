/**
 * A run: writes of a branch in ascending order that stand in the database until the branch is written or dropped. It is
 * cut into parts, and no record of one is changed.
 *
 *   part  records, u32 offset of each record, u32 count
 *   record  u32 klen, u32 vlen (DELETED: a deletion), key, value
 */
import { compareRanges, copyInto } from "../bytes.js";
import { readU32, writeU32 } from "../frames.js";
import { FRAME_HEADER_BYTES } from "../limits.js";
import type { KeyFilter } from "./key-filter.js";
import type { PairCursor } from "./pair-cursor.js";
import { DELETED } from "./records.js";

/** Eight database pages of 4,096 bytes less the header of an overflow page. */
const PART_BYTES_TARGET = 8 * 4_096 - 24;
const WORD_BYTES = 4;

export class RunPart {
  readonly count: number;
  readonly #offsetsAt: number;

  constructor(readonly bytes: Uint8Array) {
    this.count = readU32(bytes, bytes.length - WORD_BYTES);
    this.#offsetsAt = bytes.length - WORD_BYTES * (this.count + 1);
  }

  /** Where a record begins. */
  at(index: number): number {
    return readU32(this.bytes, this.#offsetsAt + WORD_BYTES * index);
  }

  /** Index of the first record whose key is not before the given one. */
  seek(bytes: Uint8Array, at: number, len: number): number {
    let low = 0;
    let high = this.count;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.compare(middle, bytes, at, len) > 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** Order of a key relative to a record's key. */
  compare(index: number, bytes: Uint8Array, at: number, len: number): number {
    const record = this.at(index);
    return compareRanges(bytes, at, len, this.bytes, record + FRAME_HEADER_BYTES, readU32(this.bytes, record));
  }
}

/** Packs records into one part after the other, in one buffer. */
export class PartWriter {
  #bytes = new Uint8Array(PART_BYTES_TARGET);
  #length = 0;
  readonly #offsets: number[] = [];

  get count(): number {
    return this.#offsets.length;
  }

  /** Adds the pair that a cursor stands on; false when it belongs into the next part. An empty part takes any. */
  add({ bytes, keyAt, keyLen, valueAt, valueLen }: PairCursor): boolean {
    const stored = valueLen === DELETED ? 0 : valueLen;
    const at = this.#length;
    const end = at + FRAME_HEADER_BYTES + keyLen + stored;
    const needed = end + WORD_BYTES * (this.count + 2);
    if (needed > PART_BYTES_TARGET && this.count > 0) return false;
    if (needed > this.#bytes.length) this.#bytes = new Uint8Array(needed);
    writeU32(this.#bytes, at, keyLen);
    writeU32(this.#bytes, at + WORD_BYTES, valueLen);
    const key = at + FRAME_HEADER_BYTES;
    if (valueAt === keyAt + keyLen) copyInto(this.#bytes, key, bytes, keyAt, keyLen + stored);
    else copyInto(this.#bytes, copyInto(this.#bytes, key, bytes, keyAt, keyLen), bytes, valueAt, stored);
    this.#offsets.push(at);
    this.#length = end;
    return true;
  }

  /** The finished part, valid until the writer is used again; the writer is empty afterwards. */
  finish(): Uint8Array {
    let at = this.#length;
    for (const offset of this.#offsets) {
      writeU32(this.#bytes, at, offset);
      at += WORD_BYTES;
    }
    writeU32(this.#bytes, at, this.count);
    this.#offsets.length = 0;
    this.#length = 0;
    return this.#bytes.subarray(0, at + WORD_BYTES);
  }
}

/** Where the parts of runs are read: bytes that nobody changes afterwards. */
export interface PartSource {
  read(run: number, part: number): Uint8Array;
}

export class SpilledRun {
  #known: RunPart | undefined;
  #knownNumber = -1;

  /** `firstKeys`: of each part. */
  constructor(
    private readonly source: PartSource,
    readonly number: number,
    private readonly firstKeys: readonly Uint8Array[],
    private readonly filter: KeyFilter,
  ) {}

  get parts(): number {
    return this.firstKeys.length;
  }

  part(number: number): RunPart {
    if (!this.#known || this.#knownNumber !== number) {
      this.#known = new RunPart(this.source.read(this.number, number));
      this.#knownNumber = number;
    }
    return this.#known;
  }

  /** The last part that begins at or before a key; the first one when none does. */
  partFor(bytes: Uint8Array, at: number, len: number): number {
    let low = 0;
    let high = this.firstKeys.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >>> 1;
      const first = this.firstKeys[middle] as Uint8Array;
      if (compareRanges(bytes, at, len, first, 0, first.length) < 0) high = middle - 1;
      else low = middle;
    }
    return low;
  }

  /** A cursor that stands on the record of a key, deletions included; undefined when there is none. */
  find(bytes: Uint8Array, at: number, len: number): RunCursor | undefined {
    if (!this.filter.mayHave(bytes, at, len)) return undefined;
    const number = this.partFor(bytes, at, len);
    const part = this.part(number);
    const index = part.seek(bytes, at, len);
    if (index === part.count || part.compare(index, bytes, at, len) !== 0) return undefined;
    const cursor = new RunCursor(this, undefined, undefined, false);
    cursor.stand(part, index);
    return cursor;
  }
}

/** Walks a run in either direction, deletions included. */
export class RunCursor implements PairCursor {
  bytes: Uint8Array = new Uint8Array(0);
  keyAt = 0;
  keyLen = 0;
  valueAt = 0;
  /** DELETED for a deletion. */
  valueLen = 0;

  // What the next step stands on. An index may lie one beyond its part, on either side.
  #number = -1;
  #index = 0;
  #part: RunPart | undefined;

  constructor(
    private readonly run: SpilledRun,
    private readonly start: Uint8Array | undefined,
    private readonly end: Uint8Array | undefined,
    private readonly reverse: boolean,
  ) {
    const from = reverse ? end : start;
    if (from) this.#goTo(from, 0, from.length);
    else if (reverse) this.#enter(run.parts - 1, Number.MAX_SAFE_INTEGER);
    else this.#enter(0, 0);
  }

  /** The next step stands on the pair that comes after this key in the direction of the walk. */
  goBehind(bytes: Uint8Array, at: number, len: number): void {
    this.#goTo(bytes, at, len);
    const part = this.#part;
    if (this.reverse || !part || this.#index === part.count) return;
    if (part.compare(this.#index, bytes, at, len) === 0) this.#index++;
  }

  /** The next step stands on the first pair from a key on; in reverse on the last one before it. */
  #goTo(bytes: Uint8Array, at: number, len: number): void {
    const number = this.run.partFor(bytes, at, len);
    const index = this.run.part(number).seek(bytes, at, len);
    this.#enter(number, this.reverse ? index - 1 : index);
  }

  step(): boolean {
    let part = this.#part;
    if (!part) return false;
    if (this.#index < 0 || this.#index >= part.count) {
      if (this.reverse) this.#enter(this.#number - 1, Number.MAX_SAFE_INTEGER);
      else this.#enter(this.#number + 1, 0);
      part = this.#part;
      if (!part) return false;
    }
    this.stand(part, this.#index);
    this.#index += this.reverse ? -1 : 1;
    return this.#inRange();
  }

  stand(part: RunPart, index: number): void {
    const record = part.at(index);
    this.bytes = part.bytes;
    this.keyLen = readU32(part.bytes, record);
    this.keyAt = record + FRAME_HEADER_BYTES;
    this.valueLen = readU32(part.bytes, record + WORD_BYTES);
    this.valueAt = this.keyAt + this.keyLen;
  }

  #enter(number: number, index: number): void {
    this.#number = number;
    this.#part = number >= 0 && number < this.run.parts ? this.run.part(number) : undefined;
    this.#index = index === Number.MAX_SAFE_INTEGER ? (this.#part?.count ?? 0) - 1 : index;
  }

  #inRange(): boolean {
    const edge = this.reverse ? this.start : this.end;
    if (!edge) return true;
    const order = compareRanges(this.bytes, this.keyAt, this.keyLen, edge, 0, edge.length);
    return this.reverse ? order >= 0 : order < 0;
  }
}
