/**
 * The times that runs have. No later block's time is known; the first run has a moment after the last block's, the second
 * one a later moment at which nothing more has ended, so that equal app hashes show that the time has no part in them.
 */
import { compareTimes } from "../../time.js";
import type { Timestamp } from "../../types.js";

const NANOS = 1_000_000_000n;
const FIRST_NANOS = 1_000_000n;
/** An hour. */
const SECOND_NANOS = 3_600n * NANOS;

const nanosOf = ({ seconds, nanos }: Timestamp) => seconds * NANOS + BigInt(nanos);

function plus(time: Timestamp, more: bigint): Timestamp {
  const sum = nanosOf(time) + more;
  return { seconds: sum / NANOS, nanos: Number(sum % NANOS) };
}

/** Of the first run, where none is given. */
export function timeAfter(last: Timestamp): Timestamp {
  return plus(last, FIRST_NANOS);
}

/**
 * @param nextEnd when the next deposit or vote ends
 * @returns undefined: there is no moment between
 */
export function laterTime(first: Timestamp, nextEnd: Timestamp | undefined): Timestamp | undefined {
  const limit = nextEnd && compareTimes(nextEnd, first) > 0 ? (nanosOf(nextEnd) - nanosOf(first)) / 2n : SECOND_NANOS;
  const step = limit < SECOND_NANOS ? limit : SECOND_NANOS;
  return step > 0n ? plus(first, step) : undefined;
}
