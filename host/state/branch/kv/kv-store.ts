/**
 * What every store of this room has in common: public methods check their arguments and then call the `_` methods,
 * which work on bytes in place. A store is made of five `_` methods.
 */

import { UpgradeError } from "../../../base/errors/errors.js";
import { copyInto } from "../../../base/text/bytes.js";
import { FRAME_HEADER_BYTES, KEY_BYTES_MAX, VALUE_BYTES_MAX } from "../../../base/types/limits.js";
import type { FrameScan, KeyRange, KeyValue, KVReader, KVStore } from "../../../base/types/types.js";
import { writeU32 } from "../../../base/wire/u32.js";
import type { SpillSpace } from "../spill/spill-space.js";
import { checkFrames, OP_DELETE, OpCursor } from "./frames.js";
import type { PairCursor } from "./pair-cursor.js";

/** @throws UpgradeError UPG_INVALID_KEY */
export function checkKey(key: Uint8Array): void {
  if (!(key instanceof Uint8Array) || key.length === 0 || key.length > KEY_BYTES_MAX) {
    const got = key instanceof Uint8Array ? `${key.length}` : typeof key;
    throw new UpgradeError("UPG_INVALID_KEY", `a key has 1 to ${KEY_BYTES_MAX} bytes, got ${got}`);
  }
}

/** @throws UpgradeError UPG_INVALID_VALUE */
function checkValue(value: Uint8Array): void {
  if (!(value instanceof Uint8Array) || value.length > VALUE_BYTES_MAX) {
    const got = value instanceof Uint8Array ? `${value.length}` : typeof value;
    throw new UpgradeError("UPG_INVALID_VALUE", `a value has 0 to ${VALUE_BYTES_MAX} bytes, got ${got}`);
  }
}

/** An open end is `undefined` or empty. */
function bound(key: Uint8Array | undefined): Uint8Array | undefined {
  return key && key.length > 0 ? key : undefined;
}

export abstract class BaseKVReader implements KVReader {
  /** Where branches of this store can spill writes; undefined: they hold all in memory. */
  spill: SpillSpace | undefined;

  get(key: Uint8Array): Uint8Array | undefined {
    checkKey(key);
    return this._get(key);
  }

  has(key: Uint8Array): boolean {
    checkKey(key);
    return this._has(key);
  }

  *iterate(range: KeyRange = {}): IterableIterator<KeyValue> {
    const cursor = this.cursor(range);
    while (cursor.step()) {
      cursor.loadValue?.();
      const { bytes, keyAt, keyLen, valueAt, valueLen } = cursor;
      yield [bytes.slice(keyAt, keyAt + keyLen), bytes.slice(valueAt, valueAt + valueLen)];
    }
  }

  scan(range: KeyRange = {}): FrameScan {
    if (range.reverse) throw new UpgradeError("UPG_INVALID_ARGUMENT", "a scan cannot run in reverse");
    return new CursorScan((start) => this.cursor({ start, end: range.end }), range.start);
  }

  /** The walk that `iterate` and `scan` are made of. */
  cursor(range: KeyRange): PairCursor {
    return this._cursor(bound(range.start), bound(range.end), range.reverse === true);
  }

  /** A copy that the caller may keep. */
  abstract _get(key: Uint8Array): Uint8Array | undefined;
  abstract _has(key: Uint8Array): boolean;
  abstract _cursor(start: Uint8Array | undefined, end: Uint8Array | undefined, reverse: boolean): PairCursor;
}

export abstract class BaseKVStore extends BaseKVReader implements KVStore {
  set(key: Uint8Array, value: Uint8Array): void {
    checkKey(key);
    checkValue(value);
    this._put(key, 0, key.length, value, 0, value.length);
  }

  delete(key: Uint8Array): void {
    checkKey(key);
    this._remove(key, 0, key.length);
  }

  writeFrames(frames: Uint8Array): void {
    checkFrames(frames);
    const op = new OpCursor(frames);
    while (op.step()) {
      if (op.op === OP_DELETE) this._remove(frames, op.keyAt, op.keyLen);
      else this._put(frames, op.keyAt, op.keyLen, frames, op.valueAt, op.valueLen);
    }
  }

  abstract _put(
    bytes: Uint8Array,
    keyAt: number,
    keyLen: number,
    value: Uint8Array,
    valueAt: number,
    valueLen: number,
  ): void;
  abstract _remove(bytes: Uint8Array, keyAt: number, keyLen: number): void;
}

/** Turns a walk into frames. */
class CursorScan implements FrameScan {
  #cursor: PairCursor;
  /** Key of a pair that did not fit: it is looked up again, since the store may be written to before the next read. */
  #waiting: Uint8Array | undefined;
  /** By the walks before this one. */
  #passed = 0;
  #passedBytes = 0;

  constructor(
    private readonly cursorFrom: (start: Uint8Array | undefined) => PairCursor,
    start: Uint8Array | undefined,
  ) {
    this.#cursor = cursorFrom(start);
  }

  get passed(): number {
    return this.#passed + (this.#cursor.passed ?? 0);
  }

  get passedBytes(): number {
    return this.#passedBytes + (this.#cursor.passedBytes ?? 0);
  }

  read(out: Uint8Array): number {
    if (this.#waiting) {
      this.#passed = this.passed;
      this.#passedBytes = this.passedBytes;
      this.#cursor = this.cursorFrom(this.#waiting);
    }
    this.#waiting = undefined;
    const cursor = this.#cursor;
    let at = 0;
    while (cursor.step()) {
      const size = FRAME_HEADER_BYTES + cursor.keyLen + cursor.valueLen;
      if (at + size > out.length) {
        this.#waiting = cursor.bytes.slice(cursor.keyAt, cursor.keyAt + cursor.keyLen);
        return at === 0 ? -size : at;
      }
      cursor.loadValue?.();
      const { bytes, keyAt, keyLen, valueAt, valueLen } = cursor;
      writeU32(out, at, keyLen);
      writeU32(out, at + 4, valueLen);
      at += FRAME_HEADER_BYTES;
      if (valueAt === keyAt + keyLen) {
        at = copyInto(out, at, bytes, keyAt, keyLen + valueLen);
        continue;
      }
      at = copyInto(out, at, bytes, keyAt, keyLen);
      at = copyInto(out, at, bytes, valueAt, valueLen);
    }
    return at;
  }
}
