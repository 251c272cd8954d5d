/**
 * Responses about committed state in the form they are sent in, kept while their height is the last one: what state a
 * height has never changes, so the same request at the same height has the same answer. Only methods that say so
 * (`isKept`) are kept, only successes, and only responses that nothing cut.
 */
import type { Height } from "../../base/types/types.js";

/** Bytes of all that one server keeps, keys and bookkeeping counted. */
const KEPT_BYTES_MAX = 8_388_608;
/** Larger responses, and responses to larger requests, are made each time: few of them would fill all the room. */
export const KEPT_ANSWER_BYTES_MAX = 65_536;
export const KEPT_REQUEST_BYTES_MAX = 1_024;
/** What an entry needs besides: the map's slot, the objects. */
const ENTRY_BYTES = 256;

interface Kept<T> {
  readonly value: T;
  readonly bytes: number;
}

export class KeptAnswers<T> {
  readonly #kept = new Map<string, Kept<T>>();
  #height: Height = 0n;
  #bytes = 0;

  constructor(private readonly bytesMax: number = KEPT_BYTES_MAX) {}

  /** Bytes that are kept now. */
  get bytes(): number {
    return this.#bytes;
  }

  /** @param last the height of the last block: whatever was kept for another one is dropped */
  get(last: Height, request: string): T | undefined {
    if (last !== this.#height) this.#begin(last);
    return this.#kept.get(request)?.value;
  }

  /**
   * Keeps an answer, when it is about the height that is kept now and small enough; the oldest ones make room.
   * @param height whose state was read
   * @param bytes that `value` needs in memory
   */
  put(height: Height, request: string, value: T, bytes: number): void {
    if (height !== this.#height || request.length > KEPT_REQUEST_BYTES_MAX || bytes > KEPT_ANSWER_BYTES_MAX) return;
    const all = bytes + 2 * request.length + ENTRY_BYTES;
    this.#drop(request);
    for (const [oldest] of this.#kept) {
      if (this.#bytes + all <= this.bytesMax) break;
      this.#drop(oldest);
    }
    if (this.#bytes + all > this.bytesMax) return;
    this.#kept.set(request, { value, bytes: all });
    this.#bytes += all;
  }

  #begin(height: Height): void {
    this.#kept.clear();
    this.#bytes = 0;
    this.#height = height;
  }

  #drop(request: string): void {
    const kept = this.#kept.get(request);
    if (kept && this.#kept.delete(request)) this.#bytes -= kept.bytes;
  }
}
