/** Maps of handlers, beside them: a handler stays what its file is. */
import type { WasmHandler } from "../../handler/handler.js";
import { HandlerMap } from "./handler-map.js";

const maps = new WeakMap<WasmHandler, HandlerMap>();

/** From now on failures of this handler name its functions and lines. False, and nothing happens, for another build's map. */
export function useMap(handler: WasmHandler, text: string): boolean {
  const map = new HandlerMap(text);
  const isOfHandler = map.handler === handler.hash;
  if (isOfHandler) maps.set(handler, map);
  return isOfHandler;
}

export function mapOf(handler: WasmHandler): HandlerMap | undefined {
  return maps.get(handler);
}
