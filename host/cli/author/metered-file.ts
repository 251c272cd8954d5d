/** The metered module inside a handler's file (docs/abi.md): put in by `handler build` and `handler meter`. */

import { isUpgradeError, UpgradeError } from "../../base/errors/errors.js";
import { sha256 } from "../../base/native/sha256.js";
import { type Examination, examineHandler } from "../../upgrade/handler/check/check.js";
import { loadHandler, type WasmHandler } from "../../upgrade/handler/handler.js";
import { withMetered } from "../../upgrade/handler/metered-section.js";
import { writeOutFile } from "./out-file.js";
import { readWasmFile } from "./wasm-file.js";

export interface MeteredBuild {
  readonly handler: WasmHandler;
  /** Bytes of the metered module; null: there is no room for it, and the handler is as it was. */
  readonly metered: number | null;
  readonly warnings: readonly string[];
}

export function putMetered(handler: WasmHandler): MeteredBuild {
  try {
    const bytes = withMetered(handler.bytes);
    return { handler: loadHandler(bytes, { sha256 }), metered: meteredBytes(bytes), warnings: [] };
  } catch (error) {
    if (!isUpgradeError(error) || error.code !== "UPG_HANDLER_LIMIT") throw error;
    return { handler, metered: null, warnings: [`it has no metered module: ${error.template}`] };
  }
}

export function meteredText(metered: number | null): string {
  return metered === null
    ? "no: hosts make it themselves with check.wasm"
    : `${metered} bytes of these, for hosts that cannot make it`;
}

export interface MeteredFile {
  readonly file: string;
  readonly name: string;
  readonly sha256: string;
  readonly size: number;
  /** Bytes of the metered module. */
  readonly metered: number;
}

/** @throws UpgradeError UPG_INVALID_ARGUMENT, UPG_STORE_IO, UPG_HANDLER_*; nothing is written then */
export function meterFile(file: string, out: string): MeteredFile {
  const { bytes } = readWasmFile(file);
  const handler = loadHandler(meteredOf(file, bytes), { sha256 });
  writeOutFile(out, handler.bytes);
  const { manifest, hash } = handler;
  const metered = meteredBytes(handler.bytes) ?? 0;
  return { file: out, name: manifest.name, sha256: hash, size: handler.bytes.length, metered };
}

function meteredOf(file: string, bytes: Uint8Array): Uint8Array {
  try {
    return withMetered(bytes);
  } catch (cause) {
    if (!isUpgradeError(cause)) throw cause;
    throw new UpgradeError(cause.code, `${file}: ${cause.template}`, { cause, details: cause.details });
  }
}

/** Bytes of the metered module that a file carries; null: none, or one that is refused. */
export function carriedBytes({ facts, metered }: Pick<Examination, "facts" | "metered">): number | null {
  return facts?.carriesMetered && metered ? metered.length : null;
}

const meteredBytes = (file: Uint8Array) => carriedBytes(examineHandler(file));
