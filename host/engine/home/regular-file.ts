/** Files that others put into a folder of the node: one may be a pipe, a device or huge, and reading it must end all the same. */
import { closeSync, fstatSync, readSync } from "node:fs";
import { openRegularFile } from "../../store/disk/lmdb-access.js";

/**
 * The bytes of a regular file; of one that is larger only the first `bytesMax` and one more, so that it shows.
 * @throws what the system says, and an Error for what is no regular file
 */
export function readRegularFile(path: string, bytesMax: number): Uint8Array {
  const file = openRegularFile(path);
  try {
    const bytes = Buffer.allocUnsafe(Math.min(fstatSync(file).size, bytesMax) + 1);
    return new Uint8Array(bytes.subarray(0, fill(file, bytes)));
  } finally {
    closeSync(file);
  }
}

/** The system may return less than was asked for. */
function fill(file: number, bytes: Uint8Array): number {
  let filled = 0;
  while (filled < bytes.length) {
    const count = readSync(file, bytes, filled, bytes.length - filled, filled);
    if (count === 0) break;
    filled += count;
  }
  return filled;
}
