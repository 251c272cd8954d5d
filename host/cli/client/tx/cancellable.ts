/** Whether a vote to cancel can still end before the upgrade's height (specification 7.7). */

import { isUpgradeError } from "../../../base/errors/errors.js";
import type { Params } from "../../../base/gen/cosmos/gov/v1/gov_pb.js";
import { Query } from "../../../base/gen/cosmos/gov/v1/query_pb.js";
import { usage } from "../../../base/terminal/usage.js";
import { durationText } from "../../../base/time/time.js";
import type { Height } from "../../../base/types/types.js";
import { type BlockTimes, isShort, paceOf } from "../../../chain/app/pace.js";
import type { RpcClient } from "../../../node/remote/client.js";
import { Core } from "../../../upgrade/core/core.js";
import { ask } from "../../wallet/ask.js";
import { blockTimes, dateText, shortPaceText } from "../query/estimate.js";

const NANOS = 1_000_000_000n;
/** A chain of a few blocks does not show its pace yet. */
const BLOCK_NANOS_UNKNOWN = 1n * NANOS;

export interface CancellableFlags {
  readonly upgradeHeight: Height;
  /** Nanoseconds. */
  readonly safetyDelta: bigint;
  readonly requireCancellable?: boolean;
  readonly expedited?: boolean;
}

/**
 * Says it when the height is too near; with `--require-cancellable` that is an error. When the pace is not that of a good
 * many blocks, it says so whatever came out: nobody shall rely on it unknowingly.
 */
export async function checkCancellable(
  rpc: RpcClient,
  flags: CancellableFlags,
  say: (line: string) => void,
): Promise<void> {
  let facts: { params: Params | undefined; times: BlockTimes };
  try {
    const { params } = await ask(rpc, Query.method.params, {});
    facts = { params, times: await blockTimes(rpc) };
  } catch (error) {
    if (flags.requireCancellable || !isUpgradeError(error)) throw error;
    say(`warning: cannot compute whether the upgrade can still be cancelled: ${error.message}`);
    return;
  }
  const text = facts.params && tooNear(facts.params, facts.times, flags);
  const doubt = facts.params && paceDoubt(facts.times);
  if (doubt && !(text && flags.requireCancellable)) say(`warning: ${doubt}`);
  if (!text) return;
  if (flags.requireCancellable) throw usage(text);
  say(`warning: ${text}`);
}

/** What to think of the pace; undefined: it was measured over a good many blocks. */
function paceDoubt(times: BlockTimes): string | undefined {
  if (paceOf(times) === undefined) {
    return "the chain is too young to know its pace: 1 s a block is assumed to compute whether the upgrade can still be cancelled";
  }
  return isShort(times.blocks) ? shortPaceText(times.blocks) : undefined;
}

/** Undefined when there is time enough. */
export function tooNear(params: Params, times: BlockTimes, flags: CancellableFlags): string | undefined {
  const { last } = times;
  const blockNanos = paceOf(times) ?? BLOCK_NANOS_UNKNOWN;
  const period = (duration: { seconds: bigint; nanos: number } | undefined) =>
    (duration?.seconds ?? 0n) * NANOS + BigInt(duration?.nanos ?? 0);
  const voting = period(params.votingPeriod);
  const deposit = period(params.maxDepositPeriod);
  const height = new Core().cancellableHeight(last.height, voting, deposit, flags.safetyDelta, blockNanos);
  if (flags.upgradeHeight >= height) return undefined;
  const wait = 2n * (voting + deposit) + flags.safetyDelta;
  const doubt = paceDoubt(times);
  const guess = doubt ? ` (${doubt})` : "";
  return (
    `at height ${flags.upgradeHeight} a vote to cancel the upgrade may come too late: it needs height ${height} or later, ` +
    `${durationText(wait)} from now, ${dateText(last.nanos + wait, "UTC")}${guess}`
  );
}
