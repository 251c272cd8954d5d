/** The largest file of one shape that is a handler: the longest function that is taken, as often as the file has room for it. */
import { checkHandler } from "../../../host/handler/check.js";
import { BODY_BYTES_MAX } from "../../../host/handler/limits.js";
import { HANDLER_BYTES_MAX } from "../../../host/limits.js";
import { type Body, moduleOf } from "./module-of.js";
import type { Shape } from "./shapes.js";

const COPIES_MAX = 4_096;

const isHandler = (bodies: readonly Body[]) => checkHandler(moduleOf(bodies)).findings.length === 0;

/** @param bytesMax of a function; the greatest that is allowed when left out */
export function largestHandler(shape: Shape, locals: number, bytesMax = BODY_BYTES_MAX): Uint8Array {
  const size = greatest(16, bytesMax, (bytes) => isHandler([shape(bytes, locals)]));
  const body = shape(size, locals);
  const room = Math.min(COPIES_MAX, Math.floor(HANDLER_BYTES_MAX / (body.code.length + 4)));
  const copies = greatest(1, room, (count) => isHandler(Array.from({ length: count }, () => body)));
  return moduleOf(Array.from({ length: copies }, () => body));
}

/** `low` holds; every number up to the answer does. */
function greatest(low: number, high: number, holds: (value: number) => boolean): number {
  let [good, bad] = [low, high + 1];
  while (bad - good > Math.max(1, good >> 8)) {
    const middle = (good + bad) >> 1;
    if (holds(middle)) good = middle;
    else bad = middle;
  }
  return good;
}
