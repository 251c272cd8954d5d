/** Handler files on disk: read with a bound, whatever they are. */

import { createHash } from "node:crypto";
import { closeSync, fstatSync, openSync, readSync, statSync } from "node:fs";
import { isUpgradeError, messageOf, UpgradeError } from "../../base/errors/errors.js";
import { sha256 } from "../../base/native/sha256.js";
import { toHex } from "../../base/text/bytes.js";
import { HANDLER_BYTES_MAX } from "../../base/types/limits.js";
import { loadHandler, type WasmHandler } from "../../upgrade/handler/handler.js";

export interface WasmFile {
  /** At most one byte more than a handler may have: enough to see that it is too long. */
  readonly bytes: Uint8Array;
  /** Of the whole file. */
  readonly sha256: string;
  /** Bytes of the whole file. */
  readonly size: number;
}

const CHUNK_BYTES = 1_048_576;

/**
 * @throws UpgradeError UPG_INVALID_ARGUMENT when it is absent, UPG_STORE_IO when it cannot be read, or is no ordinary
 * file (a pipe could wait for ever)
 */
export function readWasmFile(path: string): WasmFile {
  let file: number | undefined;
  try {
    // Looked at first: to open a pipe that nobody writes to would hold us here.
    requireOrdinary(statSync(path).isFile());
    file = openSync(path, "r");
    requireOrdinary(fstatSync(file).isFile());
    return readWhole(file);
  } catch (cause) {
    if (cause instanceof Error && "code" in cause && cause.code === "ENOENT") {
      throw new UpgradeError("UPG_INVALID_ARGUMENT", `there is no file ${path}`, { cause });
    }
    const message = messageOf(cause);
    throw new UpgradeError("UPG_STORE_IO", `cannot read ${path}: ${message}`, { cause });
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

function requireOrdinary(isFile: boolean): void {
  if (!isFile) throw new Error("not an ordinary file");
}

function readWhole(file: number): WasmFile {
  const hash = createHash("sha256");
  const kept: Uint8Array[] = [];
  let size = 0;
  for (;;) {
    const chunk = new Uint8Array(CHUNK_BYTES);
    const count = readSync(file, chunk);
    if (count === 0) break;
    const read = chunk.subarray(0, count);
    hash.update(read);
    if (size <= HANDLER_BYTES_MAX) kept.push(read);
    size += count;
  }
  const bytes = new Uint8Array(Buffer.concat(kept).subarray(0, HANDLER_BYTES_MAX + 1));
  return { bytes, sha256: toHex(hash.digest()), size };
}

/** A handler that is ready to run. @throws UpgradeError UPG_INVALID_ARGUMENT, UPG_STORE_IO, UPG_HANDLER_* */
export function openHandlerFile(path: string): WasmHandler {
  const { bytes } = readWasmFile(path);
  try {
    return loadHandler(bytes, { sha256 });
  } catch (cause) {
    if (!isUpgradeError(cause)) throw cause;
    throw new UpgradeError(cause.code, `${path}: ${cause.template}`, { cause, details: cause.details });
  }
}
