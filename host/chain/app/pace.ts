/**
 * How fast a chain makes blocks, and when it reaches a height: the time of the last block and, for each block that is
 * missing, the mean time between blocks. Means are taken over several windows; their median counts, so that a halt inside
 * one of them does not, and their spread is the ±. The one computation that the command line and the metrics use.
 */
import type { Height } from "../../base/types/types.js";

const WINDOWS = [20n, 100n, 1_000n, 10_000n] as const;
const NANOS = 1_000_000_000n;
/** A chain is late when its last block is older than so many block times, and this at least. */
const STALE_BLOCKS = 10n;
const STALE_NANOS_MIN = 30n * NANOS;

export interface Moment {
  readonly height: Height;
  /** Nanoseconds since 1970. */
  readonly nanos: bigint;
}

export interface BlockTimes {
  readonly last: Moment;
  /** Means over the windows, nanoseconds, ascending; empty when there are too few blocks. */
  readonly means: readonly bigint[];
  /** Blocks of the longest window; 0n when there are too few. */
  readonly blocks: bigint;
}

export interface Estimate {
  readonly lastHeight: Height;
  readonly blocksLeft: bigint;
  /** Blocks that the pace was measured over; 0n when there are too few. */
  readonly paceBlocks: bigint;
  /** The rest is missing when there are too few blocks. */
  readonly blockNanos?: bigint;
  readonly leftNanos?: bigint;
  readonly plusMinusNanos?: bigint;
  /** Nanoseconds since 1970. */
  readonly at?: bigint;
  /** How long no block was made, when that is too long. */
  readonly staleNanos?: bigint;
}

/**
 * Lengths of the windows that end with the last block. The earliest block is in none: the first one of a chain carries the
 * genesis time, which says nothing about blocks. A chain that is younger than the shortest window has one of all it has.
 */
export function windowsOf(last: Height, earliest: Height): bigint[] {
  const most = last - earliest - 1n;
  const fitting = WINDOWS.filter((window) => window <= most);
  return fitting.length > 0 || most < 1n ? fitting : [most];
}

/** @param from the moments at which the windows of `windowsOf` begin, in their order */
export function blockTimesOf(last: Moment, from: readonly Moment[]): BlockTimes {
  const means = from.map(({ height, nanos }) => (last.nanos - nanos) / (last.height - height));
  const blocks = from.reduce((most, { height }) => max(most, last.height - height), 0n);
  return { last, means: means.sort((a, b) => (a < b ? -1 : 1)), blocks };
}

/** The pace that counts; undefined when there is none. */
export function paceOf({ means }: Pick<BlockTimes, "means">): bigint | undefined {
  const median = means[(means.length - 1) >> 1];
  return median !== undefined && median > 0n ? median : undefined;
}

/** Is the pace that of a few blocks, so that it may be far off? */
export function isShort(blocks: bigint): boolean {
  return blocks < WINDOWS[0];
}

/** Undefined for a height that is reached. */
export function estimate(times: BlockTimes, height: Height, now: bigint): Estimate | undefined {
  const { last, means, blocks } = times;
  const blocksLeft = height - last.height;
  if (blocksLeft <= 0n) return undefined;
  const blockNanos = paceOf(times);
  const base = { lastHeight: last.height, blocksLeft, paceBlocks: blocks };
  if (blockNanos === undefined) return base;
  const spread = means.reduce((most, mean) => max(most, mean > blockNanos ? mean - blockNanos : blockNanos - mean), 0n);
  const silence = now - last.nanos;
  return {
    ...base,
    ...{ blockNanos, leftNanos: blocksLeft * blockNanos },
    plusMinusNanos: max(blocksLeft * spread, blockNanos),
    at: last.nanos + blocksLeft * blockNanos,
    ...(silence > max(STALE_BLOCKS * blockNanos, STALE_NANOS_MIN) ? { staleNanos: silence } : {}),
  };
}

const max = (a: bigint, b: bigint) => (a > b ? a : b);
