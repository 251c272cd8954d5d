/** Handlers on disk: every `.wasm` in a folder, each with its manifest. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { isUpgradeError, UpgradeError } from "../errors.js";
import { loadHandler, type WasmHandler } from "../handler/handler.js";
import type { Sha256 } from "../types.js";

/**
 * Loads all handlers of each folder, by file name; no folder is no handlers.
 * @throws UpgradeError UPG_HANDLER_* naming the file that is no valid handler, or the two that serve one plan
 */
export function loadHandlersFolders(folders: readonly string[], sha256: Sha256): WasmHandler[][] {
  const owners = new Map<string, string>();
  const load = (file: string): WasmHandler => {
    const handler = loadHandlerFile(file, sha256);
    const { name } = handler.manifest;
    const other = owners.get(name);
    if (other) {
      const message = `${other} and ${file} both serve the plan "${name}"`;
      throw new UpgradeError("UPG_HANDLER_DUPLICATE", message, { details: { file, other } });
    }
    owners.set(name, file);
    return handler;
  };
  return folders.map((folder) => listWasm(folder).map((name) => load(join(folder, name))));
}

/** @throws UpgradeError UPG_HANDLER_*, UPG_STORE_IO */
export function loadHandlerFile(path: string, sha256: Sha256): WasmHandler {
  let bytes: Uint8Array;
  try {
    bytes = readFileSync(path);
  } catch (cause) {
    const message = cause instanceof Error ? cause.message : String(cause);
    throw new UpgradeError("UPG_STORE_IO", `cannot read the handler ${path}: ${message}`, { cause });
  }
  try {
    return loadHandler(bytes, { sha256, file: path });
  } catch (cause) {
    if (!isUpgradeError(cause)) throw cause;
    throw new UpgradeError(cause.code, `${path}: ${cause.message}`, {
      cause,
      details: { ...cause.details, file: path },
    });
  }
}

function listWasm(folder: string): string[] {
  try {
    return readdirSync(folder)
      .filter((name) => name.endsWith(".wasm"))
      .sort();
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === "ENOENT") return [];
    const message = cause instanceof Error ? cause.message : String(cause);
    throw new UpgradeError("UPG_STORE_IO", `cannot read the handlers folder ${folder}: ${message}`, { cause });
  }
}
