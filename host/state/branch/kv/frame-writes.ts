/** The writes of a branch on their way out of it: to its parent, or to a digest. */

import { FRAME_HEADER_BYTES } from "../../../base/types/limits.js";
import { writeU32 } from "../../../base/wire/u32.js";
import type { BranchWrites } from "./branch-writes.js";
import { OP_DELETE } from "./frames.js";
import { WritesCursor } from "./writes-cursor.js";

const WRITE_BYTES = 65_536;

/** Gives all writes, ascending by key, as runs of output frames of store 0 (docs/abi.md); each is good during the call. */
export function frameWrites(writes: BranchWrites, give: (frames: Uint8Array) => void): void {
  const cursor = new WritesCursor(writes, undefined, undefined, false, true);
  let frames = new Uint8Array(
    writes.runs.length > 0 ? WRITE_BYTES : Math.min(WRITE_BYTES, writes.map.bytes + FRAME_HEADER_BYTES),
  );
  let at = 0;
  while (cursor.step()) {
    cursor.loadValue();
    const { bytes, keyAt, keyLen, isDeleted } = cursor;
    const valueLen = isDeleted ? 0 : cursor.valueLen;
    const size = FRAME_HEADER_BYTES + keyLen + valueLen;
    if (at + size > frames.length) {
      give(frames.subarray(0, at));
      at = 0;
      if (size > frames.length) frames = new Uint8Array(size);
    }
    writeU32(frames, at, isDeleted ? ((OP_DELETE << 30) | keyLen) >>> 0 : keyLen);
    at += 4;
    if (!isDeleted) {
      writeU32(frames, at, valueLen);
      at += 4;
    }
    frames.set(bytes.subarray(keyAt, keyAt + keyLen + valueLen), at);
    at += keyLen + valueLen;
  }
  give(frames.subarray(0, at));
}
