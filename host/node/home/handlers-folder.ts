/** Handlers on disk: every `.wasm` in a folder, each with its manifest. */
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { isUpgradeError, messageOf, UpgradeError } from "../../base/errors/errors.js";
import { readRegularFile } from "../../base/files/open-file.js";
import { HANDLER_BYTES_MAX } from "../../base/types/limits.js";
import type { Sha256 } from "../../base/types/types.js";
import { loadHandler, type WasmHandler } from "../../upgrade/handler/handler.js";
import { duplicate } from "../../upgrade/module/handler-set.js";

export interface HandlerFile {
  readonly file: string;
  readonly handler: WasmHandler;
}

/**
 * Loads all handlers of each folder; no folder is no handlers. What their files are called means nothing.
 * @throws UpgradeError UPG_HANDLER_* naming the file that is no valid handler, or the two that serve one plan
 */
export function loadHandlersFolders(folders: readonly string[], sha256: Sha256): HandlerFile[][] {
  const owners = new Map<string, HandlerFile>();
  const load = (file: string): HandlerFile => {
    const handler = loadHandlerFile(file, sha256);
    const { name } = handler.manifest;
    const other = owners.get(name);
    if (other) throw duplicate(name, [other.handler, handler]);
    owners.set(name, { file, handler });
    return { file, handler };
  };
  return folders.map((folder) => listWasm(folder).map((name) => load(join(folder, name))));
}

/** @throws UpgradeError UPG_HANDLER_*, UPG_STORE_IO */
export function loadHandlerFile(path: string, sha256: Sha256): WasmHandler {
  let bytes: Uint8Array;
  try {
    bytes = readRegularFile(path, HANDLER_BYTES_MAX);
  } catch (cause) {
    const message = messageOf(cause);
    throw new UpgradeError("UPG_STORE_IO", `cannot read the handler ${path}: ${message}`, { cause });
  }
  try {
    return loadHandler(bytes, { sha256, file: path });
  } catch (cause) {
    if (!isUpgradeError(cause)) throw cause;
    throw new UpgradeError(cause.code, `${path}: ${cause.template}`, {
      cause,
      details: { ...cause.details, file: path },
    });
  }
}

/** Names of the `.wasm` files of a folder, sorted; none when there is no such folder. @throws UpgradeError UPG_STORE_IO */
export function listWasm(folder: string): string[] {
  try {
    return readdirSync(folder)
      .filter((name) => name.endsWith(".wasm"))
      .sort();
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === "ENOENT") return [];
    const message = messageOf(cause);
    throw new UpgradeError("UPG_STORE_IO", `cannot read the handlers folder ${folder}: ${message}`, { cause });
  }
}
