/** Attempts at what the network may do at the next one. */
import { messageOf, UpgradeError } from "../../base/errors/errors.js";

/** A failure that another attempt may not have: a connection that is cut, a server that is busy. */
export class TryAgain extends Error {}

export interface AttemptOptions {
  readonly signal: AbortSignal;
  readonly log: (level: "debug" | "info" | "warn" | "error", message: string) => void;
  /** In a row, without a byte more than before; default 5. */
  readonly attemptsMax?: number;
  /** Settles early when the signal is aborted; default: the machine's timer. */
  readonly sleep?: (millis: number, signal: AbortSignal) => Promise<void>;
}

const ATTEMPTS_MAX = 5;
const PAUSE_MILLIS = 1_000;
const PAUSE_MILLIS_MAX = 30_000;

/**
 * Waits longer before each attempt. Those that got further do not count, so a long download over a bad line comes to its end.
 * @param doneSoFar bytes; undefined: nothing is kept of an attempt
 * @throws UpgradeError UPG_REMOTE_UNAVAILABLE after the last one; what else `attempt` throws
 */
export async function withAttempts<T>(
  what: string,
  options: AttemptOptions,
  attempt: () => Promise<T>,
  doneSoFar: () => number = () => 0,
): Promise<T> {
  const { signal, log, attemptsMax = ATTEMPTS_MAX, sleep = sleepByTimer } = options;
  for (let failures = 0; ; ) {
    const before = doneSoFar();
    try {
      signal.throwIfAborted();
      return await attempt();
    } catch (cause) {
      if (signal.aborted) throw unavailable(what, signal.reason);
      if (!(cause instanceof TryAgain)) throw cause;
      failures = doneSoFar() > before ? 1 : failures + 1;
      if (failures >= attemptsMax) throw unavailable(what, cause);
      const pause = Math.min(PAUSE_MILLIS * 2 ** (failures - 1), PAUSE_MILLIS_MAX);
      log("warn", `${what}: ${messageOf(cause)}; next attempt in ${pause / 1_000} s`);
      await sleep(pause, signal);
    }
  }
}

function unavailable(what: string, cause: unknown): UpgradeError {
  return new UpgradeError("UPG_REMOTE_UNAVAILABLE", `could not download url "${what}": ${messageOf(cause)}`, { cause });
}

function sleepByTimer(millis: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const end = () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", end);
      resolve();
    };
    const timer = setTimeout(end, millis);
    signal.addEventListener("abort", end, { once: true });
  });
}
