/** The progress of a running upgrade as the serving thread keeps it: the last reading, and a line a second in the log. */

import type { Log } from "../../base/text/log-line.js";
import { estimate, type UpgradeProgress } from "../../node/embedded/upgrade-progress.js";

const LINE_MILLIS = 1_000;
/** Steps that are remembered of one upgrade. */
const STAGES_MAX = 1_000;

type Stage = Pick<UpgradeProgress, "phase" | "store" | "done" | "total">;

export class ProgressLog {
  #last: UpgradeProgress | undefined;
  readonly #stages = new Map<string, Stage>();
  #timer: NodeJS.Timeout | undefined;

  constructor(private readonly log: Log) {}

  /** Undefined: no upgrade runs. */
  get last(): UpgradeProgress | undefined {
    return this.#last;
  }

  /** Every step of the upgrade so far, in the order in which they began, with the last reading of each. */
  get stages(): readonly Stage[] {
    return [...this.#stages.values()];
  }

  take(progress: UpgradeProgress): void {
    this.#last = progress;
    const { phase, store, done, total } = progress;
    const step = `${phase} ${store}`;
    if (this.#stages.size < STAGES_MAX || this.#stages.has(step)) this.#stages.set(step, { phase, store, done, total });
    this.#timer ??= setInterval(() => this.#write(), LINE_MILLIS);
  }

  /** The block is made, or will not be. */
  end(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#last = undefined;
    this.#stages.clear();
  }

  #write(): void {
    if (!this.#last) return;
    const { plan, height, phase, store, done, total } = this.#last;
    const { rate, secondsLeft, secondsElapsed } = estimate(this.#last, Date.now());
    this.log("info", "upgrade in progress", {
      ...{ plan, height: String(height), phase },
      ...(store === "" ? {} : { store }),
      ...(done > 0 || total > 0 ? { done } : {}),
      ...(total > 0 ? { total, percent: Math.floor((done / total) * 100) } : {}),
      ...(rate > 0 ? { per_second: Math.round(rate) } : {}),
      ...(secondsLeft === undefined ? {} : { seconds_left: Math.ceil(secondsLeft) }),
      seconds: Math.round(secondsElapsed),
    });
  }
}
