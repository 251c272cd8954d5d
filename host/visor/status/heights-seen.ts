/**
 * Heights and when they were seen: how fast the chain goes, and when it is at the plan's, by the computation of `query upgrade plan`
 * (host/chain/app/pace.ts). So it needs nothing of the node that a Cosmos SDK app does not have.
 */

import type { Height } from "../../base/types/types.js";
import { blockTimesOf, type Estimate, estimate, type Moment, windowsOf } from "../../chain/app/pace.js";

/** More than the longest window needs to find a moment near its beginning. */
const MOMENTS_MAX = 1_024;
const MILLI_NANOS = 1_000_000n;

export interface Eta {
  readonly seconds: number;
  readonly plusMinus: number;
  /** No block was seen for so long that the chain seems to have stopped. */
  readonly silentSeconds: number | undefined;
}

export class HeightsSeen {
  /** In ascending order of heights. */
  #moments: Moment[] = [];

  /** A height that is seen for the first time. @param wall milliseconds since 1970 */
  see(height: Height, wall: number): void {
    const last = this.#moments.at(-1);
    const nanos = BigInt(Math.round(wall)) * MILLI_NANOS;
    if (last && height === last.height) return;
    // Rolled back, or the clock was set back: what was seen before says nothing about the blocks from now on.
    if (last && (height < last.height || nanos <= last.nanos)) this.#moments = [];
    this.#moments.push({ height, nanos });
    if (this.#moments.length > MOMENTS_MAX) this.#thin();
  }

  /** Blocks from before the first that was seen, with their own times. */
  begin(before: readonly Moment[]): void {
    const [first] = this.#moments;
    const older = first ? before.filter(({ height, nanos }) => height < first.height && nanos < first.nanos) : before;
    this.#moments = [...older].sort((a, b) => (a.height < b.height ? -1 : 1)).concat(this.#moments);
  }

  /** Blocks between the first that was seen and the last. */
  get blocks(): bigint {
    const [first, last] = [this.#moments[0], this.#moments.at(-1)];
    return first && last ? last.height - first.height : 0n;
  }

  /** Undefined: too few were seen, or the height is reached. @param wall milliseconds since 1970 */
  eta(height: Height, wall: number): Eta | undefined {
    const now = BigInt(Math.round(wall)) * MILLI_NANOS;
    const found = this.#estimate(height, now);
    if (found?.at === undefined) return undefined;
    const { at, plusMinusNanos = 0n, staleNanos } = found;
    return {
      seconds: seconds(at > now ? at - now : 0n),
      plusMinus: seconds(plusMinusNanos),
      silentSeconds: staleNanos === undefined ? undefined : seconds(staleNanos),
    };
  }

  #estimate(height: Height, now: bigint): Estimate | undefined {
    const [first, last] = [this.#moments[0], this.#moments.at(-1)];
    if (!first || !last) return undefined;
    const from = windowsOf(last.height, first.height - 1n).map((window) => this.#near(last.height - window));
    return estimate(blockTimesOf(last, [...new Set(from)]), height, now);
  }

  /** The moment before the last one whose height is the nearest. */
  #near(height: Height): Moment {
    const distance = (moment: Moment) => (moment.height > height ? moment.height - height : height - moment.height);
    return this.#moments.slice(0, -1).reduce((best, each) => (distance(each) < distance(best) ? each : best));
  }

  /** Every second one of the older half is given up: windows get longer, and begin less exactly. */
  #thin(): void {
    const half = this.#moments.length >> 1;
    this.#moments = this.#moments.filter((_, at) => at === 0 || at >= half || at % 2 === 0);
  }
}

const seconds = (nanos: bigint) => Number(nanos / MILLI_NANOS) / 1_000;
