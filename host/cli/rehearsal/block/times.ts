/**
 * The times that runs have: no later block's time is known. A Wasm handler reads the time from bytes, and its gas, which is in the
 * receipt and so in the app hash, counts how many there are: nanoseconds have up to five, seconds always as many. So each
 * run has another length of nanoseconds, the likely ones first, and with it comes the app hash for each.
 */
import { compareTimes } from "../../../base/time/time.js";
import type { Timestamp } from "../../../base/types/types.js";

/** Times whose nanoseconds take as many bytes on the wire. */
export interface NanosRange {
  readonly from: number;
  readonly to: number;
}

/** Of 5, 4, 0, 3, 2 bytes and 1: by how likely they are where clocks count nanoseconds, or milliseconds. */
const RANGES: readonly NanosRange[] = [
  { from: 268_435_456, to: 999_999_999 },
  { from: 2_097_152, to: 268_435_455 },
  { from: 0, to: 0 },
  { from: 16_384, to: 2_097_151 },
  { from: 128, to: 16_383 },
  { from: 1, to: 127 },
];
const WHOLE_SECONDS = 2;

export function nanosRange({ nanos }: Timestamp): NanosRange {
  return RANGES.find(({ from, to }) => nanos >= from && nanos <= to) ?? { from: 0, to: 0 };
}

/**
 * One time of each range, within two seconds after the last block's and, where that is possible, before anything more ends.
 *
 * @param given the time of the first run; undefined: one as the chain's clock has them
 * @param nextEnd when the next deposit or vote ends
 */
export function timesToTry(last: Timestamp, given: Timestamp | undefined, nextEnd: Timestamp | undefined): Timestamp[] {
  const base = given ?? last;
  const times = RANGES.map(({ from, to }) => ({ seconds: base.seconds + 1n, nanos: Math.floor((from + to) / 2) }));
  // A chain whose blocks come at whole seconds goes on so.
  if (!given && last.nanos === 0) times.unshift(...times.splice(WHOLE_SECONDS, 1));
  const own = given && nanosRange(given);
  const others = own ? times.filter((time) => nanosRange(time).from !== own.from) : times;
  const bound = nextEnd && compareTimes(nextEnd, given ?? last) > 0 ? nextEnd : undefined;
  const open = others.filter((time) => !bound || compareTimes(time, bound) < 0);
  if (given) return [given, ...open];
  // Something ends before the next second is over: the block is made when it has.
  return open.length > 0 ? open : others;
}
