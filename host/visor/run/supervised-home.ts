/** A home under its one supervisor, which `chainvisor run` and `chaind relay` both are: the lock, the status, the signals, the loop. */
import { join } from "node:path";
import type { Log } from "../../base/text/log-line.js";
import { HomeLock } from "../../node/home/home-lock.js";
import { SIDECAR_LOCK } from "../../node/home/supervised-start.js";
import { requireOwnHome } from "../decide/own-home.js";
import type { Settings } from "../decide/settings.js";
import { SIGNALS, Signals } from "../decide/signals.js";
import { Board } from "../status/board.js";
import { notifySystemd } from "../status/notify.js";
import { openStatus } from "../status/server.js";
import type { VisorOptions } from "./loop/options.js";
import { runVisor } from "./loop/visor.js";
import { realMachine } from "./real-machine.js";

export interface SupervisedHome extends Pick<VisorOptions, "args" | "env" | "command" | "isHoldReported"> {
  readonly settings: Settings;
  /** Opened once the settings are found to be of this home. */
  openLog(): Log;
  /** Does SIGHUP ask to stop, as of a program in a terminal? The application of a sidecar gets it, and the sidecar goes on. */
  readonly isStoppedByHangup?: boolean;
}

/**
 * @returns the exit status of docs/errors.md
 * @throws UpgradeError UPG_STORE_LOCKED: another supervisor has this home; UPG_INVALID_ARGUMENT: the program is given another home
 */
export async function superviseHome({ openLog, isStoppedByHangup, ...options }: SupervisedHome): Promise<number> {
  requireOwnHome(options);
  const log = openLog();
  const lock = HomeLock.acquire(join(options.settings.root, SIDECAR_LOCK));
  const signals = new Signals(process, isStoppedByHangup);
  try {
    return await supervised(options, signals, log);
  } finally {
    // The process may go on for a while: a signal that nobody hears would end it with a status of its own.
    for (const each of SIGNALS) process.on(each, endNow);
    signals.close();
    lock.release();
  }
}

/** With the status that it has come to. */
const endNow = () => process.exit();

async function supervised(
  options: Omit<SupervisedHome, "openLog" | "isStoppedByHangup">,
  signals: Signals,
  log: Log,
): Promise<number> {
  const { settings, env, args } = options;
  const machine = realMachine;
  const board = new Board(machine.clock);
  if (process.pid === 1) {
    log(
      "warn",
      "this is process 1: what the application leaves running when it ends is not reaped; use an init (docker --init)",
    );
  }
  const status = await openStatus({ board, settings, machine, args, log });
  const { signal } = signals;
  try {
    const endNotify = notifySystemd({ machine, board, env, cwd: settings.root });
    const run = runVisor({
      ...{ ...options, machine, board, log, signal },
      onSignal: (listener, reach) => signals.onLater(listener, reach),
      isSignalShared: (name) => signals.isShared(name),
    });
    return await run.finally(endNotify);
  } finally {
    await status.close();
  }
}
