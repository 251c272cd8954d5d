/** How fast heights go by, for the time until a plan's. */
import type { Clock } from "../machine.js";

/** Heights that are remembered, each with when it was seen first. */
const SAMPLES_MAX = 64;
const FEW = 3;

export class Pace {
  readonly #samples: { readonly height: bigint; readonly at: number }[] = [];

  constructor(private readonly clock: Pick<Clock, "now">) {}

  take(height: bigint): void {
    const last = this.#samples.at(-1);
    if (last?.height === height) return;
    if (last && height < last.height) this.#samples.length = 0;
    this.#samples.push({ height, at: this.clock.now() });
    if (this.#samples.length > SAMPLES_MAX) this.#samples.shift();
  }

  /** Undefined before there is a pace. */
  until(blocks: bigint): { seconds: number; plus_minus: number } | null {
    const [first] = this.#samples;
    const last = this.#samples.at(-1);
    if (!first || !last || this.#samples.length < FEW || blocks < 0n) return null;
    const each = (last.at - first.at) / Number(last.height - first.height) / 1_000;
    const seconds = each * Number(blocks);
    return { seconds: rounded(seconds), plus_minus: rounded(seconds * this.#spread(each) + each) };
  }

  /** Of the pace between samples, over the mean; a mean of n has the root of n less. */
  #spread(mean: number): number {
    const paces = this.#samples.slice(1).map(({ height, at }, index) => {
      const before = this.#samples[index] as { height: bigint; at: number };
      return (at - before.at) / Number(height - before.height) / 1_000;
    });
    const variance = paces.reduce((sum, pace) => sum + (pace - mean) ** 2, 0) / paces.length;
    return mean === 0 ? 0 : Math.sqrt(variance / paces.length) / mean;
  }
}

const rounded = (seconds: number) => Math.round(seconds * 10) / 10;
