/** Tells for most keys that they are not in a set, without a look at the set (a Bloom filter). */

const BITS_PER_KEY_MIN = 8;
const PROBES = 5;
const WORD_BITS = 32;

export class KeyFilter {
  readonly #bits: Uint32Array;
  /** The number of bits is a power of two: a hash is cut, not divided. */
  readonly #mask: number;

  constructor(keys: number) {
    let words = 1;
    while (words * WORD_BITS < keys * BITS_PER_KEY_MIN) words *= 2;
    this.#bits = new Uint32Array(words);
    this.#mask = words * WORD_BITS - 1;
  }

  add(bytes: Uint8Array, at: number, len: number): void {
    const step = this.#begin(bytes, at, len);
    for (let i = 0; i < PROBES; i++) {
      const bit = this.#next(step);
      this.#bits[bit >>> 5] = (this.#bits[bit >>> 5] as number) | (1 << (bit & 31));
    }
  }

  /** False: the key was never added. */
  mayHave(bytes: Uint8Array, at: number, len: number): boolean {
    const step = this.#begin(bytes, at, len);
    for (let i = 0; i < PROBES; i++) {
      const bit = this.#next(step);
      if (((this.#bits[bit >>> 5] as number) & (1 << (bit & 31))) === 0) return false;
    }
    return true;
  }

  // Two hashes make all probes: where they begin, and how far they go each time.
  #at = 0;

  #begin(bytes: Uint8Array, at: number, len: number): number {
    this.#at = hashOf(bytes, at, len);
    return Math.imul(this.#at ^ (this.#at >>> 15), 0x85eb_ca6b) | 1;
  }

  #next(step: number): number {
    this.#at = (this.#at + step) | 0;
    return this.#at & this.#mask;
  }
}

/** FNV-1a, and a last mix, since it leaves the upper bits of short keys alike. */
function hashOf(bytes: Uint8Array, at: number, len: number): number {
  let hash = 0x811c_9dc5;
  for (let i = at; i < at + len; i++) hash = Math.imul(hash ^ (bytes[i] as number), 0x0100_0193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x7feb_352d);
  return (hash ^ (hash >>> 15)) >>> 0;
}
