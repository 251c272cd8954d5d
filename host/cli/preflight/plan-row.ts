/** The plan, and how much time is left until its height, by the times of the blocks that the home has committed. */

import { durationText } from "../../base/time/time.js";
import type { Height, Plan, Timestamp } from "../../base/types/types.js";
import { blockTimesOf, estimate, type Moment, windowsOf } from "../../chain/app/pace.js";
import type { Database } from "../../state/store/disk/database.js";
import { readCommit } from "../../state/store/versions/commit-record.js";
import type { Row } from "./row.js";

const NANOS = 1_000_000_000n;
const MILLI_NANOS = 1_000_000n;

/** @param last height of the last commit */
export function planRow(database: Database, { name, height }: Plan, last: Height): Row {
  const head = `"${name}" at height ${height}`;
  if (height <= last + 1n) return { check: "plan", state: "ok", words: `${head}, which is the next block` };
  const left = timeLeft(database, height, last);
  const blocks = `${height - last} blocks after ${last}`;
  return { check: "plan", state: "ok", words: `${head}, ${blocks}${left === undefined ? "" : `: in ${left}`}` };
}

function timeLeft(database: Database, height: Height, last: Height): string | undefined {
  const now = momentOf(database, last);
  if (!now) return undefined;
  const from = windowsOf(last, 0n).flatMap((window) => momentOf(database, last - window) ?? []);
  const found = estimate(blockTimesOf(now, from), height, BigInt(Date.now()) * MILLI_NANOS);
  if (found?.leftNanos === undefined) return undefined;
  const [left, about] = [found.leftNanos, found.plusMinusNanos ?? 0n].map((nanos) => durationText(whole(nanos)));
  const silence =
    found.staleNanos === undefined ? "" : `, though no block was made for ${durationText(whole(found.staleNanos))}`;
  return `${left} ±${about}${silence}`;
}

const whole = (nanos: bigint) => (nanos / NANOS) * NANOS;

/** Undefined: that version is not kept, or an older program wrote its record. */
function momentOf(database: Database, height: Height): Moment | undefined {
  const time = readCommit(database, Number(height))?.time;
  return time && { height, nanos: nanosOf(time) };
}

const nanosOf = ({ seconds, nanos }: Timestamp) => seconds * NANOS + BigInt(nanos);
