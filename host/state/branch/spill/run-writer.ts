/** Adds records to the end of a run: packs them into blocks, and large values into the value log. */
import { copyInto } from "../../../base/text/bytes.js";
import { FRAME_HEADER_BYTES } from "../../../base/types/limits.js";
import { readU32, writeU32 } from "../../../base/wire/u32.js";
import type { KeyFilter } from "../kv/key-filter.js";
import { DELETED } from "../kv/records.js";
import type { SortedCursor } from "../kv/sorted-cursor.js";
import { BLOCK_TAIL_BYTES, FAR_BYTES, FAR_FLAG, type FarPlace, NEAR_VALUE_BYTES_MAX, writeFar } from "./run-block.js";
import { RunCursor } from "./run-cursor.js";
import { LAST_KEY_BYTES_MAX, type SpilledRun } from "./spilled-run.js";

/** Blocks are gathered up to this before they are written. */
const BUFFER_BYTES = 262_144;
const WORD_BYTES = 4;

export interface RunWriterOptions {
  /** A block ends with the record that reaches this. */
  readonly blockBytes: number;
  readonly filter: KeyFilter | undefined;
  /** Segments of the value log that records must not lead to any more. */
  readonly sparse?: ReadonlySet<number>;
}

export class RunWriter {
  #bytes = new Uint8Array(BUFFER_BYTES);
  /** First byte after the last record. */
  #length = 0;
  /** Where the open block begins. */
  #blockAt = 0;
  #count = 0;
  #offsets = new Uint32Array(256);
  #lastKey: Uint8Array;
  #lastKeyLen: number;

  /** The run can be added to. */
  constructor(
    private readonly run: SpilledRun,
    private readonly options: RunWriterOptions,
  ) {
    this.#lastKey = new Uint8Array(LAST_KEY_BYTES_MAX);
    this.#lastKeyLen = run.index.count === 0 ? -1 : (run.lastKey?.length ?? 0);
    if (run.lastKey) this.#lastKey.set(run.lastKey);
  }

  /** Adds the pair that a cursor is on, after all that were added before. */
  add(cursor: SortedCursor | RunCursor): void {
    const far = this.#far(cursor);
    const { bytes, keyAt, keyLen, valueLen } = cursor;
    const stored = far ? FAR_BYTES : valueLen === DELETED ? 0 : valueLen;
    const length = FRAME_HEADER_BYTES + keyLen + stored;
    this.#reserve(length);
    const at = this.#length;
    if (far) {
      writeU32(this.#bytes, at, (keyLen | FAR_FLAG) >>> 0);
      writeU32(this.#bytes, at + WORD_BYTES, valueLen);
      writeFar(this.#bytes, copyInto(this.#bytes, at + FRAME_HEADER_BYTES, bytes, keyAt, keyLen), far);
    } else {
      // In memory and in a run it is as one piece, with the same head.
      copyInto(this.#bytes, at, bytes, keyAt - FRAME_HEADER_BYTES, length);
    }
    this.options.filter?.add(bytes, keyAt, keyLen);
    this.#offsets[this.#count++] = at - this.#blockAt;
    this.#length = at + length;
    this.run.keys++;
    if (this.#length - this.#blockAt >= this.options.blockBytes) this.#endBlock();
  }

  /** Writes what is left. The writer is used up. */
  finish(): void {
    if (this.#count > 0) this.#endBlock();
    this.#flush();
    this.run.ground.log.flush();
    this.run.lastKey = this.#lastKey.slice(0, Math.max(0, this.#lastKeyLen));
  }

  /** Where a large value is, which is written now unless it was before. */
  #far(cursor: SortedCursor | RunCursor): FarPlace | undefined {
    const { log } = this.run.ground;
    if (cursor.valueLen === DELETED || cursor.valueLen <= NEAR_VALUE_BYTES_MAX) return undefined;
    const place = cursor instanceof RunCursor ? cursor.far : undefined;
    if (place && !this.options.sparse?.has(place.segment)) {
      log.keep(place, cursor.valueLen, this.run.far);
      return place;
    }
    if (cursor instanceof RunCursor) cursor.loadValue();
    return log.add(cursor.bytes, cursor.valueAt, cursor.valueLen, this.run.far);
  }

  /** Makes room for a record and the end of its block. */
  #reserve(bytes: number): void {
    if (this.#count === this.#offsets.length) {
      const offsets = new Uint32Array(2 * this.#count);
      offsets.set(this.#offsets);
      this.#offsets = offsets;
    }
    const tail = WORD_BYTES * (this.#count + 1) + BLOCK_TAIL_BYTES;
    if (this.#length + bytes + tail <= this.#bytes.length) return;
    this.#flush();
    if (this.#length + bytes + tail <= this.#bytes.length) return;
    const grown = new Uint8Array(2 * (this.#length + bytes + tail));
    grown.set(this.#bytes.subarray(0, this.#length));
    this.#bytes = grown;
  }

  #endBlock(): void {
    const { run } = this;
    const bytes = this.#bytes;
    const firstAt = this.#blockAt;
    let at = this.#length;
    for (let i = 0; i < this.#count; i++, at += WORD_BYTES) writeU32(bytes, at, this.#offsets[i] as number);
    writeU32(bytes, at, this.#count);
    at += WORD_BYTES;
    writeU32(bytes, at, run.ground.files.checksum(bytes.subarray(firstAt, at)));
    at += WORD_BYTES;
    const keyLen = (readU32(bytes, firstAt) & ~FAR_FLAG) >>> 0;
    const end = run.index.end + at - firstAt;
    run.index.add(bytes, firstAt + FRAME_HEADER_BYTES, keyLen, this.#lastKey, this.#lastKeyLen, end);
    const last = firstAt + (this.#offsets[this.#count - 1] as number);
    this.#lastKeyLen = Math.min(LAST_KEY_BYTES_MAX, (readU32(bytes, last) & ~FAR_FLAG) >>> 0);
    copyInto(this.#lastKey, 0, bytes, last + FRAME_HEADER_BYTES, this.#lastKeyLen);
    this.#length = at;
    this.#blockAt = at;
    this.#count = 0;
  }

  /** Writes the blocks that are finished. */
  #flush(): void {
    if (this.#blockAt > 0) this.run.file.append(this.#bytes.subarray(0, this.#blockAt));
    this.#bytes.copyWithin(0, this.#blockAt, this.#length);
    this.#length -= this.#blockAt;
    this.#blockAt = 0;
  }
}
