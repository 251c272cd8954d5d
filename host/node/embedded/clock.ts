/** When blocks happen. The time of a block is the time at which the one before it was voted for, as in CometBFT. */
import { compareTimes } from "../../base/time/time.js";
import type { Timestamp } from "../../base/types/types.js";

export interface Clock {
  /** Time of the block after one of `time`; always later. */
  after(time: Timestamp): Timestamp;
  /** Milliseconds until it is `time`; undefined: this clock goes on with blocks alone, so there is nothing to wait for. */
  millisUntil(time: Timestamp): number | undefined;
}

const NANOS_PER_SECOND = 1_000_000_000n;
const NANOS_PER_MILLI = 1_000_000n;

/** A time so many nanoseconds later. */
export function plusNanos(time: Timestamp, nanos: bigint): Timestamp {
  const total = time.seconds * NANOS_PER_SECOND + BigInt(time.nanos) + nanos;
  const rest = ((total % NANOS_PER_SECOND) + NANOS_PER_SECOND) % NANOS_PER_SECOND;
  return { seconds: (total - rest) / NANOS_PER_SECOND, nanos: Number(rest) };
}

/**
 * The machine's clock, and at least a millisecond later than the block before.
 *
 * @example
 * const { seconds } = wallClock.after({ seconds: 0n, nanos: 0 });
 * console.log(seconds > 1_700_000_000n); // → true
 */
export const wallClock: Clock = {
  after(time) {
    const now = plusNanos({ seconds: 0n, nanos: 0 }, BigInt(Date.now()) * NANOS_PER_MILLI);
    const least = plusNanos(time, NANOS_PER_MILLI);
    return compareTimes(now, least) > 0 ? now : least;
  },
  millisUntil({ seconds, nanos }) {
    const millis = Number(seconds) * 1_000 + Math.ceil(nanos / Number(NANOS_PER_MILLI));
    return Math.max(0, millis - Date.now());
  },
};

/**
 * A clock that counts blocks, each `blockNanos` nanoseconds after the one before: the same input gives the same times, and so
 * the same hashes.
 *
 * @example
 * console.log(logicalClock(5_000_000_000n).after({ seconds: 10n, nanos: 0 })); // → { seconds: 15n, nanos: 0 }
 */
export function logicalClock(blockNanos: bigint): Clock {
  return { after: (time) => plusNanos(time, blockNanos), millisUntil: () => undefined };
}
