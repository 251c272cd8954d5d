/** Tells for most keys that they are not in a set, without a look at the set (a Bloom filter). */

const BITS_PER_KEY = 10;
const PROBES = 5;

export class KeyFilter {
  readonly #bits: Uint32Array;

  constructor(keys: number) {
    this.#bits = new Uint32Array(Math.ceil((keys * BITS_PER_KEY) / 32) + 1);
  }

  add(bytes: Uint8Array, at: number, len: number): void {
    const first = hashOf(bytes, at, len);
    for (let i = 0; i < PROBES; i++) {
      const bit = this.#bit(first, i);
      this.#bits[bit >>> 5] = (this.#bits[bit >>> 5] as number) | (1 << (bit & 31));
    }
  }

  /** False: the key was never added. */
  mayHave(bytes: Uint8Array, at: number, len: number): boolean {
    const first = hashOf(bytes, at, len);
    for (let i = 0; i < PROBES; i++) {
      const bit = this.#bit(first, i);
      if (((this.#bits[bit >>> 5] as number) & (1 << (bit & 31))) === 0) return false;
    }
    return true;
  }

  /** Two hashes make all probes: the second is the first one mixed. */
  #bit(hash: number, probe: number): number {
    const step = Math.imul(hash ^ (hash >>> 15), 0x85eb_ca6b) | 1;
    return ((hash + Math.imul(probe, step)) >>> 0) % (this.#bits.length * 32);
  }
}

/** FNV-1a, and a last mix, since it leaves the upper bits of short keys alike. */
function hashOf(bytes: Uint8Array, at: number, len: number): number {
  let hash = 0x811c_9dc5;
  for (let i = at; i < at + len; i++) hash = Math.imul(hash ^ (bytes[i] as number), 0x0100_0193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x7feb_352d);
  return (hash ^ (hash >>> 15)) >>> 0;
}
