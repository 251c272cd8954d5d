/**
 * When a height will be reached: the time of the last block and, for each block that is missing, the mean time between
 * blocks. Means are taken over several windows; their median counts, so that a halt inside one of them does not, and
 * their spread is the ±.
 */
import { parseTime } from "../../commitment/block/time.js";
import type { RpcClient } from "../client/rpc.js";

const WINDOWS = [20n, 100n, 1_000n, 10_000n] as const;
const NANOS = 1_000_000_000n;
const MILLI_NANOS = 1_000_000n;
/** A chain is late when its last block is older than so many block times, and this at least. */
const STALE_BLOCKS = 10n;
const STALE_NANOS_MIN = 30n * NANOS;

export interface Estimate {
  readonly lastHeight: bigint;
  readonly blocksLeft: bigint;
  /** The rest is missing when there are too few blocks to tell. */
  readonly blockNanos?: bigint;
  readonly leftNanos?: bigint;
  readonly plusMinusNanos?: bigint;
  /** Nanoseconds since 1970. */
  readonly at?: bigint;
  /** How long no block was made, when that is too long. */
  readonly staleNanos?: bigint;
}

interface Moment {
  readonly height: bigint;
  readonly nanos: bigint;
}

interface Status {
  readonly sync_info: {
    readonly latest_block_height: string;
    readonly latest_block_time: string;
    readonly earliest_block_height?: string;
  };
}

export interface BlockTimes {
  readonly last: Moment;
  /** Means over the windows, nanoseconds, ascending; empty when there are too few blocks. */
  readonly means: readonly bigint[];
}

const nanosOf = (text: string) => {
  const { seconds, nanos } = parseTime(text);
  return seconds * NANOS + BigInt(nanos);
};

/** The last block and the mean times between blocks before it. @throws UpgradeError UPG_REMOTE_* */
export async function blockTimes(rpc: RpcClient): Promise<BlockTimes> {
  const { sync_info } = (await rpc.call("status")) as Status;
  const last = { height: BigInt(sync_info.latest_block_height), nanos: nanosOf(sync_info.latest_block_time) };
  const earliest = BigInt(sync_info.earliest_block_height ?? "1");
  const means: bigint[] = [];
  for (const window of WINDOWS) {
    const height = last.height - window;
    // The first block carries the genesis time, which says nothing about blocks.
    if (height <= 1n || height < earliest) break;
    const from = await momentOf(rpc, height);
    means.push((last.nanos - from.nanos) / window);
  }
  return { last, means: means.sort((a, b) => (a < b ? -1 : 1)) };
}

async function momentOf(rpc: RpcClient, height: bigint): Promise<Moment> {
  const answer = (await rpc.call("commit", { height: String(height) })) as {
    signed_header: { header: { time: string } };
  };
  return { height, nanos: nanosOf(answer.signed_header.header.time) };
}

export function medianOf(means: readonly bigint[]): bigint | undefined {
  return means[(means.length - 1) >> 1];
}

/** Undefined for a height that is reached. */
export async function estimateAt(rpc: RpcClient, height: bigint): Promise<Estimate | undefined> {
  return estimate(await blockTimes(rpc), height, BigInt(Date.now()) * MILLI_NANOS);
}

export function estimate({ last, means }: BlockTimes, height: bigint, now: bigint): Estimate | undefined {
  const blocksLeft = height - last.height;
  if (blocksLeft <= 0n) return undefined;
  const blockNanos = medianOf(means);
  const base = { lastHeight: last.height, blocksLeft };
  if (blockNanos === undefined || blockNanos <= 0n) return base;
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

/** Seconds with three places, as text. */
function secondsText(nanos: bigint): string {
  return `${nanos / NANOS}.${String((nanos % NANOS) / MILLI_NANOS).padStart(3, "0")}`;
}

const dateOf = (at: bigint) => new Date(Number(at / MILLI_NANOS));
const isDate = (at: bigint) => at / MILLI_NANOS < 8_640_000_000_000_000n;

export function estimateJson(found: Estimate) {
  const { lastHeight, blocksLeft, blockNanos, leftNanos, plusMinusNanos, at, staleNanos } = found;
  return {
    last_height: String(lastHeight),
    blocks_left: String(blocksLeft),
    block_seconds: blockNanos === undefined ? null : secondsText(blockNanos),
    seconds_left: leftNanos === undefined ? null : secondsText(leftNanos),
    plus_minus_seconds: plusMinusNanos === undefined ? null : secondsText(plusMinusNanos),
    time: at === undefined || !isDate(at) ? null : dateOf(at).toISOString(),
    silent_seconds: staleNanos === undefined ? null : secondsText(staleNanos),
  };
}

/** YAML, behind the plan's. */
export function estimateText(found: Estimate): string {
  const { lastHeight, blocksLeft, blockNanos, leftNanos, plusMinusNanos, at, staleNanos } = found;
  const lines = [`blocks: ${blocksLeft} after ${lastHeight}`];
  if (staleNanos !== undefined) lines.push(`note: the chain has made no block for ${durationText(staleNanos)}`);
  if (leftNanos === undefined || blockNanos === undefined || at === undefined) {
    lines.push("note: too few blocks to tell the time");
  } else {
    lines.push(
      `in: ${durationText(leftNanos)} ±${durationText(plusMinusNanos ?? 0n)}, at ${secondsText(blockNanos)} s a block`,
    );
    if (isDate(at)) lines.push(`utc: ${dateText(at, "UTC")}`, `local: ${dateText(at)}`);
  }
  return `left:\n${lines.map((line) => `  ${line}\n`).join("")}`;
}

export function dateText(at: bigint, timeZone?: string): string {
  if (!isDate(at)) return "beyond all calendars";
  const form = { dateStyle: "full", timeStyle: "long", ...(timeZone ? { timeZone } : {}) } as const;
  return new Intl.DateTimeFormat("en-GB", form).format(dateOf(at));
}

const UNITS: readonly (readonly [name: string, nanos: bigint])[] = [
  ["d", 86_400n * NANOS],
  ["h", 3_600n * NANOS],
  ["min", 60n * NANOS],
  ["s", NANOS],
];

/** `3 d 4 h`, the two largest units. */
export function durationText(nanos: bigint): string {
  const first = UNITS.findIndex(([, unit]) => nanos >= unit);
  if (first < 0) return nanos === 0n ? "0 s" : "less than 1 s";
  let rest = nanos;
  const parts = UNITS.slice(first, first + 2).map(([name, unit]) => {
    const count = rest / unit;
    rest %= unit;
    return count === 0n ? "" : `${count} ${name}`;
  });
  return parts.filter(Boolean).join(" ");
}
