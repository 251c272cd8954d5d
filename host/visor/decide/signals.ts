/** Signals that the sidecar gets. The first one but SIGHUP asks it to stop; all are the application's, too. SIGHUP stops a relay. */
import { StopRequests } from "../../base/terminal/stop-requests.js";

/** What of a process is needed for it. */
export interface Signalled {
  on(signal: NodeJS.Signals, listener: (signal: NodeJS.Signals) => void): unknown;
  off(signal: NodeJS.Signals, listener: (signal: NodeJS.Signals) => void): unknown;
  readonly stdin: { readonly isTTY?: boolean };
}

export const SIGNALS = ["SIGTERM", "SIGINT", "SIGQUIT", "SIGHUP"] as const;
/** A terminal's keys reach the whole process group: the application has had the signal already. */
const OF_TERMINAL: ReadonlySet<NodeJS.Signals> = new Set(["SIGINT", "SIGQUIT", "SIGHUP"]);

export class Signals {
  readonly #stop = new AbortController();
  readonly #requests = new StopRequests();
  readonly #listeners = new Set<(signal: NodeJS.Signals) => void>();
  readonly #hear = (signal: NodeJS.Signals) => {
    // It means "read your settings again" to some, and nothing to the sidecar: a log rotation must not stop a validator.
    const isHangup = signal === "SIGHUP" && !this.isStoppedByHangup;
    const request = isHangup ? "at once" : this.#requests.take(signal);
    if (request === "stop") this.#stop.abort(signal);
    else if (request === "at once") for (const listener of [...this.#listeners]) listener(signal);
  };

  constructor(
    private readonly process: Signalled,
    private readonly isStoppedByHangup = false,
  ) {
    for (const signal of SIGNALS) process.on(signal, this.#hear);
  }

  /** Aborted with the name of the first one that asks to stop. */
  get signal(): AbortSignal {
    return this.#stop.signal;
  }

  /** Has the application got it without the sidecar? */
  isShared(signal: NodeJS.Signals): boolean {
    return this.process.stdin.isTTY === true && OF_TERMINAL.has(signal);
  }

  /**
   * Later requests, and each SIGHUP. Returns what ends it.
   * @param reach `application`: without those that it gets from the terminal itself
   */
  onLater(listener: (signal: NodeJS.Signals) => void, reach: "application" | "sidecar" = "application"): () => void {
    const pass = (signal: NodeJS.Signals) => (reach === "application" && this.isShared(signal)) || listener(signal);
    this.#listeners.add(pass);
    return () => void this.#listeners.delete(pass);
  }

  close(): void {
    for (const signal of SIGNALS) this.process.off(signal, this.#hear);
  }
}
