/**
 * The arithmetic of proposer rotation, in int64 as CometBFT does it: sums are clipped at the ends of the range, not
 * wrapped. An array holds one priority per validator, in the order of the set.
 */
import { INT64_MAX } from "../../base/types/limits.js";

const INT64_MIN = -INT64_MAX - 1n;
/** Priorities may lie apart by at most this many times the total power. */
const WINDOW_FACTOR = 2n;

export function clipInt64(value: bigint): bigint {
  return value > INT64_MAX ? INT64_MAX : value < INT64_MIN ? INT64_MIN : value;
}

/** Brings priorities back into the window and their average to zero. The array is not empty, the power positive. */
export function normalizePriorities(priorities: bigint[], totalPower: bigint): void {
  rescale(priorities, WINDOW_FACTOR * totalPower);
  const average = floorDiv(sum(priorities), BigInt(priorities.length));
  for (const [index, priority] of priorities.entries()) priorities[index] = clipInt64(priority - average);
}

/** Divides all by one integer when they lie apart by more than `window`; quotients are cut towards zero. */
function rescale(priorities: bigint[], window: bigint): void {
  let least = priorities[0] as bigint;
  let greatest = least;
  for (const priority of priorities) {
    if (priority < least) least = priority;
    if (priority > greatest) greatest = priority;
  }
  // The source computes in int64 without a check here, so an absurd distance wraps; its results are consensus.
  const distance = wrap(greatest - least);
  const size = distance < 0n ? wrap(-distance) : distance;
  if (size <= window) return;
  const ratio = wrap(size + window - 1n) / window;
  for (const [index, priority] of priorities.entries()) priorities[index] = priority / ratio;
}

const wrap = (value: bigint): bigint => BigInt.asIntN(64, value);

function sum(values: readonly bigint[]): bigint {
  let total = 0n;
  for (const value of values) total += value;
  return total;
}

function floorDiv(value: bigint, by: bigint): bigint {
  const quotient = value / by;
  return value < 0n && quotient * by !== value ? quotient - 1n : quotient;
}
