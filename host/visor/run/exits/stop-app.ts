/** How an application is ended, with all that it has started: at a height, by a signal, or since something went wrong. */

import { endApp } from "../../decide/end-app.js";
import type { AppProcess, ProcessEnd } from "../../decide/machine.js";
import type { Shared } from "../loop/options.js";
import { endLeftovers } from "./orphans.js";

/** For a program that finishes a block before it ends. */
export const OURS_GRACE_MILLIS = 30_000;
/** A shell's status of what a signal stopped is more. */
const SIGNALED_EXIT = 128;

export class AppStopper {
  /** @param isOurs is it one of this project's chains? */
  constructor(
    private readonly shared: Shared,
    private readonly isOurs: () => boolean,
  ) {}

  /** The application got the sidecar's signal, and is waited for. @returns the sidecar's exit status: a failure stays one */
  async passSignal(app: AppProcess): Promise<number> {
    const { shared } = this;
    const signal = signalOf(shared.signal);
    shared.log("info", `${signal}: passed on to the application, which is waited for`);
    const endSignals = shared.onSignal?.((each) => app.kill(each));
    const { shutdownGrace } = shared.settings;
    const grace = shutdownGrace > 0 ? shutdownGrace : undefined;
    const isShared = shared.isSignalShared?.(signal) ?? false;
    // Programs of this project count SIGINT, not SIGHUP: a second SIGINT would end the block that they are finishing.
    const reminder = isShared ? (this.isOurs() ? "SIGHUP" : signal) : undefined;
    const end = await endApp(app, { clock: shared.machine.clock, signal, grace, reminder });
    endSignals?.();
    // With the same patience: what is left has not had the signal.
    const rest = { clock: shared.machine.clock, signal, grace };
    await endLeftovers(shared, "application", (each) => endApp(each, rest));
    shared.log("info", `the application has ended (${end.exit ?? end.signal})`);
    return end.exit === null || end.exit > SIGNALED_EXIT ? 0 : end.exit;
  }

  /** What it has started and left. */
  async stopLeftovers(): Promise<void> {
    await endLeftovers(this.shared, "application", (app) => this.stop(app));
  }

  /** Of a sidecar that was killed. */
  async stopLeftoversOfKilledSidecar(): Promise<void> {
    await endLeftovers(this.shared, "killed sidecar", (app) => this.stop(app));
  }

  /** It is to go on at once: it finishes its block, whatever time an upgrade would leave it. */
  stopGently(app: AppProcess): Promise<ProcessEnd> {
    const { machine, settings, log } = this.shared;
    const grace = settings.shutdownGrace > 0 ? settings.shutdownGrace : OURS_GRACE_MILLIS;
    const onKill = () => log("warn", `the application did not exit within ${grace / 1_000} s and is killed`);
    return endApp(app, { clock: machine.clock, signal: "SIGTERM", grace, onKill });
  }

  async stop(app: AppProcess): Promise<ProcessEnd> {
    const { machine, settings, log } = this.shared;
    const { shutdownGrace } = settings;
    const isOurs = this.isOurs();
    const grace = shutdownGrace > 0 ? shutdownGrace : isOurs ? OURS_GRACE_MILLIS : 0;
    if (grace > 0) log("info", "sent interrupt to app, waiting for exit");
    const signal = isOurs ? "SIGTERM" : "SIGINT";
    let isKilled = grace === 0;
    const onKill = () => {
      isKilled = true;
      log("warn", "DAEMON_SHUTDOWN_GRACE exceeded, killing app");
    };
    const end = await endApp(app, { clock: machine.clock, signal, grace, onKill });
    if (!isKilled) log("info", "app exited normally");
    return end;
  }
}

/** What the sidecar got; who aborts by himself means SIGTERM. */
function signalOf({ reason }: AbortSignal): NodeJS.Signals {
  return typeof reason === "string" && /^SIG[A-Z]+$/.test(reason) ? (reason as NodeJS.Signals) : "SIGTERM";
}
