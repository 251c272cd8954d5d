/** Ends the application and waits until it is gone: nothing may touch its data before. */
import type { AppProcess, Clock, ProcessEnd } from "./machine.js";

export interface EndOptions {
  readonly clock: Clock;
  readonly signal: NodeJS.Signals;
  /** Milliseconds until it is killed; 0: at once. Undefined: it is waited for, however long it takes. */
  readonly grace: number | undefined;
  readonly onKill?: () => void;
  /** It has got the signal already, of the terminal: this one follows in case that it has not. */
  readonly reminder?: NodeJS.Signals | undefined;
}

const SHARED_MILLIS = 2_000;

export async function endApp(
  app: AppProcess,
  { clock, signal, grace, onKill, reminder }: EndOptions,
): Promise<ProcessEnd> {
  if (grace === 0) {
    app.kill("SIGKILL");
    return app.ended;
  }
  const over = new AbortController();
  if (reminder) void clock.sleep(SHARED_MILLIS, over.signal).then(() => over.signal.aborted || app.kill(reminder));
  else app.kill(signal);
  const late = grace === undefined ? [] : [clock.sleep(grace, over.signal).then(() => undefined)];
  const end = await Promise.race([app.ended, ...late]);
  over.abort();
  if (end) return end;
  onKill?.();
  app.kill("SIGKILL");
  return app.ended;
}
