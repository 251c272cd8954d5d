/**
 * The end of a node under a supervisor that polls upgrade-info.json, as Cosmovisor does: a process that ends at once ends
 * while the supervisor looks at the file, which then takes it for a crash and starts nothing. So the node holds at the height,
 * with its record written and its servers open, until the supervisor has ended it or the time is over.
 */
import { isUpgradeError } from "../../errors.js";
import type { LogLevel } from "../../upgrade/handlers.js";

/** Ends that write upgrade-info.json (docs/specification.md, 3.4). */
const POLLED = new Set(["UPG_HALT_UPGRADE_NEEDED", "UPG_HALT_RESTART"]);
const TIMER_MILLIS_MAX = 2 ** 31 - 1;

export class HaltLinger {
  #isOver = false;

  constructor(
    /** 0: nobody polls. */
    private readonly millis: number,
    private readonly log: (level: LogLevel, message: string) => void,
  ) {}

  /** Will a node that ends by this error hold before? */
  holds(error: unknown): boolean {
    return !this.#isOver && this.millis > 0 && isUpgradeError(error) && POLLED.has(error.code);
  }

  /** Waits, once, until the supervisor has had its time; shorter when `signal` is aborted. Never rejects. */
  async before(error: unknown, signal: AbortSignal): Promise<void> {
    if (!this.holds(error)) return;
    this.#isOver = true;
    const exit = isUpgradeError(error) ? error.kind.exit : 0;
    const how = `at most ${this.millis / 1_000} s (--halt-linger); SIGTERM ends it at once`;
    this.log(
      "info",
      `holding at the height, so that the supervisor sees upgrade-info.json: ends with ${exit} in ${how}`,
    );
    if (signal.aborted) return;
    await new Promise<void>((resolve) => {
      const over = () => {
        clearTimeout(timer);
        signal.removeEventListener("abort", over);
        resolve();
      };
      const timer = setTimeout(over, Math.min(this.millis, TIMER_MILLIS_MAX));
      signal.addEventListener("abort", over, { once: true });
    });
  }
}
