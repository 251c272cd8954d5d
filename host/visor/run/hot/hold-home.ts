/**
 * The hot switch: CometBFT's connections are held here, and the application alone is replaced at an upgrade. Under the sidecar's loop the
 * next program is prepared, and the status board is kept, as for the other switch.
 */
import { Home } from "../../../node/home/home.js";
import { placesOf } from "../../decide/decision/paths.js";
import { readQueue } from "../../decide/decision/queue.js";
import { takeRestartRequest } from "../../decide/restart-request.js";
import { type HoldEnd, type HoldOptions, holdConnections } from "../../hot/hold-connections.js";
import { Staging } from "../../stage/staging.js";
import { OURS_GRACE_MILLIS } from "../exits/stop-app.js";
import type { Shared } from "../loop/options.js";
import { HotHooks, type HotLoop } from "./hot-hooks.js";

export interface HoldHomeOptions
  extends Pick<Shared, "settings" | "machine" | "board" | "log" | "signal" | "childEnv" | "layout">,
    Pick<HoldOptions, "flags" | "workerEnv" | "prefix" | "comet" | "startCommand" | "serviceCommand"> {
  /** Undefined: a relay whose programs are not in the folders, or that a sidecar started. */
  readonly loop?: HotLoop;
  /** In place of the hold, in tests. */
  readonly hold?: typeof holdConnections | undefined;
}

export interface HoldHomeEnd extends HoldEnd {
  /** `chainvisor restart` stopped both in order: they are to be started again. */
  readonly isRestart: boolean;
}

/**
 * Runs CometBFT and the application until both have exited.
 * @throws StepFailure: the script before the upgrade failed; UpgradeError of files and settings
 */
export async function holdHome(options: HoldHomeOptions): Promise<HoldHomeEnd> {
  const { settings, machine, board, log, childEnv: env, loop, hold = holdConnections, ...rest } = options;
  const staging = loop ? new Staging({ settings, machine, env, log, board }) : undefined;
  const over = new AbortController();
  const restart = new AbortController();
  const signal = AbortSignal.any([options.signal, restart.signal]);
  const late = new AbortController();
  // As of the application alone (stop-app.ts): what goes on at once has a bound, a stop has one where the settings give it.
  const { shutdownGrace } = settings;
  const endLate = async (millis: number) => {
    if (millis > 0) await machine.clock.sleep(millis, over.signal).then(() => over.signal.aborted || late.abort());
  };
  options.signal.addEventListener("abort", () => void endLate(shutdownGrace), { once: true });
  restart.signal.addEventListener("abort", () => void endLate(shutdownGrace || OURS_GRACE_MILLIS), { once: true });
  if (loop) void lookForRequest(options, restart, over.signal);
  try {
    const end = await hold({
      ...{ ...rest, env, log, machine, signal, late: late.signal },
      ...{ home: new Home(settings.home), retriesMax: settings.preUpgradeRetriesMax },
      restarts: loop?.crashes,
      hooks: new HotHooks(options, staging, loop),
    });
    return { ...end, isRestart: restart.signal.aborted && !options.signal.aborted && !end.failure };
  } finally {
    over.abort();
    await staging?.close();
  }
}

/** Aborts `restart` when an operator asks for another start, or queues a height, which the sidecar's other switch stops before. */
async function lookForRequest(options: HoldHomeOptions, restart: AbortController, over: AbortSignal): Promise<void> {
  const { settings, machine, log, board } = options;
  while (!over.aborted && !restart.signal.aborted) {
    // As under the other switch, a request waits until the switch is made: the operator's script is not cut off.
    const why = board.current.phase === "switching" ? undefined : whyRestarted(options);
    if (why !== undefined) {
      log("info", `the application is started again, ${why}`);
      restart.abort();
    }
    await machine.clock.sleep(settings.pollInterval, over);
  }
}

/** The application goes on whatever the disk refuses to show. */
function whyRestarted({ settings, machine: { files } }: HoldHomeOptions): string | undefined {
  try {
    if (takeRestartRequest(files, placesOf(settings).restartFile)) return "as `chainvisor restart` asks";
    const [queued] = readQueue(files, settings).plans;
    return queued && `since "${queued.name}" is queued for height ${queued.height}`;
  } catch {
    return undefined;
  }
}
