/**
 * A set of byte strings that holds millions: one arena and two tables of numbers, no object per key. It remembers the
 * order in which keys came, so that a second one can name the first.
 */
import { compareRanges } from "../../base/text/bytes.js";

const KEY_BYTES_MAX = 65_535;
const LENGTH_BYTES = 2;
const SEGMENT_BITS = 20;
const SEGMENT_BYTES = 1 << SEGMENT_BITS;
/** As many as a place of 32 bits can name. */
const SEGMENTS_MAX = 4_096;
const SLOTS_FIRST = 1_024;

export class KeySet {
  /** Records of length (little-endian) and key; none crosses a segment. */
  readonly #segments: Uint8Array[] = [];
  #room = 0;
  /** Of each key, by its number: segment and offset in one number. */
  #places = new Uint32Array(SLOTS_FIRST);
  /** Open addressing: numbers of keys plus one; 0: free. */
  #slots = new Uint32Array(2 * SLOTS_FIRST);
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** Adds a key. Returns the number of an equal one that came before (0: the first of all), undefined when it is new. */
  add(key: Uint8Array): number | undefined {
    if (key.length > KEY_BYTES_MAX) throw new RangeError(`a key has at most ${KEY_BYTES_MAX} bytes`);
    const hash = hashOf(key);
    const mask = this.#slots.length - 1;
    let slot = hash & mask;
    for (let number = this.#slots[slot] as number; number !== 0; number = this.#slots[slot] as number) {
      if (this.#isKey(number - 1, key)) return number - 1;
      slot = (slot + 1) & mask;
    }
    this.#keep(key);
    this.#slots[slot] = this.#size;
    if (3 * this.#size > 2 * this.#slots.length) this.#grow();
    return undefined;
  }

  #isKey(number: number, key: Uint8Array): boolean {
    const other = this.#keyOf(number);
    return other.length === key.length && compareRanges(other, 0, other.length, key, 0, key.length) === 0;
  }

  #keyOf(number: number): Uint8Array {
    const place = this.#places[number] as number;
    const segment = this.#segments[place >>> SEGMENT_BITS] as Uint8Array;
    const at = place & (SEGMENT_BYTES - 1);
    const length = (segment[at] as number) | ((segment[at + 1] as number) << 8);
    return segment.subarray(at + LENGTH_BYTES, at + LENGTH_BYTES + length);
  }

  #keep(key: Uint8Array): void {
    const needed = LENGTH_BYTES + key.length;
    if (needed > this.#room) {
      if (this.#segments.length === SEGMENTS_MAX) throw new RangeError("a set of keys holds at most 4 GiB");
      this.#segments.push(new Uint8Array(SEGMENT_BYTES));
      this.#room = SEGMENT_BYTES;
    }
    const segment = this.#segments[this.#segments.length - 1] as Uint8Array;
    const at = SEGMENT_BYTES - this.#room;
    segment[at] = key.length & 0xff;
    segment[at + 1] = key.length >>> 8;
    segment.set(key, at + LENGTH_BYTES);
    this.#room -= needed;
    if (this.#size === this.#places.length) this.#makeRoom();
    this.#places[this.#size] = (this.#segments.length - 1) * SEGMENT_BYTES + at;
    this.#size++;
  }

  #makeRoom(): void {
    const places = new Uint32Array(2 * this.#places.length);
    places.set(this.#places);
    this.#places = places;
  }

  #grow(): void {
    const slots = new Uint32Array(2 * this.#slots.length);
    const mask = slots.length - 1;
    for (let number = 0; number < this.#size; number++) {
      let slot = hashOf(this.#keyOf(number)) & mask;
      while (slots[slot] !== 0) slot = (slot + 1) & mask;
      slots[slot] = number + 1;
    }
    this.#slots = slots;
  }
}

/** FNV-1a of 32 bits, its bits mixed once more. It only spreads keys; equality is decided on their bytes. */
function hashOf(key: Uint8Array): number {
  let hash = 0x811c9dc5;
  for (const byte of key) hash = Math.imul(hash ^ byte, 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  return (hash ^ (hash >>> 13)) >>> 0;
}
