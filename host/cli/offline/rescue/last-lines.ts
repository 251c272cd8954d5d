/** The end of a log, however large it is. */
import { closeSync, fstatSync, readSync } from "node:fs";
import { isUpgradeError, UpgradeError } from "../../../base/errors/errors.js";
import { diskFailure } from "../../../base/files/disk-errors.js";
import { openRegularFile } from "../../../base/files/open-file.js";
import { decodeLossy } from "../../../base/text/text.js";

const LINES_MAX = 2_000;
const BYTES_MAX = 1_048_576;

/** @throws UpgradeError UPG_INVALID_ARGUMENT: it is compressed; UPG_STORE_IO */
export function lastLines(path: string): string {
  try {
    const file = openRegularFile(path);
    try {
      const { size } = fstatSync(file);
      requireText(file, path);
      const bytes = new Uint8Array(Math.min(size, BYTES_MAX));
      const read = readSync(file, bytes, 0, bytes.length, size - bytes.length);
      const lines = decodeLossy(bytes.subarray(0, read)).split("\n");
      // The first one has lost its beginning.
      return (size > BYTES_MAX ? lines.slice(1) : lines).slice(-LINES_MAX).join("\n");
    } finally {
      closeSync(file);
    }
  } catch (cause) {
    if (isUpgradeError(cause)) throw cause;
    throw diskFailure("read", `cannot read ${path}`, path, cause);
  }
}

/** A log that was rotated is compressed: its bytes would say nothing, and hide secrets from what looks for them. */
function requireText(file: number, path: string): void {
  const magic = new Uint8Array(4);
  const read = readSync(file, magic, 0, magic.length, 0);
  const name = COMPRESSED.find(({ bytes }) => read >= bytes.length && bytes.every((byte, at) => magic[at] === byte));
  if (!name) return;
  throw new UpgradeError("UPG_INVALID_ARGUMENT", `${path} is compressed (${name.name}): unpack it, and name that file`);
}

const COMPRESSED = [
  { name: "gzip", bytes: [0x1f, 0x8b] },
  { name: "zstd", bytes: [0x28, 0xb5, 0x2f, 0xfd] },
  { name: "xz", bytes: [0xfd, 0x37, 0x7a, 0x58] },
  { name: "bzip2", bytes: [0x42, 0x5a, 0x68] },
] as const;
