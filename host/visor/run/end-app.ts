/** Ends the application and waits until it is gone: nothing may touch its data before. */
import type { AppProcess, Clock, ProcessEnd } from "../machine.js";

export interface EndOptions {
  readonly clock: Clock;
  readonly signal: NodeJS.Signals;
  /** Milliseconds until it is killed; 0: at once. Undefined: it is waited for, however long it takes. */
  readonly grace: number | undefined;
  readonly onKill?: () => void;
}

export async function endApp(app: AppProcess, { clock, signal, grace, onKill }: EndOptions): Promise<ProcessEnd> {
  if (grace === 0) app.kill("SIGKILL");
  else app.kill(signal);
  if (grace === 0 || grace === undefined) return app.ended;
  const over = new AbortController();
  const late = clock.sleep(grace, over.signal).then(() => undefined);
  const end = await Promise.race([app.ended, late]);
  over.abort();
  if (end) return end;
  onKill?.();
  app.kill("SIGKILL");
  return app.ended;
}
