/**
 * Walks a SortedMap in either direction. When the map changes during the walk, it goes on after the last pair,
 * over the map as it then is.
 */
import { compareRanges } from "../../../base/text/bytes.js";
import { FRAME_HEADER_BYTES } from "../../../base/types/limits.js";
import { readU32 } from "../../../base/wire/u32.js";
import type { PairCursor } from "./pair-cursor.js";
import { DELETED } from "./records.js";
import type { SortedMap } from "./sorted-map.js";

export class SortedCursor implements PairCursor {
  bytes: Uint8Array = new Uint8Array(0);
  keyAt = 0;
  keyLen = 0;
  valueAt = 0;
  /** DELETED for a deletion that a branch holds. */
  valueLen = 0;

  #block = 0;
  #index = 0;
  #changes = -1;
  /** The place is found but the cursor is not on it yet. */
  #isAhead = false;
  #hasStood = false;

  constructor(
    private readonly map: SortedMap,
    private readonly start: Uint8Array | undefined,
    private readonly end: Uint8Array | undefined,
    private readonly reverse: boolean,
  ) {}

  get isDeleted(): boolean {
    return this.valueLen === DELETED;
  }

  /** Did the map's order change since the last step? */
  get isStale(): boolean {
    return this.#changes !== this.map.changes;
  }

  step(): boolean {
    if (this.isStale) {
      // Records that move leave their bytes behind, so the last pair's key can be read even after it was taken out.
      if (this.#hasStood) this.goBehind(this.bytes, this.keyAt, this.keyLen);
      else this.#goToBeginning();
    }
    if (this.#isAhead) this.#isAhead = false;
    else if (this.reverse) this.#back();
    else this.#index++;
    const address = this.#addressHere();
    if (address === undefined) return false;
    this.#stand(address);
    return this.#inRange();
  }

  /** Reads the value of the pair it is on again: a write to a key that is present makes no cursor stale. */
  lookAgain(): void {
    const address = this.#addressHere();
    if (address !== undefined) this.#stand(address);
  }

  /** The next step is on the pair that comes after this key in the direction of the walk. */
  goBehind(bytes: Uint8Array, at: number, len: number): void {
    const place = this.map.seek(bytes, at, len);
    this.#goTo(place.block, place.index);
    if (this.reverse) this.#back();
    else {
      const address = this.#addressHere();
      if (address !== undefined && this.map.compare(address, bytes, at, len) === 0) this.#index++;
    }
  }

  #goToBeginning(): void {
    const from = this.reverse ? this.end : this.start;
    if (from) {
      const place = this.map.seek(from, 0, from.length);
      this.#goTo(place.block, place.index);
      if (this.reverse) this.#back();
    } else if (this.reverse) {
      const block = this.map.blockCount() - 1;
      this.#goTo(block, this.map.blockSize(block) - 1);
    } else this.#goTo(0, 0);
  }

  #goTo(block: number, index: number): void {
    this.#block = block;
    this.#index = index;
    this.#changes = this.map.changes;
    this.#isAhead = true;
  }

  #back(): void {
    this.#index--;
    if (this.#index >= 0) return;
    this.#block--;
    this.#index = this.map.blockSize(this.#block) - 1;
  }

  #addressHere(): number | undefined {
    if (this.#index < 0) return undefined;
    if (!this.reverse && this.#index >= this.map.blockSize(this.#block)) {
      this.#block++;
      this.#index = 0;
    }
    return this.map.addressAt(this.#block, this.#index);
  }

  #stand(address: number): void {
    this.#hasStood = true;
    this.bytes = this.map.segmentOf(address);
    const offset = this.map.offsetOf(address);
    this.keyLen = readU32(this.bytes, offset);
    this.keyAt = offset + FRAME_HEADER_BYTES;
    this.valueLen = readU32(this.bytes, offset + 4);
    this.valueAt = this.keyAt + this.keyLen;
  }

  #inRange(): boolean {
    const edge = this.reverse ? this.start : this.end;
    if (!edge) return true;
    const order = compareRanges(this.bytes, this.keyAt, this.keyLen, edge, 0, edge.length);
    return this.reverse ? order >= 0 : order < 0;
  }
}
