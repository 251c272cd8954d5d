/**
 * CometBFT as a child of this node. It writes to this process's stderr. It ends by itself when the application's sockets
 * close, so that none is left behind, however this process ends; its own exit status says nothing that can be relied on (0, 1,
 * 2 or a signal for one and the same event) and is only reported.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";

/** CometBFT finishes what it writes in a fraction of it. */
const STOP_MILLIS = 10_000;
const STDERR = 2;

export interface CometEnd {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  /** It could not be started. */
  readonly error: Error | undefined;
}

export class CometProcess {
  /** Settles when it is gone; never rejects. */
  readonly ended: Promise<CometEnd>;
  readonly #child: ChildProcess;

  constructor(program: string, args: readonly string[]) {
    // In a process group of its own: a terminal's Ctrl-C comes to this process, which ends it in order.
    this.#child = spawn(program, [...args], { stdio: ["ignore", STDERR, STDERR], detached: true });
    this.ended = new Promise((resolve) => {
      this.#child.once("error", (error) => resolve({ code: null, signal: null, error }));
      this.#child.once("exit", (code, signal) => resolve({ code, signal, error: undefined }));
    });
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  /** Asks it to end, and ends it when it does not. */
  async stop(): Promise<void> {
    this.#child.kill("SIGTERM");
    const patience = new AbortController();
    const late = sleep(STOP_MILLIS, true, { signal: patience.signal }).catch(() => false);
    const isLate = await Promise.race([this.ended.then(() => false), late]);
    patience.abort();
    if (isLate) this.#child.kill("SIGKILL");
    await this.ended;
  }
}

export function describeEnd({ code, signal, error }: CometEnd): string {
  if (error) return `it could not be started: ${error.message}`;
  return signal ? `signal ${signal}` : `exit status ${code}`;
}
