/** When a height will be reached, asked of a node and printed: the computation is host/chain/app/pace.ts. */

import { durationText, parseTime } from "../../../base/time/time.js";
import {
  type BlockTimes,
  blockTimesOf,
  type Estimate,
  estimate,
  isShort,
  type Moment,
  windowsOf,
} from "../../../chain/app/pace.js";
import type { RpcClient } from "../../../node/remote/client.js";

const NANOS = 1_000_000_000n;
const MILLI_NANOS = 1_000_000n;

interface Status {
  readonly sync_info: {
    readonly latest_block_height: string;
    readonly latest_block_time: string;
    readonly earliest_block_height?: string;
  };
}

const nanosOf = (text: string) => {
  const { seconds, nanos } = parseTime(text);
  return seconds * NANOS + BigInt(nanos);
};

async function statusOf(rpc: RpcClient) {
  const { sync_info } = (await rpc.call("status")) as Status;
  return {
    last: { height: BigInt(sync_info.latest_block_height), nanos: nanosOf(sync_info.latest_block_time) },
    earliest: BigInt(sync_info.earliest_block_height ?? "1"),
  };
}

/** @throws UpgradeError UPG_REMOTE_* */
export async function lastHeightOf(rpc: RpcClient): Promise<bigint> {
  return (await statusOf(rpc)).last.height;
}

/** The last block and the mean times between blocks before it. @throws UpgradeError UPG_REMOTE_* */
export async function blockTimes(rpc: RpcClient): Promise<BlockTimes> {
  const { last, earliest } = await statusOf(rpc);
  const from: Moment[] = [];
  for (const window of windowsOf(last.height, earliest)) from.push(await momentOf(rpc, last.height - window));
  return blockTimesOf(last, from);
}

async function momentOf(rpc: RpcClient, height: bigint): Promise<Moment> {
  const answer = (await rpc.call("commit", { height: String(height) })) as {
    signed_header: { header: { time: string } };
  };
  return { height, nanos: nanosOf(answer.signed_header.header.time) };
}

/** Undefined for a height that is reached. */
export async function estimateAt(rpc: RpcClient, height: bigint): Promise<Estimate | undefined> {
  return estimate(await blockTimes(rpc), height, BigInt(Date.now()) * MILLI_NANOS);
}

/** Seconds with three places, as text. */
function secondsText(nanos: bigint): string {
  return `${nanos / NANOS}.${String((nanos % NANOS) / MILLI_NANOS).padStart(3, "0")}`;
}

const dateOf = (at: bigint) => new Date(Number(at / MILLI_NANOS));
const isDate = (at: bigint) => at / MILLI_NANOS < 8_640_000_000_000_000n;

export function estimateJson(found: Estimate) {
  const { lastHeight, blocksLeft, paceBlocks, blockNanos, leftNanos, plusMinusNanos, at, staleNanos } = found;
  return {
    last_height: String(lastHeight),
    blocks_left: String(blocksLeft),
    pace_blocks: String(paceBlocks),
    block_seconds: blockNanos === undefined ? null : secondsText(blockNanos),
    seconds_left: leftNanos === undefined ? null : secondsText(leftNanos),
    plus_minus_seconds: plusMinusNanos === undefined ? null : secondsText(plusMinusNanos),
    time: at === undefined || !isDate(at) ? null : dateOf(at).toISOString(),
    silent_seconds: staleNanos === undefined ? null : secondsText(staleNanos),
  };
}

/** YAML, after the plan's. */
export function estimateText(found: Estimate): string {
  const { lastHeight, blocksLeft, blockNanos, leftNanos, plusMinusNanos, at, staleNanos } = found;
  const lines = [`blocks: ${blocksLeft} after ${lastHeight}`];
  if (staleNanos !== undefined) lines.push(`note: the chain has made no block for ${durationText(staleNanos)}`);
  if (leftNanos === undefined || blockNanos === undefined || at === undefined) {
    lines.push("note: too few blocks to estimate the time");
  } else {
    const [left, about] = [wholeSeconds(leftNanos), wholeSeconds(plusMinusNanos ?? 0n)].map(durationText);
    lines.push(`in: ${left} ±${about}, at ${secondsText(blockNanos)} s a block`);
    if (isShort(found.paceBlocks)) lines.push(`note: ${shortPaceText(found.paceBlocks)}`);
    if (isDate(at)) lines.push(`utc: ${dateText(at, "UTC")}`, `local: ${dateText(at)}`);
  }
  return `left:\n${lines.map((line) => `  ${line}\n`).join("")}`;
}

/** What to think of a pace that was measured over few blocks. */
export function shortPaceText(blocks: bigint): string {
  return `the chain is young: this is the pace of its last ${blocks === 1n ? "block" : `${blocks} blocks`} alone`;
}

export function dateText(at: bigint, timeZone?: string): string {
  if (!isDate(at)) return "beyond all calendars";
  const form = { dateStyle: "full", timeStyle: "long", ...(timeZone ? { timeZone } : {}) } as const;
  return new Intl.DateTimeFormat("en-GB", form).format(dateOf(at));
}

/** An estimate is of seconds: a part of one counts as one, on either side of the ±. */
const wholeSeconds = (nanos: bigint) => (nanos > 0n && nanos < NANOS ? NANOS : nanos);
