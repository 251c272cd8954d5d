/** Files that others put into a folder of the node: one may be a pipe, a device or huge, and reading it must end all the same. */
import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";

/** Without it opening a pipe waits until somebody writes into it. Windows has neither. */
const O_NONBLOCK = constants.O_NONBLOCK ?? 0;

/**
 * The bytes of a regular file; of one that is larger only the first `bytesMax` and one more, so that it shows.
 * @throws what the system says, and an Error for what is no regular file
 */
export function readRegularFile(path: string, bytesMax: number): Uint8Array {
  const file = openSync(path, constants.O_RDONLY | O_NONBLOCK);
  try {
    const stat = fstatSync(file);
    if (!stat.isFile()) throw new Error("it is no regular file");
    const bytes = Buffer.allocUnsafe(Math.min(stat.size, bytesMax) + 1);
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
