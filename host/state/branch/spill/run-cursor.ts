/** Walks a run in either direction, deletions included. */
import { compareRanges } from "../../../base/text/bytes.js";
import { FRAME_HEADER_BYTES } from "../../../base/types/limits.js";
import { readU32 } from "../../../base/wire/u32.js";
import type { PairCursor } from "../kv/pair-cursor.js";
import type { ReadableRun } from "./readable-run.js";
import { FAR_FLAG, type FarPlace, type RunBlock, readFar } from "./run-block.js";
import { RunWindow } from "./run-window.js";

export class RunCursor implements PairCursor {
  bytes: Uint8Array = new Uint8Array(0);
  keyAt = 0;
  keyLen = 0;
  valueAt = 0;
  /** DELETED for a deletion. */
  valueLen = 0;
  /** It is on no pair yet; the next one does not come before the key that the fields show, and no block was read. */
  isWaiting = false;

  // What the next step is on. An index may lie one beyond its block, on either side.
  #number = 0;
  #index = 0;
  #block: RunBlock | undefined;
  #isPlaced = false;
  #farAt = -1;
  #room = new Uint8Array(0);
  readonly #window: RunWindow | undefined;

  /**
   * `readsAll`: the whole run is walked once, so its blocks need not be kept. Of the pairs that it shows only the last
   * two are then sure to stay as they are.
   */
  constructor(
    private readonly run: ReadableRun,
    private readonly start: Uint8Array | undefined,
    private readonly end: Uint8Array | undefined,
    private readonly reverse: boolean,
    readsAll = false,
  ) {
    if (readsAll) this.#window = new RunWindow(run);
  }

  /** Where the value is when `bytes` does not have it. */
  get far(): FarPlace | undefined {
    return this.#farAt < 0 ? undefined : readFar(this.bytes, this.#farAt);
  }

  /**
   * Upwards: reads nothing when the run's first pair is the next one, and shows a key at or before it. False when the
   * walk must step to know more.
   */
  wait(): boolean {
    const { index } = this.run;
    const isWhole = this.#isPlaced
      ? this.#number === 0 && this.#index === 0
      : !this.start || index.compare(0, this.start, 0, this.start.length) <= 0;
    if (this.reverse || !isWhole || this.#block) return false;
    const first = index.separator(0);
    this.bytes = first.bytes;
    this.keyAt = first.at;
    this.keyLen = first.len;
    this.isWaiting = true;
    return true;
  }

  /** The next step is on the pair that comes after this key in the direction of the walk. */
  goBehind(bytes: Uint8Array, at: number, len: number): void {
    this.isWaiting = false;
    this.#block = undefined;
    this.#isPlaced = true;
    if (!this.reverse && this.run.index.compare(0, bytes, at, len) < 0) {
      this.#number = 0;
      this.#index = 0;
      return;
    }
    this.#goTo(bytes, at, len);
    const block = this.#block as RunBlock | undefined;
    if (this.reverse || !block || this.#index === block.count) return;
    if (block.compare(this.#index, bytes, at, len) === 0) this.#index++;
  }

  step(): boolean {
    this.isWaiting = false;
    if (!this.#isPlaced) this.#begin();
    else if (!this.#block) this.#enter(this.#number, this.#index);
    let block = this.#block;
    if (!block) return false;
    if (this.#index < 0 || this.#index >= block.count) {
      if (this.reverse) this.#enter(this.#number - 1, Number.MAX_SAFE_INTEGER);
      else this.#enter(this.#number + 1, 0);
      block = this.#block;
      if (!block) return false;
    }
    this.stand(block, this.#index);
    this.#index += this.reverse ? -1 : 1;
    return this.#inRange();
  }

  stand(block: RunBlock, index: number): void {
    const record = block.at(index);
    const head = readU32(block.bytes, record);
    this.bytes = block.bytes;
    this.keyLen = (head & ~FAR_FLAG) >>> 0;
    this.keyAt = record + FRAME_HEADER_BYTES;
    this.valueLen = readU32(block.bytes, record + 4);
    this.valueAt = this.keyAt + this.keyLen;
    this.#farAt = head >= FAR_FLAG ? this.valueAt : -1;
  }

  /** Moves the pair to room of the cursor's own when its value is elsewhere; good until the next such call. */
  loadValue(): void {
    const { far, keyLen, valueLen } = this;
    if (!far) return;
    const room = this.#room.length < keyLen + valueLen ? new Uint8Array(keyLen + valueLen) : this.#room;
    this.#room = room;
    room.set(this.bytes.subarray(this.keyAt, this.keyAt + keyLen));
    this.run.ground.log.readInto(far, room.subarray(keyLen, keyLen + valueLen));
    this.bytes = room;
    this.keyAt = 0;
    this.valueAt = keyLen;
    this.#farAt = -1;
  }

  #begin(): void {
    this.#isPlaced = true;
    const from = this.reverse ? this.end : this.start;
    if (from) this.#goTo(from, 0, from.length);
    else if (this.reverse) this.#enter(this.run.index.count - 1, Number.MAX_SAFE_INTEGER);
    else this.#enter(0, 0);
  }

  /** The next step is on the first pair from a key on; in reverse on the last one before it. */
  #goTo(bytes: Uint8Array, at: number, len: number): void {
    if (!this.reverse && this.run.endsBefore(bytes, at, len)) {
      this.#enter(this.run.index.count, 0);
      return;
    }
    const number = this.run.blockFor(bytes, at, len);
    const index = this.#blockAt(number).seek(bytes, at, len);
    this.#enter(number, this.reverse ? index - 1 : index);
  }

  #blockAt(number: number): RunBlock {
    return this.#window ? this.#window.block(number) : this.run.block(number);
  }

  #enter(number: number, index: number): void {
    this.#number = number;
    this.#block = number >= 0 && number < this.run.index.count ? this.#blockAt(number) : undefined;
    this.#index = index === Number.MAX_SAFE_INTEGER ? (this.#block?.count ?? 0) - 1 : index;
  }

  #inRange(): boolean {
    const edge = this.reverse ? this.start : this.end;
    if (!edge) return true;
    const order = compareRanges(this.bytes, this.keyAt, this.keyLen, edge, 0, edge.length);
    return this.reverse ? order >= 0 : order < 0;
  }
}
