/**
 * Cuts a scan into batches (docs/abi.md): whole frames, as many as fit in the limit, a larger frame alone. What a guest
 * did not consume begins the next batch, which is packed afresh. Where batches end is part of consensus.
 */
import { assert } from "../../../base/errors/errors.js";
import { FRAME_HEADER_BYTES } from "../../../base/types/limits.js";
import type { FrameScan } from "../../../base/types/types.js";
import { readU32 } from "../../../base/wire/u32.js";

/** Frames read ahead, in batches: so that moving the rest to the front is rare. */
const BATCHES_AHEAD = 4;

export class ScanBatches {
  /** Holds the current batch from `start` to `end`; the host's own, a guest cannot touch what comes again. */
  bytes: Uint8Array;
  start = 0;
  end = 0;
  /** No frame of the scan lies beyond the batch. */
  isLast = false;
  /** Frames that the guest consumed so far. */
  consumed = 0;
  /** Bytes of the batches that are still to be packed, at most those that it was made with. */
  batchBytes: number;
  readonly #scan: FrameScan;
  /** First byte after the frames that were read. */
  #filled = 0;
  #isEnded = false;

  constructor(scan: FrameScan, batchBytes: number) {
    this.#scan = scan;
    this.batchBytes = batchBytes;
    this.bytes = new Uint8Array(BATCHES_AHEAD * batchBytes);
  }

  /** Every frame was consumed. */
  get isDone(): boolean {
    return this.#isEnded && this.start === this.#filled;
  }

  /** Packs the frames from `start` on. */
  pack(): void {
    let length = 0;
    let isFull = false;
    do {
      while (!isFull && this.start + length < this.#filled) {
        const size = this.#frameBytes(this.start + length);
        isFull = length > 0 && length + size > this.batchBytes;
        if (!isFull) length += size;
      }
      if (!isFull && !this.#isEnded) isFull = !this.#readMore(length);
    } while (!isFull && !(this.#isEnded && this.start + length === this.#filled));
    this.end = this.start + length;
    this.isLast = !isFull;
  }

  /** Takes `count` bytes off the front. False, and nothing happens, when they do not end where a frame of the batch does. */
  consume(count: number): boolean {
    let at = this.start;
    let frames = 0;
    const stop = this.start + count;
    for (; at < stop && at < this.end; frames++) at += this.#frameBytes(at);
    if (at !== stop) return false;
    this.start = stop;
    this.consumed += frames;
    return true;
  }

  #frameBytes(at: number): number {
    return FRAME_HEADER_BYTES + readU32(this.bytes, at) + readU32(this.bytes, at + 4);
  }

  /**
   * Reads on after the frames at hand, all of which (`length` bytes) belong to the batch.
   * False when the next frame does not.
   */
  #readMore(length: number): boolean {
    this.bytes.copyWithin(0, this.start, this.#filled);
    this.start = 0;
    this.#filled = length;
    let read = this.#scan.read(this.bytes.subarray(length));
    if (read < 0) {
      const needed = -read;
      if (length > 0 && length + needed > this.batchBytes) return false;
      this.#grow(length + needed);
      read = this.#scan.read(this.bytes.subarray(length));
    }
    assert(read >= 0, "a scan has no room for the frame that it asked room for");
    this.#filled += read;
    this.#isEnded = read === 0;
    return true;
  }

  #grow(bytes: number): void {
    const grown = new Uint8Array(bytes);
    grown.set(this.bytes.subarray(0, this.#filled));
    this.bytes = grown;
  }
}
