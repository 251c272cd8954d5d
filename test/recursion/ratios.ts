/** How much more stack a recursion takes before V8 has optimized it. */
import { freshShapes, SHAPES, type Shape, warmed } from "./shapes.js";

/** The greatest depth at which nothing is caught, to 1 in 100. */
function depthOf(shape: () => Shape): number {
  const isFine = (n: number) => shape()(n) !== "caught";
  let [low, high] = [1, 64];
  for (; isFine(high); high *= 2) low = high;
  while (high - low > low / 100 + 1) {
    const middle = Math.floor((low + high) / 2);
    if (isFine(middle)) low = middle;
    else high = middle;
  }
  return low;
}

/** Of each shape: how many times as deep it goes once it is optimized. */
export async function frameRatios(): Promise<ReadonlyMap<string, number>> {
  const shapes = await warmed();
  return new Map(
    SHAPES.map((name) => {
      const of = (all: typeof shapes) => all[name] ?? String;
      const cold = depthOf(() => of(freshShapes()));
      return [name, depthOf(() => of(shapes)) / cold];
    }),
  );
}
