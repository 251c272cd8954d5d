/** A process that its parent starts ahead of time says that it is ready, and goes on when it is called. */

/** The message to the parent; any message of the parent's is the call. */
const READY = "ready";

/** What of a process is needed for it. */
export interface Standby {
  send?(message: string): unknown;
  once(event: "message", listener: () => void): unknown;
}

/** Settles when the parent has called, or `signal` is aborted, as it is when the parent is gone (end-with-parent.ts). */
export function untilCalled(self: Standby, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted || !self.send) return resolve();
    signal.addEventListener("abort", () => resolve(), { once: true });
    self.once("message", resolve);
    self.send(READY);
  });
}
