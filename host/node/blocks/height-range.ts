/** The heights that a search leaves open. */

import type { Height } from "../../base/types/types.js";
import { readHeightBound } from "../../chain/events/event-numbers.js";
import type { EventCondition } from "../../chain/events/event-query.js";
import type { HeightRange } from "../index/postings.js";

/** Undefined: no height fits. Heights are compared as numbers, whatever text they have: 4, 04 and 4.0 are one. */
export function narrowed({ low, high }: HeightRange, { operator, value }: EventCondition): HeightRange | undefined {
  if (operator === "EXISTS") return { low, high };
  const bound = readHeightBound(value);
  if (!bound) return undefined;
  const { floor, isWhole } = bound;
  if (operator === "=" && !isWhole) return undefined;
  // Above 3.5 is 4 and more, below it 3 and less, with or without the bound itself.
  const from = operator === "=" || (operator === ">=" && isWhole) ? floor : operator.startsWith(">") ? floor + 1n : low;
  const to = operator === "<" && isWhole ? floor - 1n : operator.startsWith("<") || operator === "=" ? floor : high;
  const range = { low: from > low ? from : low, high: to < high ? to : high };
  return range.low > range.high ? undefined : range;
}

export function* heights({ low, high }: HeightRange, isDescending: boolean): Generator<Height> {
  if (isDescending) for (let height = high; height >= low; height--) yield height;
  else for (let height = low; height <= high; height++) yield height;
}
