/** Follows a run from outside: reports how far it has come, and stops it when the caller no longer waits. */
import { messageOf, UpgradeError } from "../base/errors/errors.js";
import { bestEffort } from "../base/errors/synchronous.js";
import type { OnProgress } from "../base/types/types.js";
import type { RunObserver } from "../upgrade/handler/run/run-position.js";

/** How far a run has come. */
export interface RunProgress {
  /** `witness`: its nodes are hashed; `handler`: the handler runs; `trees`: the stores' next trees are made. */
  readonly stage: "witness" | "handler" | "trees";
  /** The store that is scanned, or whose tree is made; "" in between. */
  readonly store: string;
  /** Key-value pairs of that store that were handed to the handler, of `recordsTotal`. */
  readonly records: number;
  readonly recordsTotal: number;
  readonly gas: bigint;
  /** The run fails beyond it. */
  readonly gasLimit: bigint;
}

/** Who watches a run, and stops it. */
export interface WatchOptions {
  /** Called a few times a second or more often, while the run waits. What it throws is dropped. */
  readonly onProgress?: ((progress: RunProgress) => void) | undefined;
  /** Stops the run: looked at between its stages and after each call of `onProgress`, which may abort it. */
  readonly signal?: AbortSignal | undefined;
}

/** Charges of the host between two reports: rare enough to cost nothing. */
const CHARGES_BETWEEN = 4_096;

export class RunWatch implements RunObserver {
  readonly #options: WatchOptions;
  #progress: RunProgress = { stage: "witness", store: "", records: 0, recordsTotal: 0, gas: 0n, gasLimit: 0n };
  #gasUsed: (() => bigint) | undefined;
  #charges = 0;
  #isStopped = false;

  constructor(options: WatchOptions) {
    this.#options = options;
  }

  /** @throws UpgradeError UPG_HANDLER_ENGINE when the caller has stopped the run */
  reach(stage: RunProgress["stage"], gasLimit = this.#progress.gasLimit): void {
    this.#report({ ...this.#progress, stage, store: "", records: 0, recordsTotal: 0, gasLimit });
  }

  /** The handler's own progress and that of its scans. */
  readonly onStore: OnProgress = (phase, store, records, recordsTotal) => {
    const stage = phase === "trees" ? "trees" : "handler";
    this.#report({ ...this.#progress, stage, store, records, recordsTotal, gas: this.#gas() });
  };

  readonly onGas = (used: () => bigint): void => {
    this.#gasUsed = used;
  };

  /** What a handler calls is charged, so it cannot go on for long after this throws. */
  readonly onCharge = (): void => {
    if (this.#isStopped) this.#stop();
    if (++this.#charges % CHARGES_BETWEEN === 0) this.#report({ ...this.#progress, gas: this.#gas() });
  };

  #gas(): bigint {
    return this.#gasUsed?.() ?? 0n;
  }

  #report(progress: RunProgress): void {
    this.#progress = progress;
    const { onProgress, signal } = this.#options;
    if (onProgress) bestEffort(() => onProgress(progress));
    this.#isStopped = signal?.aborted === true;
    if (this.#isStopped) this.#stop();
  }

  #stop(): never {
    const reason: unknown = this.#options.signal?.reason;
    const what = `the run was stopped before it was complete, so nothing is known of its result: ${messageOf(reason)}`;
    throw new UpgradeError("UPG_HANDLER_ENGINE", what, { cause: reason });
  }
}
