/** How far a running upgrade has come: gathered where it runs, with the clock that the rooms below do not have. */
import type { Height, ProgressPhase } from "../../base/types/types.js";

export interface UpgradeProgress {
  readonly plan: string;
  /** Height of the block that is being made. */
  readonly height: Height;
  readonly phase: ProgressPhase;
  /** "" where the phase is of no store. */
  readonly store: string;
  /** Pairs, or units of the handler's choice in phase `handler`. */
  readonly done: number;
  /** 0: not known. */
  readonly total: number;
  /** Milliseconds since 1970 at which the block, the phase and this reading began. */
  readonly begunAt: number;
  readonly phaseBegunAt: number;
  readonly at: number;
}

/** Readings are sent at most so often, but for those that begin a phase. */
const SEND_MILLIS = 100;

export class ProgressReporter {
  #block: Pick<UpgradeProgress, "plan" | "height" | "begunAt"> | undefined;
  #phase: ProgressPhase = "loading";
  #store = "";
  #phaseBegunAt = 0;
  #sentAt = 0;

  constructor(
    private readonly send: (progress: UpgradeProgress) => void,
    private readonly now: () => number = Date.now,
  ) {}

  /** A block with an upgrade begins: what follows is its progress. */
  begin(plan: string, height: Height): void {
    this.#block = { plan, height, begunAt: this.now() };
    this.#phaseBegunAt = 0;
    this.report("loading", "", 0, 0);
  }

  /** The block is over; ordinary blocks say nothing. */
  end(): void {
    this.#block = undefined;
  }

  report(phase: ProgressPhase, store: string, done: number, total: number): void {
    if (!this.#block) return;
    const at = this.now();
    const isNew = phase !== this.#phase || store !== this.#store || this.#phaseBegunAt === 0;
    if (isNew) {
      this.#phase = phase;
      this.#store = store;
      this.#phaseBegunAt = at;
      // The machine's clock may be set back.
    } else if (Math.abs(at - this.#sentAt) < SEND_MILLIS) return;
    this.#sentAt = at;
    this.send({ ...this.#block, phase, store, done, total, phaseBegunAt: this.#phaseBegunAt, at });
  }
}

/** What can be said of a reading at a later moment. */
export interface ProgressEstimate {
  /** A second, in this phase; 0: not known yet. */
  readonly rate: number;
  /** Until the phase ends; undefined: not known. */
  readonly secondsLeft: number | undefined;
  /** Since the block began. */
  readonly secondsElapsed: number;
}

export function estimate(progress: UpgradeProgress, now: number): ProgressEstimate {
  const { done, total, begunAt, phaseBegunAt, at } = progress;
  const seconds = (at - phaseBegunAt) / 1_000;
  const rate = done > 0 && seconds > 0 ? done / seconds : 0;
  const left = rate > 0 && total >= done ? Math.max(0, (total - done) / rate - (now - at) / 1_000) : undefined;
  return { rate, secondsLeft: left, secondsElapsed: Math.max(0, (now - begunAt) / 1_000) };
}
