/** The sidecar's status, kept in memory: who changes it does not wait for who shows it, and is not ended by them. */

import { completeAll } from "../../base/text/program-text.js";
import type { Clock } from "../decide/machine.js";
import { VISOR_PROGRAM } from "../decide/program-variables.js";
import type { Phase, StatusBoard, VisorStatus, VisorTotals } from "../decide/status.js";

/** From the end of the application at the height until it makes blocks again. */
const WITHOUT_BLOCKS: ReadonlySet<Phase> = new Set(["halted", "backing up", "switching", "migrating"]);
/** The application makes blocks. */
const WITH_BLOCKS: ReadonlySet<Phase> = new Set(["running", "waiting", "downloading", "ready"]);

export class Board implements StatusBoard {
  #current: VisorStatus;
  #totals: VisorTotals = { downloadBytes: 0, backupBytes: 0 };
  #haltedAt: number | undefined;
  #lastHaltSeconds: number | undefined;
  readonly #listeners = new Set<(status: VisorStatus) => void>();

  constructor(
    private readonly clock: Pick<Clock, "now" | "wall">,
    /** What is known at the start, as the program. */
    first: Partial<Omit<VisorStatus, "v" | "since">> = {},
  ) {
    this.#current = { ...NOTHING_KNOWN, ...first, since: this.#time() };
  }

  get current(): VisorStatus {
    return this.#current;
  }

  get totals(): VisorTotals {
    return this.#totals;
  }

  get lastHaltSeconds(): number | undefined {
    return this.#lastHaltSeconds;
  }

  update(change: Partial<Omit<VisorStatus, "v" | "since">>): void {
    const before = this.#current;
    const phase = change.phase ?? before.phase;
    const since = phase === before.phase ? before.since : this.#time();
    // Errors that the status repeats may hold commands to type: here they are the sidecar's, as in its log.
    const after: VisorStatus = { ...before, ...completeAll(change, VISOR_PROGRAM), since };
    if (JSON.stringify(after) === JSON.stringify(before)) return;
    this.#current = after;
    if (phase !== before.phase) this.#measure(phase);
    for (const listener of [...this.#listeners]) this.#call(listener);
  }

  count(what: keyof VisorTotals, more: number): void {
    this.#totals = { ...this.#totals, [what]: this.#totals[what] + more };
  }

  onChange(listener: (status: VisorStatus) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  #time(): string {
    return new Date(this.clock.wall()).toISOString();
  }

  #measure(phase: Phase): void {
    if (WITHOUT_BLOCKS.has(phase)) this.#haltedAt ??= this.clock.now();
    else if (!WITH_BLOCKS.has(phase)) this.#haltedAt = undefined;
    else if (this.#haltedAt !== undefined) {
      this.#lastHaltSeconds = (this.clock.now() - this.#haltedAt) / 1_000;
      this.#haltedAt = undefined;
    }
  }

  /** The run loop goes on whatever becomes of a page or a socket. */
  #call(listener: (status: VisorStatus) => void): void {
    try {
      listener(this.#current);
    } catch {
      this.#listeners.delete(listener);
    }
  }
}

const NOTHING_KNOWN: Omit<VisorStatus, "since"> = {
  v: 1,
  phase: "starting",
  program: null,
  height: null,
  plan: null,
  eta: null,
  progress: null,
  readiness: [],
  upgrades: 0,
  restarts: 0,
  message: "",
  next: [],
};
