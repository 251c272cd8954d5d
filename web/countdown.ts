/** When a height will be reached, reckoned as the command line and the metrics do it: host/chain/app/pace.ts. */
import { lastOf } from "../host/base/text/checked-index.js";
import { type Estimate, estimate } from "../host/chain/app/pace.js";
import { count, counted } from "./number-text.js";

/** What `blocks` blocks took, a block. */
export interface BlockTime {
  readonly blocks: bigint;
  readonly seconds: number;
}

export interface ReckoningFacts {
  readonly height: bigint;
  /** Time of that block, milliseconds since 1970: by the chain's clock. */
  readonly time: number;
  readonly target: bigint;
  readonly blockTimes: readonly BlockTime[];
  /** The reader's clock, milliseconds since 1970: only to notice that no block is made. */
  readonly now: number;
}

/** Seconds, and milliseconds since 1970. */
export interface Reckoning {
  readonly at: number;
  readonly plusMinus: number;
  readonly blockSeconds: number;
  readonly blocksLeft: bigint;
  /** No block was made for so long that the chain seems to have stopped. */
  readonly silent: number | undefined;
}

const MILLI_NANOS = 1_000_000;
const NANOS = 1_000_000_000;

/** Undefined: the height is reached, or there are too few blocks. */
export function reckon({ height, time, target, blockTimes, now }: ReckoningFacts): Reckoning | undefined {
  const last = { height, nanos: nanosOf(time) };
  const known = blockTimes.filter(({ seconds }) => Number.isFinite(seconds) && seconds > 0);
  const means = known.map(({ seconds }) => BigInt(Math.round(seconds * NANOS))).sort((a, b) => (a < b ? -1 : 1));
  const counts = known.map((each) => each.blocks).sort((a, b) => (a < b ? -1 : 1));
  const blocks = lastOf(counts) ?? 0n;
  return inSeconds(estimate({ last, means, blocks }, target, nanosOf(now)));
}

function inSeconds(found: Estimate | undefined): Reckoning | undefined {
  const { at, plusMinusNanos, blockNanos, blocksLeft, staleNanos } = found ?? {};
  if (at === undefined || blockNanos === undefined || blocksLeft === undefined) return undefined;
  return {
    at: Number(at) / MILLI_NANOS,
    plusMinus: Number(plusMinusNanos ?? 0n) / NANOS,
    blockSeconds: Number(blockNanos) / NANOS,
    blocksLeft,
    silent: staleNanos === undefined ? undefined : Number(staleNanos) / NANOS,
  };
}

const nanosOf = (millis: number) => BigInt(Math.round(millis)) * BigInt(MILLI_NANOS);

/** `41 blocks to go, at 5.02 s a block (5.00 s over the last 20, 5.02 s over the last 100). …` */
export function reckonedBy({ blocksLeft, blockSeconds }: Reckoning, blockTimes: readonly BlockTime[]): string {
  const each = (seconds: number) => `${seconds.toFixed(2)} s`;
  const windows = blockTimes.map(({ blocks, seconds }) => `${each(seconds)} over the last ${count(blocks)}`).join(", ");
  const way = `${counted(blocksLeft, "block")} to go, at ${each(blockSeconds)} a block (${windows}).`;
  return blockTimes.length === 1 ? way : `${way} The middle one counts; the ± is how far the others are from it.`;
}
