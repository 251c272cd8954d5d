/** How often an application that has crashed is started again: each time later than before, until there were too many. */

const WAITS_MILLIS = [1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000];

export interface CrashLoopOptions {
  /** Within the window; one more is too many. */
  readonly restartsMax: number;
  readonly restartWindow: number;
  /** Before the first restart, the second, and so on; the last one before all others. Default: 1, 2, 4 … 60 s. */
  readonly waits?: readonly number[];
}

interface NextOptions {
  readonly waits?: readonly number[] | undefined;
  readonly isAsked?: boolean;
}

export class CrashLoop {
  #times: number[] = [];
  #waits = 0;

  constructor(readonly options: CrashLoopOptions) {}

  /**
   * Milliseconds to wait before the next start; undefined: there were too many.
   * @param now of a clock that never goes back
   * @param waits in place of those of all starts
   * @param isAsked the program has asked for another start (14): one is given whatever the settings are
   */
  next(now: number, { waits = this.options.waits, isAsked = false }: NextOptions = {}): number | undefined {
    const { restartWindow } = this.options;
    const restartsMax = Math.max(this.options.restartsMax, isAsked ? 1 : 0);
    this.#times = this.#times.filter((time) => now - time < restartWindow);
    if (this.#times.length >= restartsMax) return undefined;
    if (this.#times.length === 0) this.#waits = 0;
    this.#times.push(now);
    return this.patient(waits);
  }

  /** For an end that is waited out, however often it comes. */
  patient(waits = this.options.waits ?? WAITS_MILLIS): number {
    return waits[Math.min(this.#waits++, waits.length - 1)] ?? 0;
  }

  forget(): void {
    this.#times = [];
    this.#waits = 0;
  }
}
