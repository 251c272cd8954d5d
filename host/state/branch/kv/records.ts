/**
 * Records in byte segments, found by address: no object per pair. A record is a frame (`u32 klen, u32 vlen, key,
 * value`), so a scan copies it whole. A value length of 2^32 - 1 marks a deletion that a branch will hand to its parent.
 *
 * Addresses count units of 8 bytes; a segment covers 2^17 of them, which is 1 MiB. A longer record has one of its own.
 */
import { compareRanges, copyInto } from "../../../base/text/bytes.js";
import { FRAME_HEADER_BYTES } from "../../../base/types/limits.js";
import { readU32, writeU32 } from "../../../base/wire/u32.js";

export const DELETED = 0xffff_ffff;

const UNIT_BITS = 3;
const SEGMENT_BITS = 17;
const SEGMENT_BYTES = 1 << (UNIT_BITS + SEGMENT_BITS);
const SEGMENT_MASK = (1 << SEGMENT_BITS) - 1;
const FIRST_SEGMENT_BYTES = 512;

export class Records {
  readonly #segments: Uint8Array[] = [];
  readonly #spare: Uint8Array[] | undefined;
  /** First free byte of the address space. */
  #tail = 0;
  /** Bytes before it that dropped records take; an estimate. */
  #wasted = 0;

  /** `spare`: segments that nobody uses any more (`giveUp`), to be used again. */
  constructor(spare?: Uint8Array[]) {
    this.#spare = spare;
  }

  /** Hands segments on to others, at most so many that `spare` has `spareMax`. Nothing is read here afterwards. */
  giveUp(spare: Uint8Array[], spareMax: number): void {
    for (const segment of this.#segments) {
      if (spare.length >= spareMax) return;
      if (segment?.length === SEGMENT_BYTES) spare.push(segment);
    }
  }

  /** Bytes that records take, dropped ones included. */
  get bytes(): number {
    return this.#tail;
  }

  /** Is it time to copy what still counts elsewhere? */
  get isMostlyWaste(): boolean {
    return this.#wasted >= SEGMENT_BYTES && 2 * this.#wasted >= this.#tail;
  }

  segmentOf(address: number): Uint8Array {
    return this.#segments[address >>> SEGMENT_BITS] as Uint8Array;
  }

  /** Byte of its segment at which a record begins. */
  offsetOf(address: number): number {
    return (address & SEGMENT_MASK) << UNIT_BITS;
  }

  /** Order of a key that is in `bytes` relative to a record's key. */
  compare(address: number, bytes: Uint8Array, at: number, len: number): number {
    const segment = this.segmentOf(address);
    const offset = this.offsetOf(address);
    return compareRanges(bytes, at, len, segment, offset + FRAME_HEADER_BYTES, readU32(segment, offset));
  }

  /** Adds a record and returns its address. */
  add(bytes: Uint8Array, keyAt: number, keyLen: number, value: Uint8Array, valueAt: number, valueLen: number): number {
    const stored = valueLen === DELETED ? 0 : valueLen;
    const address = this.#allocate(FRAME_HEADER_BYTES + keyLen + stored);
    const segment = this.segmentOf(address);
    const offset = this.offsetOf(address);
    writeU32(segment, offset, keyLen);
    writeU32(segment, offset + 4, valueLen);
    const to = offset + FRAME_HEADER_BYTES;
    if (value === bytes && valueAt === keyAt + keyLen) copyInto(segment, to, bytes, keyAt, keyLen + stored);
    else copyInto(segment, copyInto(segment, to, bytes, keyAt, keyLen), value, valueAt, stored);
    return address;
  }

  /** Adds a record that is in another place like this. */
  addFrom(other: Records, address: number): number {
    const segment = other.segmentOf(address);
    const offset = other.offsetOf(address);
    const keyLen = readU32(segment, offset);
    const keyAt = offset + FRAME_HEADER_BYTES;
    return this.add(segment, keyAt, keyLen, segment, keyAt + keyLen, readU32(segment, offset + 4));
  }

  /** Writes a value over a record's old one when it is not longer; false when it is. */
  overwrite(address: number, value: Uint8Array, valueAt: number, valueLen: number): boolean {
    const segment = this.segmentOf(address);
    const offset = this.offsetOf(address);
    const room = readU32(segment, offset + 4);
    if (valueLen !== DELETED && (room === DELETED || valueLen > room)) return false;
    writeU32(segment, offset + 4, valueLen);
    const at = offset + FRAME_HEADER_BYTES + readU32(segment, offset);
    if (valueLen !== DELETED) copyInto(segment, at, value, valueAt, valueLen);
    else if (room !== DELETED) this.#wasted += room;
    return true;
  }

  /** Counts a record that nothing points to any more. Its bytes stay readable. */
  drop(address: number): void {
    const segment = this.segmentOf(address);
    const offset = this.offsetOf(address);
    const valueLen = readU32(segment, offset + 4);
    this.#wasted += FRAME_HEADER_BYTES + readU32(segment, offset) + (valueLen === DELETED ? 0 : valueLen);
  }

  #allocate(bytes: number): number {
    const left = SEGMENT_BYTES - (this.#tail % SEGMENT_BYTES);
    if (bytes > left) this.#tail += left % SEGMENT_BYTES;
    const number = Math.floor(this.#tail / SEGMENT_BYTES);
    const begun = this.#tail % SEGMENT_BYTES;
    const segment = this.#segments[number];
    if (!segment || segment.length < begun + bytes) this.#segments[number] = this.#segmentFor(number, begun + bytes);
    const address = this.#tail / 8;
    this.#tail += (bytes + 7) & ~7;
    // A record longer than a segment takes the address space of several.
    if (bytes > SEGMENT_BYTES) this.#tail = Math.ceil(this.#tail / SEGMENT_BYTES) * SEGMENT_BYTES;
    return address;
  }

  /** The first segment begins small and grows, since most branches hold a handful of records. */
  #segmentFor(number: number, bytes: number): Uint8Array {
    const old = this.#segments[number];
    if (number > 0 && bytes <= SEGMENT_BYTES) return this.#spare?.pop() ?? new Uint8Array(SEGMENT_BYTES);
    const small = Math.max(FIRST_SEGMENT_BYTES, (old?.length ?? 0) * 2);
    const fresh = new Uint8Array(Math.max(bytes, Math.min(small, SEGMENT_BYTES)));
    if (old) fresh.set(old);
    return fresh;
  }
}
