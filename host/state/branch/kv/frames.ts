/**
 * Frames: how bulk data travels, so that no object is made per pair (docs/abi.md).
 *   in   u32 klen, u32 vlen, key, value
 *   out  u32 op << 30 | store << 24 | klen, then for a put u32 vlen, key, value; for a delete the key
 * Little-endian. Op 0 is put, 1 is delete; `store` is an index that only handler output uses.
 */
import { UpgradeError } from "../../../base/errors/errors.js";
import { FRAME_HEADER_BYTES, KEY_BYTES_MAX, VALUE_BYTES_MAX } from "../../../base/types/limits.js";
import type { FrameScan } from "../../../base/types/types.js";
import { readU32 } from "../../../base/wire/u32.js";

export const OP_PUT = 0;
export const OP_DELETE = 1;

const KEY_LENGTH_MASK = 0xff_ffff;

/** Walks input frames (`klen, vlen, key, value`) of a buffer; fields say where the current pair is. */
export class FrameCursor {
  keyAt = 0;
  keyLen = 0;
  valueAt = 0;
  valueLen = 0;
  /** First byte after the current frame. */
  next = 0;

  constructor(
    public bytes: Uint8Array,
    public end = bytes.length,
  ) {}

  /** Points the cursor at another run of whole frames. */
  reset(bytes: Uint8Array, start: number, end: number): void {
    this.bytes = bytes;
    this.next = start;
    this.end = end;
  }

  /** Moves to the next frame; false at the end. Frames are trusted: they come from a store. */
  step(): boolean {
    const at = this.next;
    if (at >= this.end) return false;
    this.keyLen = readU32(this.bytes, at);
    this.valueLen = readU32(this.bytes, at + 4);
    this.keyAt = at + FRAME_HEADER_BYTES;
    this.valueAt = this.keyAt + this.keyLen;
    this.next = this.valueAt + this.valueLen;
    return true;
  }
}

/** Walks a {@link FrameScan} pair by pair, with a buffer that grows with the length of the walk. */
export class ScanCursor extends FrameCursor {
  constructor(
    private readonly scan: FrameScan,
    private room = 1_024,
  ) {
    super(new Uint8Array(0));
  }

  override step(): boolean {
    if (super.step()) return true;
    if (this.bytes.length < this.room) this.bytes = new Uint8Array(this.room);
    let filled = this.scan.read(this.bytes);
    if (filled < 0) {
      this.bytes = new Uint8Array(-filled);
      filled = this.scan.read(this.bytes);
    }
    if (filled === 0) return false;
    this.room = Math.min(this.room * 4, 65_536);
    this.next = 0;
    this.end = filled;
    return super.step();
  }
}

/** Walks output frames (puts and deletes) of a buffer that nobody has checked yet. */
export class OpCursor {
  op = OP_PUT;
  store = 0;
  keyAt = 0;
  keyLen = 0;
  valueAt = 0;
  valueLen = 0;
  /** First byte of the current frame. */
  start = 0;
  /** First byte after the current frame. */
  next = 0;

  constructor(
    readonly bytes: Uint8Array,
    start = 0,
    readonly end = bytes.length,
  ) {
    this.next = start;
  }

  /** Moves to the next frame; false at the end. @throws UpgradeError UPG_INVALID_ARGUMENT for a malformed frame */
  step(): boolean {
    const at = this.next;
    if (at >= this.end) return false;
    if (at + 4 > this.end) throw this.#malformed("header cut short");
    const head = readU32(this.bytes, at);
    this.start = at;
    this.op = head >>> 30;
    this.store = (head >>> 24) & 63;
    this.keyLen = head & KEY_LENGTH_MASK;
    if (this.op > OP_DELETE) throw this.#malformed(`unknown operation ${this.op}`);
    if (this.keyLen === 0 || this.keyLen > KEY_BYTES_MAX) throw this.#malformed(`key of ${this.keyLen} bytes`);
    const isPut = this.op === OP_PUT;
    if (isPut && at + FRAME_HEADER_BYTES > this.end) throw this.#malformed("header cut short");
    this.valueLen = isPut ? readU32(this.bytes, at + 4) : 0;
    if (this.valueLen > VALUE_BYTES_MAX) throw this.#malformed(`value of ${this.valueLen} bytes`);
    this.keyAt = at + (isPut ? FRAME_HEADER_BYTES : 4);
    this.valueAt = this.keyAt + this.keyLen;
    this.next = this.valueAt + this.valueLen;
    if (this.next > this.end) throw this.#malformed("frame is longer than its buffer");
    return true;
  }

  #malformed(what: string): UpgradeError {
    return new UpgradeError("UPG_INVALID_ARGUMENT", `malformed frame at byte ${this.next}: ${what}`);
  }
}

/** Throws unless the buffer is a run of whole, well-formed output frames. */
export function checkFrames(frames: Uint8Array): void {
  const cursor = new OpCursor(frames);
  while (cursor.step());
}
