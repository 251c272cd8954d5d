/** Says for most keys that they are not in a set, without a look at the set (a Bloom filter). */

/** A filter gets 8 to 16 bits a key, since their number is a power of two. */
const BITS_PER_KEY_MIN = 8;
/** With fewer, most keys would pass. */
const BITS_PER_KEY_USEFUL = 2;
const PROBES = 5;
const WORD_BITS = 32;

export class KeyFilter {
  readonly #bits: Uint32Array;
  /** The number of bits is a power of two: a hash is cut, not divided. */
  readonly #mask: number;

  /** `bytesMax`: what it may have at most; undefined when that is too little to be of use. */
  static of(keys: number, bytesMax: number): KeyFilter | undefined {
    let words = 1;
    while (words * WORD_BITS < keys * BITS_PER_KEY_MIN) words *= 2;
    while (words > 1 && words * 4 > bytesMax) words /= 2;
    return words * 4 <= bytesMax && words * WORD_BITS >= keys * BITS_PER_KEY_USEFUL ? new KeyFilter(words) : undefined;
  }

  private constructor(words: number) {
    this.#bits = new Uint32Array(words);
    this.#mask = words * WORD_BITS - 1;
  }

  get bytes(): number {
    return this.#bits.byteLength;
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
