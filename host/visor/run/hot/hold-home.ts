/**
 * The hot switch, as `chainvisor run` and `chaind relay` both make it: CometBFT's connections are held here, and the application alone is
 * replaced at an upgrade. The next program is prepared, and the status board is kept, as for the other switch.
 */
import { Home } from "../../../node/home/home.js";
import { type HoldEnd, type HoldOptions, holdConnections } from "../../hot/hold-connections.js";
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

/**
 * Runs CometBFT and the application until both have exited.
 * @param begin called once the home is held; returns what undoes it
 * @throws StepFailure: the script before the upgrade failed; UpgradeError of files and settings
 */
export async function holdHome(options: HoldHomeOptions, begin?: () => () => void): Promise<HoldEnd> {
  const { settings, machine, board, log, childEnv: env, isStaged, loop, hold = holdConnections, ...rest } = options;
  const staging = isStaged ? new Staging({ settings, machine, env, log, board }) : undefined;
  try {
    return await hold(
      {
        ...{ ...rest, env, log, machine, home: new Home(settings.home), retriesMax: settings.preUpgradeRetriesMax },
        hooks: new HotHooks(options, staging, loop),
      },
      begin,
    );
  } finally {
    await staging?.close();
  }
}
