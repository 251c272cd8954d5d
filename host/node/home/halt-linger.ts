/**
 * The end of a node under a supervisor that polls upgrade-info.json, as Cosmovisor does: a process that ends at once ends
 * while the supervisor looks at the file, which then takes it for a crash and starts nothing. So the node holds at the height,
 * with its record written and its servers open, until the supervisor has ended it or the time is over.
 */
import { isUpgradeError } from "../../base/errors/errors.js";
import type { LogLevel } from "../../upgrade/module/handlers.js";

/** Ends that write upgrade-info.json (docs/specification.md, 3.4). */
const POLLED: ReadonlySet<string> = new Set(["UPG_HALT_UPGRADE_NEEDED", "UPG_HALT_RESTART"]);
/** Where a time was asked for, peers too may need the node: one that is gone leaves a slower one a vote short of the block. */
const ASKED: ReadonlySet<string> = new Set([...POLLED, "UPG_HALT_HEIGHT"]);
/** The log line of a node that holds begins so. */
export const HOLDING = "holding at the height";
const TIMER_MILLIS_MAX = 2 ** 31 - 1;

export interface LingerTime {
  /** 0: the node ends at once. */
  readonly millis: number;
  /** By --halt-linger; else it is what a supervisor needs. */
  readonly isAsked: boolean;
  /** Nobody supervises it: it holds for validators that are slower. */
  readonly isForPeers?: boolean;
}

export class HaltLinger {
  #isOver = false;

  constructor(
    private readonly time: LingerTime,
    private readonly log: (level: LogLevel, message: string) => void,
  ) {}

  /** Will a node that ends by this error hold before? */
  holds(error: unknown): boolean {
    const { millis, isAsked } = this.time;
    return !this.#isOver && millis > 0 && isUpgradeError(error) && (isAsked ? ASKED : POLLED).has(error.code);
  }

  /** Waits, once, until the supervisor has had its time; shorter when `signal` is aborted. Never rejects. */
  async before(error: unknown, signal: AbortSignal): Promise<void> {
    if (!this.holds(error)) return;
    this.#isOver = true;
    const exit = isUpgradeError(error) ? error.kind.exit : 0;
    const how = `at most ${this.time.millis / 1_000} s (--halt-linger); SIGTERM ends it at once`;
    const reader = this.time.isForPeers ? "slower validators get its vote" : "the supervisor sees upgrade-info.json";
    const why = this.time.isAsked ? "" : `, so that ${reader}`;
    this.log("info", `${HOLDING}${why}: ends with ${exit} in ${how}`);
    if (signal.aborted) return;
    await new Promise<void>((resolve) => {
      const over = () => {
        clearTimeout(timer);
        signal.removeEventListener("abort", over);
        resolve();
      };
      const timer = setTimeout(over, Math.min(this.time.millis, TIMER_MILLIS_MAX));
      signal.addEventListener("abort", over, { once: true });
    });
  }
}
