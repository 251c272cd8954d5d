/** Files that others put into a folder of the node: one may be a pipe, a device or huge, and reading it must end all the same. */
import { closeSync, fstatSync, readSync } from "node:fs";
import { concatBytes } from "../../bytes.js";
import { openRegularFile } from "../../store/disk/lmdb-access.js";

const PART_BYTES = 65_536;

/**
 * The bytes of a regular file; of one that is larger only the first `bytesMax` and one more, so that it shows.
 * @throws what the system says, and an Error for what is no regular file
 */
export function readRegularFile(path: string, bytesMax: number): Uint8Array {
  const file = openRegularFile(path);
  try {
    return readBytes(file, Math.min(fstatSync(file).size, bytesMax));
  } finally {
    closeSync(file);
  }
}

/** The same of a file that is open, from where it is on: stdin may be a pipe, and have no end. @throws what the system says */
export function readBytes(file: number, bytesMax: number): Uint8Array {
  const parts: Uint8Array[] = [];
  for (let left = bytesMax + 1; left > 0; ) {
    const part = Buffer.allocUnsafe(Math.min(PART_BYTES, left));
    // The system may return less than was asked for.
    const count = readSync(file, part, 0, part.length, null);
    if (count === 0) break;
    parts.push(part.subarray(0, count));
    left -= count;
  }
  return concatBytes(...parts);
}
