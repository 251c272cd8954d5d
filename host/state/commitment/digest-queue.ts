/**
 * Digests that are asked for one by one and made together. An answer is where it belongs after `settle`, and maybe
 * before; messages must not depend on each other's results.
 */
import { copyInto } from "../../base/text/bytes.js";
import type { Sha256 } from "../../base/types/types.js";
import { LANES_BYTES_MAX, LANES_MESSAGES_MAX, openSha256Lanes, type Sha256Lanes } from "./sha256-lanes.js";

const DIGEST_BYTES = 32;
/** Of a longer message the handed-in function takes care: there its calls cost nothing beside the hashing. */
const QUEUED_BYTES_MAX = 1_024;
/** Fewer than this do not fill the lanes: one by one they are faster. */
const QUEUED_MIN = 3;

export class DigestQueue {
  readonly #lanes: Sha256Lanes | undefined;
  /** Messages wait here, one after the other. */
  bytes: Uint8Array = new Uint8Array(LANES_BYTES_MAX);
  #lengths: Uint32Array = new Uint32Array(LANES_MESSAGES_MAX);
  readonly #targets = new Float64Array(LANES_MESSAGES_MAX);
  #out: Uint8Array = new Uint8Array(0);
  #count = 0;
  #used = 0;

  constructor(private readonly sha256: Sha256) {
    this.#lanes = openSha256Lanes();
    if (!this.#lanes) return;
    this.bytes = this.#lanes.bytes;
    this.#lengths = this.#lanes.lengths;
  }

  /** Does a message of this length wait in `bytes`? If not, it goes to `digestNow`. */
  takes(length: number): boolean {
    return length <= QUEUED_BYTES_MAX;
  }

  /** Returns where in `bytes` the message is to be written; its digest goes to byte `to` of `out`, the same for all. */
  add(length: number, out: Uint8Array, to: number): number {
    if (this.#count === LANES_MESSAGES_MAX || this.#used + length > LANES_BYTES_MAX) this.settle();
    this.#out = out;
    this.#targets[this.#count] = to;
    this.#lengths[this.#count++] = length;
    const at = this.#used;
    this.#used += length;
    return at;
  }

  digestNow(message: Uint8Array, out: Uint8Array, to: number): void {
    out.set(this.sha256(message), to);
  }

  settle(): void {
    const lanes = this.#count < QUEUED_MIN ? undefined : this.#lanes;
    lanes?.hash(this.#count);
    for (let i = 0, at = 0; i < this.#count; i++) {
      const length = this.#lengths[i] as number;
      const to = this.#targets[i] as number;
      if (lanes) copyInto(this.#out, to, lanes.digests, i * DIGEST_BYTES, DIGEST_BYTES);
      else this.digestNow(this.bytes.subarray(at, at + length), this.#out, to);
      at += length;
    }
    this.#count = 0;
    this.#used = 0;
  }
}
