/** Trust that lasts: what was verified from a block of the reader's, kept in the browser for each chain and server. */
import { integer, members, text } from "./json.js";
import type { Checked } from "./messages.js";
import { count, day } from "./number-text.js";
import { readTrust, TRUSTING_DAYS, type TypedTrust } from "./trust.js";

const DAY_MILLIS = 86_400_000;

interface KeptBlock {
  readonly height: string;
  readonly hash: string;
  /** Milliseconds since 1970. */
  readonly time: number;
}

const keyOf = (chainId: string, rpc: string) => `chain-upgrade trust ${JSON.stringify([chainId, rpc])}`;

/** Where trust begins for a reader who returns, or why it cannot. */
interface KeptTrust {
  readonly trust?: TypedTrust;
  /** For the reader: the kept blocks are too old. */
  readonly notice?: string;
}

/**
 * Begins at the block that the reader entered, as long as it is within its trusting period, since an upgrade can only be run again
 * from a block before it; then at the newest that was verified from it.
 */
export function keptTrust(chainId: string, rpc: string, now: number): KeptTrust {
  let notice: string | undefined;
  try {
    const { first, last, days } = members(JSON.parse(localStorage.getItem(keyOf(chainId, rpc)) ?? "null"));
    const period = Number(integer(days) ?? TRUSTING_DAYS);
    for (const each of [first, last].map(members)) {
      const { height, hash, time } = each;
      if (typeof time !== "number" || time > now) continue;
      const trust = { ...readTrust(text(height) ?? "", text(hash) ?? "", "yours"), days: period };
      if (now < time + period * DAY_MILLIS) return { trust };
      notice = `This browser keeps block ${count(trust.height)} of ${day(time)} for this chain. It is older than its trusting period of ${period} days, so it is not used. Enter a newer block that you trust.`;
    }
  } catch {
    // A site may forbid storage to what it embeds, and what is stored may be of another version.
  }
  return notice === undefined ? {} : { notice };
}

/** Keeps what was verified from a block of the reader's. False: this browser keeps nothing here. */
export function keepTrust({ root, newest, time, chainId }: Checked, rpc: string, trust: TypedTrust): boolean {
  const key = keyOf(chainId, rpc);
  try {
    const before = members(JSON.parse(localStorage.getItem(key) ?? "null"));
    const isGoingOn = [before["first"], before["last"]].some((each) => text(members(each)["hash"]) === root.hash);
    const entered: KeptBlock = { height: String(root.height), hash: root.hash, time: root.time };
    const last: KeptBlock = { height: String(newest.height), hash: newest.hash, time };
    // The newest block of one server may be older than what was verified before.
    const isBehind = isGoingOn && Number(members(before["last"])["time"]) > time;
    const kept = {
      first: isGoingOn ? before["first"] : entered,
      last: isBehind ? before["last"] : last,
      days: trust.days ?? TRUSTING_DAYS,
    };
    localStorage.setItem(key, JSON.stringify(kept));
    return true;
  } catch {
    return false;
  }
}

export function forgetTrust(chainId: string, rpc: string): void {
  try {
    localStorage.removeItem(keyOf(chainId, rpc));
  } catch {
    // Nothing was kept.
  }
}
