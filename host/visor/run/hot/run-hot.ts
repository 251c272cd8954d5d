/** The hot switch as one run of the sidecar's loop, where the settings ask for it and the program can do it. */

import { readConfig } from "../../../base/terminal/config-file.js";
import { LAST_FAILURE_FILE, type LastFailure } from "../../../base/terminal/last-failure.js";
import { cometFiles } from "../../../node/comet/comet-files.js";
import { findComet } from "../../../node/comet/engine/binary.js";
import { Home } from "../../../node/home/home.js";
import type { Program } from "../../../node/programs/layout.js";
import { readQueue } from "../../decide/decision/queue.js";
import type { ProcessEnd } from "../../decide/machine.js";
import { prefixOf } from "../../decide/program-variables.js";
import { BEFORE_HEIGHT } from "../../decide/status.js";
import { startArgs } from "../../hot/start-arguments.js";
import type { Shared } from "../loop/options.js";
import { holdHome } from "./hold-home.js";
import type { HotLoop } from "./hot-hooks.js";

const HELP_MILLIS = 20_000;
/** Of a process that a second signal ended. */
const ENDED_AT_ONCE_EXIT = 15;
const WITHOUT_COMET = "it needs `chainvisor run start --engine cometbft`";

/** Of a run that was stopped in order. 10: it held at an upgrade's height. */
const STOPPED_EXITS: ReadonlySet<number> = new Set([0, 10]);

/**
 * How a run ended: as one of the application without the sidecar's hold of the connections, or since an operator asked for it. Then `exit`
 * is the sidecar's status; undefined: the application is to be started again.
 */
export type HotEnd =
  | { readonly exit: number | undefined }
  | { readonly end: ProcessEnd; readonly failure: LastFailure | undefined };

/**
 * Runs CometBFT and the application, which is replaced at an upgrade, until both have ended.
 * @returns undefined: this program, or how it is set, is not for a hot switch; the log says why
 * @throws StepFailure; UpgradeError of files and settings
 */
export async function runHot(shared: Shared, current: Program, loop: HotLoop): Promise<HotEnd | undefined> {
  const { settings, log, signal, childEnv: env, places, board } = shared;
  const home = new Home(settings.home);
  const prefix = prefixOf(settings.name);
  const why = whyNot(shared) ?? (await whyNotProgram(shared, current));
  if (signal.aborted) return { exit: 0 };
  // The settings of another chain's program are not read.
  const args =
    why === undefined ? startArgs(shared.args, { env, prefix, table: readConfig(home.path, "app") }) : undefined;
  if (!args) {
    const asked = shared.command === undefined ? "CHAINVISOR_HOT_SWITCH" : "`relay`";
    log("warn", `${asked} has no effect, the switch restarts CometBFT too: ${why ?? WITHOUT_COMET}`);
    return undefined;
  }
  const endSignals = shared.onSignal?.((name) => {
    if (name === "SIGHUP") return;
    log("warn", `a second signal (${name}) ends the sidecar, the application and CometBFT at once`);
    process.exit(ENDED_AT_ONCE_EXIT);
    // Its processes have groups of their own, so none of them gets the terminal's signals.
  }, "sidecar");
  try {
    const { exit, failure, isRestart } = await holdHome({
      ...{ ...shared, prefix, loop, flags: args.worker },
      workerEnv: { [LAST_FAILURE_FILE]: places.appFailureFile },
      ...{ startCommand: shared.starts.run, serviceCommand: shared.starts.service },
      comet: { program: findComet(args.program, { ...env }).path, args: args.comet, files: cometFiles(home) },
    });
    // A failure stays one.
    const isInOrder = !failure && STOPPED_EXITS.has(exit) && !shared.isHoldReported;
    if (signal.aborted) return { exit: isInOrder ? 0 : exit };
    if (isRestart) return { exit: undefined };
    if (BEFORE_HEIGHT.has(board.current.phase)) board.update({ phase: "starting" });
    const said = failure && { exit, code: failure.code, message: failure.message };
    return { end: { exit, signal: null }, failure: said };
  } finally {
    endSignals?.();
  }
}

function whyNot({ settings, machine, args }: Shared): string | undefined {
  if (args[0] !== "start") return WITHOUT_COMET;
  if (!settings.isBackupSkipped) {
    return "a backup is made of files that nobody writes, and CometBFT goes on writing its own: set UNSAFE_SKIP_BACKUP=true, and copy the home beside the running node";
  }
  if (!settings.isRestartedAfterUpgrade) return "DAEMON_RESTART_AFTER_UPGRADE is off";
  if (settings.onRefusal !== "stop") return `CHAINVISOR_ON_REFUSAL is ${settings.onRefusal}`;
  const { plans } = readQueue(machine.files, settings);
  return plans.length > 0 ? "a height of the operator's own is queued (add-upgrade --upgrade-height)" : undefined;
}

/** @returns undefined: it serves ABCI to a CometBFT that is started elsewhere, and knows a relay */
async function whyNotProgram(shared: Shared, { file }: Program): Promise<string | undefined> {
  const { machine, childEnv: env, settings, signal } = shared;
  const help = { args: ["start", "--help"], env, cwd: settings.root, millisMax: HELP_MILLIS, signal } as const;
  const { stdout } = await machine.processes.run(file, help);
  const isKnown = ["--engine", "--with-comet", "--transport", "--halt-linger"].every((flag) => stdout.includes(flag));
  return isKnown ? undefined : `${file} does not serve CometBFT by a socket as programs of this project do`;
}
