/** What the checks of stores look with: walks as texts, framed writes, and comparisons that say what differs. */

import { isUpgradeError } from "../../../base/errors/errors.js";
import { concatBytes, toHex } from "../../../base/text/bytes.js";
import type { KeyRange, KVReader } from "../../../base/types/types.js";
import { writeU32 } from "../../../base/wire/u32.js";
import { FrameCursor, OP_DELETE, OP_PUT } from "../../../state/branch/kv/frames.js";

/** All pairs of a walk as hex. */
export function pairsOf(store: KVReader, range?: KeyRange): string[] {
  return Array.from(store.iterate(range), ([key, value]) => `${toHex(key)}=${toHex(value)}`);
}

/** All pairs of a scan as hex, read through a buffer of the given size (grown when a frame needs it). */
export function framesOf(store: KVReader, range: KeyRange = {}, bufferBytes = 64): string[] {
  const scan = store.scan(range);
  const pairs: string[] = [];
  let out = new Uint8Array(bufferBytes);
  for (;;) {
    const filled = scan.read(out);
    if (filled === 0) return pairs;
    if (filled < 0) {
      out = new Uint8Array(-filled);
      continue;
    }
    const frame = new FrameCursor(out, filled);
    while (frame.step()) {
      const key = out.subarray(frame.keyAt, frame.keyAt + frame.keyLen);
      pairs.push(`${toHex(key)}=${toHex(out.subarray(frame.valueAt, frame.valueAt + frame.valueLen))}`);
    }
  }
}

export function putFrame(key: Uint8Array, value: Uint8Array, store = 0): Uint8Array {
  const head = new Uint8Array(8);
  writeU32(head, 0, ((OP_PUT << 30) | (store << 24) | key.length) >>> 0);
  writeU32(head, 4, value.length);
  return concatBytes(head, key, value);
}

export function deleteFrame(key: Uint8Array, store = 0): Uint8Array {
  const head = new Uint8Array(4);
  writeU32(head, 0, ((OP_DELETE << 30) | (store << 24) | key.length) >>> 0);
  return concatBytes(head, key);
}

/** Bytes count as their hex. @throws Error that shows both */
export function expectSame(got: unknown, expected: unknown): void {
  const [a, b] = [got, expected].map(shown);
  if (a !== b) throw new Error(`expected ${cut(b)}, got ${cut(a)}`);
}

/** @throws Error when `work` does not throw an error of this code */
export function expectCode(code: string, work: () => unknown): void {
  let seen = "nothing";
  try {
    work();
  } catch (error) {
    if (isUpgradeError(error) && error.code === code) return;
    seen = isUpgradeError(error) ? error.code : String(error);
  }
  throw new Error(`expected ${code} to be thrown, got ${seen}`);
}

function shown(value: unknown): string {
  if (value instanceof Uint8Array) return `bytes ${toHex(value)}`;
  return value === undefined ? "undefined" : JSON.stringify(value);
}

const SHOWN_MAX = 300;
const cut = (text = "") =>
  text.length > SHOWN_MAX ? `${text.slice(0, SHOWN_MAX)}… (${text.length} characters)` : text;
