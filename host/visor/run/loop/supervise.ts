/** One run of the application: until it ends, a plan is due, or the sidecar is to stop. */
import type { Program } from "../../../node/programs/layout.js";
import type { Decision } from "../../decide/decision/decide.js";
import type { AppProcess, ProcessEnd } from "../../decide/machine.js";
import { takeRestartRequest } from "../../decide/restart-request.js";
import type { Observations } from "./observations.js";
import type { Shared } from "./options.js";

export type RunResult =
  | { readonly kind: "ended"; readonly end: ProcessEnd }
  | { readonly kind: "due"; readonly decision: Extract<Decision, { kind: "switch" }> }
  /** An operator has asked for it. */
  | { readonly kind: "restart" }
  | { readonly kind: "stop" };

export interface Supervision {
  readonly app: AppProcess;
  readonly current: Program;
  readonly look: Observations;
  readonly shared: Shared;
  /** After each look that switches nothing. */
  readonly onLook: (decision: Extract<Decision, { kind: "go-on" }>) => void;
  /** May it be switched to now? Where not, it is asked again at the next look. */
  readonly isReady: (decision: Extract<Decision, { kind: "switch" }>) => boolean;
}

export async function supervise(supervision: Supervision): Promise<RunResult> {
  const { app, shared } = supervision;
  const over = new AbortController();
  const due = new Promise<RunResult>((resolve) => looks(supervision, over.signal, resolve));
  const ended = app.ended.then((end): RunResult => ({ kind: "ended", end }));
  const stop = aborted(shared.signal, over.signal).then((): RunResult => ({ kind: "stop" }));
  const result = await Promise.race([ended, due, stop]);
  over.abort();
  return result;
}

/** When the system reports a change in the folder, and after each interval: it may report nothing on a network's disk. */
function looks(supervision: Supervision, over: AbortSignal, resolve: (result: RunResult) => void): void {
  const { shared, look, current, onLook, isReady } = supervision;
  const { machine, settings, places, log } = shared;
  const lookNow = () => {
    if (over.aborted) return;
    try {
      const decision = look.decideWhileRunning(current);
      if (takeRestartRequest(machine.files, places.restartFile)) return resolve({ kind: "restart" });
      if (decision.kind === "go-on") onLook(decision);
      else if (isReady(decision)) resolve({ kind: "due", decision });
      // Ours says it by its RPC: its command would take the processor of the upgrade.
      const isMigrating = shared.board.current.phase === "migrating" && !look.isOurs;
      const isAwaited = decision.kind === "switch" || decision.pending !== undefined || isMigrating;
      look.heights.ask(isAwaited ? current.file : undefined, lookNow);
    } catch (error) {
      // The application goes on whatever the disk refuses to show.
      log("debug", `a look failed: ${String(error)}`);
    }
  };
  const endWatch = machine.watch(places.data, lookNow);
  over.addEventListener("abort", endWatch, { once: true });
  const poll = async () => {
    while (!over.aborted) {
      lookNow();
      await machine.clock.sleep(settings.pollInterval, over);
    }
  };
  void poll();
}

function aborted(signal: AbortSignal, over: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const listen = () => resolve();
    signal.addEventListener("abort", listen, { once: true });
    over.addEventListener("abort", () => signal.removeEventListener("abort", listen), { once: true });
  });
}
