/**
 * What searches may cost: each has a budget of time and work, gives way to others while it runs, and ends when its
 * client leaves; a few run at once, some wait, the rest are refused.
 */
import { setImmediate } from "node:timers/promises";
import { UpgradeError } from "../../base/errors/errors.js";
import type { LeftSignal } from "../../base/types/types.js";

export interface SearchLimits {
  /** Milliseconds that one search may compute. */
  readonly millis: number;
  /** Index keys that one search may look at; a block's results count as many as `RESULTS_WORK`. */
  readonly work: number;
  /** Hits that are counted beyond those that are shown. */
  readonly hits: number;
  /** Searches that run at once. */
  readonly concurrency: number;
  /** Searches that wait for their turn; more are refused. */
  readonly waiting: number;
}

export const SEARCH_LIMITS: SearchLimits = Object.freeze({
  millis: 2_000,
  work: 2_000_000,
  hits: 100_000,
  concurrency: 2,
  waiting: 128,
});

/** Milliseconds after which a search lets others compute. */
const SLICE_MILLIS = 4;
/** Keys between two looks at the clock. */
const KEYS_PER_LOOK = 64;
/** What decoding a block's results costs, in index keys. */
export const RESULTS_WORK = 16;

export class SearchBudget {
  #work = 0;
  #nextLook = 0;
  #used = 0;
  #sliceBegan = performance.now();

  constructor(
    private readonly limits: SearchLimits,
    private readonly signal: LeftSignal | undefined,
  ) {}

  spend(work: number): void {
    this.#work += work;
  }

  get isSpent(): boolean {
    return this.#work > this.limits.work || this.#used > this.limits.millis;
  }

  /** Looks at the clock now and then, and gives way when it is time. @throws UpgradeError when the client has left */
  async pause(): Promise<void> {
    const now = performance.now();
    this.#nextLook = this.#work + KEYS_PER_LOOK;
    if (now - this.#sliceBegan < SLICE_MILLIS) return;
    this.#used += now - this.#sliceBegan;
    await setImmediate();
    throwIfGone(this.signal);
    this.#sliceBegan = performance.now();
  }

  /** Is it time to call `pause`? */
  get isDue(): boolean {
    return this.#work >= this.#nextLook;
  }
}

function throwIfGone(signal: LeftSignal | undefined): void {
  if (signal?.aborted) throw new UpgradeError("UPG_INVALID_ARGUMENT", "the client left before its search was done");
}

interface Waiting {
  readonly start: () => void;
}

/** Where searches run, however many there are. */
export class SearchRoom {
  #running = 0;
  readonly #waiting = new Set<Waiting>();

  constructor(readonly limits: SearchLimits) {}

  /** @throws UpgradeError UPG_REMOTE_BUSY, and what the search throws */
  async run<T>(signal: LeftSignal | undefined, search: (budget: SearchBudget) => Promise<T>): Promise<T> {
    await this.#enter(signal);
    try {
      throwIfGone(signal);
      return await search(new SearchBudget(this.limits, signal));
    } finally {
      const [next] = this.#waiting;
      if (next) {
        this.#waiting.delete(next);
        next.start();
      } else this.#running--;
    }
  }

  async #enter(signal: LeftSignal | undefined): Promise<void> {
    const { concurrency, waiting } = this.limits;
    if (this.#running < concurrency) {
      this.#running++;
      return;
    }
    if (this.#waiting.size >= waiting) {
      throw new UpgradeError("UPG_REMOTE_BUSY", `${concurrency} searches run and ${waiting} wait: try again`);
    }
    await new Promise<void>((resolve, reject) => {
      const leave = () => {
        this.#waiting.delete(turn);
        reject(new UpgradeError("UPG_INVALID_ARGUMENT", "the client left before its search began"));
      };
      const turn: Waiting = {
        start: () => {
          signal?.removeEventListener("abort", leave);
          resolve();
        },
      };
      this.#waiting.add(turn);
      signal?.addEventListener("abort", leave, { once: true });
    });
  }
}
