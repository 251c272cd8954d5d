/**
 * SIGTERM, SIGINT and SIGHUP of a node: the first one lets it finish the block under way, a second request makes it exit at once.
 */

import { StopRequests } from "../../base/terminal/stop-requests.js";
import type { Log } from "../../base/text/log-line.js";
import type { EngineThread } from "../../node/threads/engine-thread.js";

/** Of a process that a second signal ended. */
const ENDED_AT_ONCE_EXIT = 15;
/** A thread inside a transaction of the database cannot be ended by itself; the process can. */
const TERMINATE_MILLIS = 500;
const SIGNALS = ["SIGTERM", "SIGINT", "SIGHUP"] as const;

export class StopSignals {
  readonly #stop = new AbortController();
  readonly #requests = new StopRequests();
  readonly #listener = (signal: NodeJS.Signals) => this.#hear(signal);

  constructor(
    private readonly engine: EngineThread,
    private readonly log: Log,
    /** At the first signal. */
    private readonly stop: () => void = () => engine.stop(),
  ) {
    for (const signal of SIGNALS) process.on(signal, this.#listener);
  }

  /** Aborted when the node begins to stop. */
  get signal(): AbortSignal {
    return this.#stop.signal;
  }

  close(): void {
    for (const signal of SIGNALS) process.off(signal, this.#listener);
  }

  /** Nothing runs after it, so nothing can be half done: the database is whole after it at any moment. */
  kill(): never {
    process.kill(process.pid, "SIGKILL");
    throw new Error("SIGKILL comes at once");
  }

  #hear(signal: NodeJS.Signals): void {
    if (this.#requests.take(signal) === "at once") {
      void this.#endAtOnce(signal);
      return;
    }
    if (!this.#stop.signal.aborted) {
      this.#stop.abort();
      const height = this.engine.status.heightUnderWay;
      this.log("info", height > 0n ? `finishing block ${height}, then stopping` : "stopping");
      this.stop();
    }
  }

  async #endAtOnce(signal: NodeJS.Signals): Promise<void> {
    const height = this.engine.status.heightUnderWay;
    const what =
      height > 0n ? `: block ${height} is not finished, and nothing of it is kept unless it was committed` : "";
    this.log("warn", `a second signal (${signal}) ends the node at once${what}`);
    if (await this.engine.terminate(TERMINATE_MILLIS)) process.exit(ENDED_AT_ONCE_EXIT);
    this.kill();
  }
}
