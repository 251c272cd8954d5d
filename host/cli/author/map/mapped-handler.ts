/** A handler's file, with the map of its build where that is beside it. */
import { existsSync } from "node:fs";
import { isUpgradeError, messageOf, UpgradeError } from "../../../base/errors/errors.js";
import type { WasmHandler } from "../../../upgrade/handler/handler.js";
import { useMap } from "../../../upgrade/test-kit/failure/maps.js";
import { readTextFile } from "../text-file.js";
import { openHandlerFile } from "../wasm-file.js";
import { mapFileOf } from "./make-map.js";

/** @throws UpgradeError UPG_INVALID_ARGUMENT (also: the map is none), UPG_STORE_IO, UPG_HANDLER_* */
export function openMappedHandler(path: string): WasmHandler {
  const handler = openHandlerFile(path);
  const map = mapFileOf(path);
  if (existsSync(map)) readMap(handler, map);
  return handler;
}

function readMap(handler: WasmHandler, path: string): void {
  try {
    useMap(handler, readTextFile(path));
  } catch (cause) {
    const code = isUpgradeError(cause) ? cause.code : "UPG_STORE_IO";
    throw new UpgradeError(code, `${path}: ${messageOf(cause)}`, { cause });
  }
}
