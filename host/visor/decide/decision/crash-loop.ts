/** How often an application that has crashed is started again: each time later than before, until there were too many. */

const FIRST_MILLIS = 1_000;
const LAST_MILLIS = 60_000;

export interface CrashLoopOptions {
  /** Within the window; one more is too many. */
  readonly restartsMax: number;
  readonly restartWindow: number;
}

export class CrashLoop {
  #times: number[] = [];
  #before = 0;

  constructor(private readonly options: CrashLoopOptions) {}

  /** Milliseconds to wait before the next start; undefined: there were too many. @param now of a clock that never goes back */
  next(now: number): number | undefined {
    const { restartsMax, restartWindow } = this.options;
    this.#times = this.#times.filter((time) => now - time < restartWindow);
    if (this.#times.length >= restartsMax) return undefined;
    if (this.#times.length === 0) this.#before = 0;
    this.#times.push(now);
    this.#before = Math.min(LAST_MILLIS, this.#before === 0 ? FIRST_MILLIS : 2 * this.#before);
    return this.#before;
  }

  /** For an end that is waited out, however often it comes. */
  patient(): number {
    this.#before = Math.min(LAST_MILLIS, this.#before === 0 ? FIRST_MILLIS : 2 * this.#before);
    return this.#before;
  }

  forget(): void {
    this.#times = [];
    this.#before = 0;
  }
}
