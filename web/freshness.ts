/** How old what was verified is, by the reader's own clock. */
import type { Checked } from "./messages.js";

/**
 * `new`: the newest header is of the last minutes. `old`: the claims hold as of an earlier time. `expired`: the validators who
 * signed could only be held to account at a time that the file itself names, so nothing counts as proven.
 */
export type Freshness = "new" | "old" | "expired";

/** A chain without a block for as long has halted, or its newest blocks are held back. */
const NEW_MILLIS = 600_000;

export function freshnessOf({ time, isExpired }: Pick<Checked, "time" | "isExpired">, now: number): Freshness {
  if (isExpired) return "expired";
  return now - time > NEW_MILLIS ? "old" : "new";
}
