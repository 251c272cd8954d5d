/** `chainvisor run`: all after the word are the application's arguments. */

import { join } from "node:path";
import type { Cobra } from "../../../base/terminal/cobra.js";
import type { Log } from "../../../base/text/log-line.js";
import { HomeLock } from "../../../node/home/home-lock.js";
import { SIDECAR_LOCK } from "../../../node/home/supervised-start.js";
import { requireOwnHome } from "../../decide/own-home.js";
import { requireSettings } from "../../decide/settings/read.js";
import type { Settings } from "../../decide/settings.js";
import { SIGNALS, Signals } from "../../decide/signals.js";
import { Board } from "../../status/board.js";
import { notifySystemd } from "../../status/notify.js";
import { openStatus } from "../../status/server.js";
import { openSidecarLog, withLogFormat } from "../loop/log.js";
import { runVisor } from "../loop/visor.js";
import { realMachine } from "../real-machine.js";
import type { VisorTools } from "../tools.js";

export function registerRun(program: Cobra): void {
  program
    .command("run")
    .argument("[args...]", "all of them go to the program, flags too")
    .summary("Run the program, and go on with the next one at an upgrade")
    .description(
      "Runs <home>/cosmovisor/current/bin/<name> with these arguments, and takes it through upgrades. Flags of the sidecar are\n" +
        "before the word `run`; all after it go to the program, but --cosmovisor-config FILE and --chainvisor-config FILE.\n" +
        "SIGTERM, SIGINT and SIGQUIT are passed on; the sidecar ends when the program has, with 0 or its status. SIGHUP is passed on, and\n" +
        "the run goes on: a program that it stops is started again.",
    )
    .example("run start", "--home /var/lib/chain --name chaind run start --min-retain-blocks 500");
}

/**
 * @returns the exit status of docs/errors.md
 * @throws UpgradeError UPG_STORE_LOCKED: another sidecar has this home; UPG_INVALID_ARGUMENT: the program is given another home
 */
export async function runApp(tools: VisorTools, args: readonly string[]): Promise<number> {
  const read = tools.readSettings();
  requireSettings(read);
  const settings = withLogFormat(read, args, tools.env);
  requireOwnHome({ settings, args, env: tools.env });
  const log = openSidecarLog(tools.reporter, settings);
  for (const warning of read.warnings) log("warn", warning);
  const lock = HomeLock.acquire(join(settings.root, SIDECAR_LOCK));
  const signals = new Signals(process);
  try {
    return await supervised({ settings, env: tools.env, args, signals, log });
  } finally {
    // The process may go on for a while: a signal that nobody hears would end it with a status of its own.
    for (const each of SIGNALS) process.on(each, endNow);
    signals.close();
    lock.release();
  }
}

/** With the status that it has come to. */
const endNow = () => process.exit();

interface Run {
  readonly settings: Settings;
  readonly env: VisorTools["env"];
  readonly args: readonly string[];
  readonly signals: Signals;
  readonly log: Log;
}

async function supervised({ settings, env, args, signals, log }: Run): Promise<number> {
  const machine = realMachine;
  const board = new Board(machine.clock);
  if (process.pid === 1) {
    log(
      "warn",
      "this is process 1: what the application leaves running when it ends is not reaped; use an init (docker --init)",
    );
  }
  const status = await openStatus({ board, settings, machine, args, log });
  const endNotify = notifySystemd({ machine, board, env, cwd: settings.root });
  const { signal } = signals;
  try {
    return await runVisor({
      ...{ settings, args, env, machine, board, log, signal },
      onSignal: (listener, reach) => signals.onLater(listener, reach),
      isSignalShared: (name) => signals.isShared(name),
    });
  } finally {
    await endNotify();
    await status.close();
  }
}
