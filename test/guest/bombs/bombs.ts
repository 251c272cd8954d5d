/** Files that are as dear to compile as they may be: of one shape, and of some at random, in a function or one after the other. */

import { HANDLER_BYTES_MAX } from "../../../host/base/types/limits.js";
import { checkHandler } from "../../../host/upgrade/handler/check/check.js";
import { BODY_BYTES_MAX } from "../../../host/upgrade/wasm/limits.js";
import type { Random } from "../random/random.js";
import { type Body, moduleOf } from "./module-of.js";
import { SHAPES, type Shape } from "./shapes.js";

/** What any engine may take to compile and run whatever passes the checks: 256 MiB. */
export const MEMORY_BYTES_MAX = 256 * 1_048_576;

const LOCALS = [0, 8, 64, 254];
const SIZES = [1_000, 8_000, BODY_BYTES_MAX];
const COPIES_MAX = 4_096;
const DROP = 0x1a;

export interface Bomb {
  readonly name: string;
  readonly bytes: () => Uint8Array;
}

/** Each shape alone. */
export function plainBombs(): Bomb[] {
  return Object.entries(SHAPES).flatMap(([name, shape]) =>
    LOCALS.map((locals) => ({ name: `${name}, ${locals} locals`, bytes: () => largestHandler(shape, locals) })),
  );
}

export function randomBomb(random: Random): Bomb {
  const names = Array.from({ length: 2 + random.below(3) }, () => random.pick(Object.keys(SHAPES)));
  const shapes = names.map((name) => SHAPES[name] as Shape);
  if (random.below(2) === 0) {
    const [locals, size] = [random.pick(LOCALS), random.pick(SIZES)];
    return {
      name: `a function of ${names.join(" + ")}, ${locals} locals, ${size} bytes`,
      bytes: () => largestHandler(mixture(shapes), locals, size),
    };
  }
  const kinds = shapes.map((shape) => ({ shape, locals: random.pick(LOCALS), size: random.pick(SIZES) }));
  return {
    name: `functions: ${kinds.map(({ locals, size }, i) => `${names[i]} (${locals} locals, ${size} bytes)`).join(", ")}`,
    bytes: () => largestFile(kinds.map(({ shape, locals, size }) => largestBody(shape, locals, size))),
  };
}

/** The largest file of one shape that is a handler: the longest function that is taken, as often as the file has room for it. */
export function largestHandler(shape: Shape, locals: number, bytesMax = BODY_BYTES_MAX): Uint8Array {
  return largestFile([largestBody(shape, locals, bytesMax)]);
}

const isHandler = (bodies: readonly Body[]) => checkHandler(moduleOf(bodies)).findings.length === 0;

/** The longest function of one shape that is taken. */
export function largestBody(shape: Shape, locals: number, bytesMax = BODY_BYTES_MAX): Body {
  return shape(
    greatest(16, bytesMax, (bytes) => isHandler([shape(bytes, locals)])),
    locals,
  );
}

/** These functions by turns, as many as there is room for. */
function largestFile(bodies: readonly Body[]): Uint8Array {
  const bytes = bodies.reduce((sum, { code }) => sum + code.length + 4, 0);
  const room = Math.min(COPIES_MAX, Math.floor((HANDLER_BYTES_MAX / bytes) * bodies.length));
  const turns = (count: number) => Array.from({ length: count }, (_, i) => bodies[i % bodies.length] as Body);
  return moduleOf(turns(greatest(1, room, (count) => isHandler(turns(count)))));
}

/** Some shapes in one function, one after the other: each leaves an i32, which is dropped. */
function mixture(shapes: readonly Shape[]): Shape {
  return (bytes, locals) => {
    const parts = shapes.map((shape) => shape(bytes / shapes.length, locals).code);
    return { locals, code: Uint8Array.from(parts.flatMap((code, i) => [...(i > 0 ? [DROP] : []), ...code])) };
  };
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
