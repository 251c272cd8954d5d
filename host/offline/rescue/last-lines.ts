/** The end of a log, however large it is. */
import { closeSync, fstatSync, readSync } from "node:fs";
import { openRegularFile } from "../../store/disk/lmdb-access.js";
import { diskFailure } from "../../store/disk/lmdb-errors.js";
import { decodeLossy } from "../../text.js";

const LINES_MAX = 2_000;
const BYTES_MAX = 1_048_576;

/** @throws UpgradeError UPG_STORE_IO */
export function lastLines(path: string): string {
  try {
    const file = openRegularFile(path);
    try {
      const { size } = fstatSync(file);
      const bytes = new Uint8Array(Math.min(size, BYTES_MAX));
      const read = readSync(file, bytes, 0, bytes.length, size - bytes.length);
      const lines = decodeLossy(bytes.subarray(0, read)).split("\n");
      // The first one has lost its beginning.
      return (size > BYTES_MAX ? lines.slice(1) : lines).slice(-LINES_MAX).join("\n");
    } finally {
      closeSync(file);
    }
  } catch (cause) {
    throw diskFailure("read", `cannot read ${path}`, path, cause);
  }
}
