/**
 * The mempool is checked again after a block, thousands of transactions perhaps, on the thread that serves: a few
 * milliseconds at a time, and requests have their turn in between. What is to be checked over all of them (a new
 * transaction, a simulation) waits until they are through, in order of arrival, as after CometBFT's rechecks.
 */

/** Milliseconds of work in one turn of the event loop. */
const SLICE_MILLIS = 2;
/** Blocks that may overtake what waits; then the rechecks are made in one go, so that it does not wait for ever. */
export const OVERTAKEN_MAX = 3;

interface Waiting {
  run(): void;
  fail(error: unknown): void;
}

export class Recheck {
  #steps: Iterator<unknown> | undefined;
  readonly #waiting: Waiting[] = [];
  #turn: NodeJS.Immediate | undefined;
  #overtaken = 0;
  /** What ended the rechecks: without them nothing can be checked until the next block. */
  #failure: { readonly error: unknown } | undefined;

  /** @param look called before each turn: it sees whether a block has come in meanwhile, and calls `begin` then */
  constructor(private readonly look: () => void) {}

  /** Replaces the steps that are left of the block before by those of a new block. */
  begin(steps: Iterator<unknown>): void {
    if (this.#waiting.length > 0) this.#overtaken++;
    this.restart(steps);
  }

  /** Replaces the steps that are left, without a new block. */
  restart(steps: Iterator<unknown>): void {
    this.#steps = steps;
    this.#failure = undefined;
    this.#schedule();
  }

  /** The result of `work`, which is done when no rechecks are left: at once, most of the time. */
  after<T>(work: () => T): Promise<T> {
    return new Promise((resolve, reject) => {
      const run = () => {
        try {
          if (this.#failure) throw this.#failure.error;
          resolve(work());
        } catch (error) {
          reject(error);
        }
      };
      if (this.#isIdle) {
        run();
        return;
      }
      this.#waiting.push({ run, fail: reject });
      this.#schedule();
    });
  }

  /** What waits will not be done. */
  close(error: unknown): void {
    clearImmediate(this.#turn);
    this.#turn = undefined;
    this.#steps = undefined;
    for (const { fail } of this.#waiting.splice(0)) fail(error);
  }

  get #isIdle(): boolean {
    return this.#steps === undefined && this.#waiting.length === 0;
  }

  #schedule(): void {
    if (this.#isIdle) return;
    this.#turn ??= setImmediate(() => {
      this.#turn = undefined;
      this.#work();
      this.#schedule();
    });
  }

  #work(): void {
    const end = performance.now() + SLICE_MILLIS;
    try {
      this.look();
      const isLate = this.#overtaken >= OVERTAKEN_MAX;
      while (this.#steps && (isLate || performance.now() < end)) {
        if (this.#steps.next().done) this.#steps = undefined;
      }
    } catch (error) {
      this.#steps = undefined;
      this.#failure = { error };
    }
    if (this.#steps) return;
    this.#overtaken = 0;
    // One at least: the next block may begin rechecks again.
    do this.#waiting.shift()?.run();
    while (this.#waiting.length > 0 && performance.now() < end);
  }
}
