/** How often a worker that has crashed is started again: a few times, each later than the one before. */

const RESTARTS_MAX = 5;
const WINDOW_MILLIS = 60_000;
const SECOND_MILLIS = 250;

export class Restarts {
  #times: number[] = [];

  /** Milliseconds to wait before it; undefined: there were too many. @param now of a clock that never goes back */
  next(now: number): number | undefined {
    this.#times = this.#times.filter((time) => now - time < WINDOW_MILLIS);
    const before = this.#times.length;
    if (before === RESTARTS_MAX) return undefined;
    this.#times.push(now);
    return before === 0 ? 0 : SECOND_MILLIS * 2 ** (before - 1);
  }
}

export const RESTARTS_TEXT = `${RESTARTS_MAX} times in ${WINDOW_MILLIS / 1_000} s`;
