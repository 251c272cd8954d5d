/** What the exit status of a new program's `pre-upgrade` means, before the program is started. The meanings are Cosmovisor's. */
import type { Log } from "../../base/text/log-line.js";
import type { Clock, RunEnd } from "./machine.js";

export const NO_SUCH_COMMAND = 1;
export const REFUSED = 30;
const RETRY = 31;
/** A shell's statuses for a file that cannot be run, and for one that is not found. */
const NOT_RUN: readonly (number | null)[] = [126, 127];
const RETRY_MILLIS = 1_000;

export interface PreUpgradeOptions {
  /** Runs the command once, in a process group of its own ({@link Processes.run}). */
  readonly run: () => Promise<RunEnd>;
  /** Further attempts after exit status 31: DAEMON_PREUPGRADE_MAX_RETRIES. */
  readonly retriesMax: number;
  readonly clock: Pick<Clock, "sleep">;
  readonly signal: AbortSignal;
  readonly log: Log;
}

/**
 * `ready`: 0; also 1, which is a program without the command, and any other status. `refused`: 30. `busy`: 31, after the last attempt.
 * `not run`: the program could not be started, or was stopped.
 */
export interface PreUpgradeResult {
  readonly verdict: "ready" | "refused" | "busy" | "not run";
  readonly end: RunEnd;
}

/** Runs `pre-upgrade` until it returns something other than 31. Never rejects unless `run` does. */
export async function askPreUpgrade(options: PreUpgradeOptions): Promise<PreUpgradeResult> {
  const { run, retriesMax, clock, signal, log } = options;
  for (let attempt = 0; ; attempt++) {
    const end = await run();
    const verdict = verdictOn(end);
    if (verdict !== "busy" || attempt >= retriesMax || signal.aborted) return { verdict, end };
    log("warn", `pre-upgrade asks for another attempt (${attempt + 1} of ${retriesMax})`);
    await clock.sleep(RETRY_MILLIS, signal);
  }
}

function verdictOn({ exit, error }: RunEnd): PreUpgradeResult["verdict"] {
  if (exit === REFUSED) return "refused";
  if (error || NOT_RUN.includes(exit)) return "not run";
  return exit === RETRY ? "busy" : "ready";
}

/** Flags of `start` that `pre-upgrade` has too. */
const SHARED_FLAGS = ["--handlers", "--handlers-staged", "--handler-disk-max"];

/** Arguments of `pre-upgrade` for a home, with the flags of `start` that both commands have. */
export function preUpgradeArgs(home: string, startFlags: readonly string[]): readonly string[] {
  const shared = startFlags.flatMap((flag, at) => {
    const [name = ""] = flag.split("=", 1);
    if (!SHARED_FLAGS.includes(name)) return [];
    return flag === name ? [flag, startFlags[at + 1] ?? ""] : [flag];
  });
  return ["pre-upgrade", "--home", home, ...shared];
}
