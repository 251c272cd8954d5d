/**
 * The hot switch, as `chainvisor run` and `chaind relay` both make it: CometBFT's connections are held here, and the application alone is
 * replaced at an upgrade. The next program is prepared, and the status board is kept, as for the other switch.
 */
import { Home } from "../../../node/home/home.js";
import { placesOf } from "../../decide/decision/paths.js";
import { readQueue } from "../../decide/decision/queue.js";
import { takeRestartRequest } from "../../decide/restart-request.js";
import { type Begin, type HoldEnd, type HoldOptions, holdConnections } from "../../hot/hold-connections.js";
import { Staging } from "../../stage/staging.js";
import type { Shared } from "../loop/options.js";
import { HotHooks, type HotLoop } from "./hot-hooks.js";

export interface HoldHomeOptions
  extends Pick<Shared, "settings" | "machine" | "board" | "log" | "signal" | "childEnv" | "layout">,
    Pick<HoldOptions, "flags" | "workerEnv" | "prefix" | "comet" | "startCommand" | "serviceCommand"> {
  /** False: programs are not in the folders, or another sidecar prepares them. */
  readonly isStaged: boolean;
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
export async function holdHome(options: HoldHomeOptions, begin?: Begin): Promise<HoldHomeEnd> {
  const { settings, machine, board, log, childEnv: env, isStaged, loop, hold = holdConnections, ...rest } = options;
  const staging = isStaged ? new Staging({ settings, machine, env, log, board }) : undefined;
  const over = new AbortController();
  const restart = new AbortController();
  const signal = AbortSignal.any([options.signal, restart.signal]);
  // Until the home is held, requests are for the process that holds it.
  const begun: Begin = async () => {
    const end = await begin?.();
    if (isStaged) void lookForRequest(options, restart, over.signal);
    return async () => end?.();
  };
  try {
    const end = await hold(
      {
        ...{ ...rest, env, log, machine, signal },
        ...{ home: new Home(settings.home), retriesMax: settings.preUpgradeRetriesMax },
        // Those are the sidecar's settings: a relay has its own limit.
        restarts: loop && settings,
        hooks: new HotHooks(options, staging, loop),
      },
      begun,
    );
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
function whyRestarted({ settings, machine: { files }, loop }: HoldHomeOptions): string | undefined {
  try {
    if (takeRestartRequest(files, placesOf(settings).restartFile)) return "as `chainvisor restart` asks";
    // A relay without a sidecar is in no position to stop before a height, and refuses it at its start.
    const [queued] = loop ? readQueue(files, settings).plans : [];
    return queued && `since "${queued.name}" is queued for height ${queued.height}`;
  } catch {
    return undefined;
  }
}
