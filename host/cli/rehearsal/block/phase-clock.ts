/** How long each part of a block took: a part begins where the one before it ends, so they add up to the whole. */
import { asHost } from "../../../base/errors/synchronous.js";

/** A part of a block, as reports name it. */
export interface PhaseTime {
  /** `load`, `decide`, `handler`, `invariants`, `probes`, `begin block`, `end block`, `trees`, `commit`, or a progress phase. */
  readonly phase: string;
  /** "" where it is of no store. */
  readonly store: string;
  readonly millis: number;
}

export class PhaseClock {
  readonly #spent = new Map<string, { phase: string; store: string; millis: number }>();
  #phase = "";
  #store = "";
  #since = 0;

  constructor(private readonly now: () => number = () => asHost(() => performance.now())) {}

  enter(phase: string, store = ""): void {
    if (phase === this.#phase && store === this.#store) return;
    this.stop();
    this.#phase = phase;
    this.#store = store;
    this.#since = this.now();
  }

  /** What follows is of no phase. */
  stop(): void {
    if (this.#phase === "") return;
    const key = `${this.#phase}\0${this.#store}`;
    const spent = this.#spent.get(key) ?? { phase: this.#phase, store: this.#store, millis: 0 };
    spent.millis += this.now() - this.#since;
    this.#spent.set(key, spent);
    this.#phase = "";
  }

  /** In the order in which they began first. */
  get phases(): readonly PhaseTime[] {
    return [...this.#spent.values()];
  }

  get total(): number {
    return this.phases.reduce((sum, { millis }) => sum + millis, 0);
  }
}
