/** Time that passes when nobody has anything left to do. */
import type { Clock } from "../../../host/visor/decide/machine.js";

/** 2026-01-01, to the millisecond. */
const WALL_START = 1_767_225_600_000;

/** Files that were fetched are hashed and unpacked a piece in a turn. */
const IDLE_TURNS = 3;
/** Real ones. */
const LOAD_MILLIS = 200;

interface Timer {
  readonly at: number;
  readonly order: number;
  readonly wake: () => void;
}

export class VirtualClock implements Clock {
  #now = 0;
  #order = 0;
  readonly #timers = new Set<Timer>();

  now(): number {
    return this.#now;
  }

  wall(): number {
    return WALL_START + this.#now;
  }

  sleep(millis: number, signal?: AbortSignal): Promise<void> {
    if (signal?.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const over = () => {
        this.#timers.delete(timer);
        signal?.removeEventListener("abort", over);
        resolve();
      };
      const timer: Timer = { at: this.#now + Math.max(0, millis), order: this.#order++, wake: over };
      this.#timers.add(timer);
      signal?.addEventListener("abort", over, { once: true });
    });
  }

  /**
   * Lets time pass until `isOver`. What is under way in the real world, a request to the model's server, is waited for before.
   * @throws Error when that is not so in as much virtual time, or nobody waits for anything any more
   */
  async until(isOver: () => boolean, millisMax: number): Promise<void> {
    const end = this.#now + millisMax;
    for (;;) {
      for (let idle = 0; idle < IDLE_TURNS; idle = isReallyBusy() ? 0 : idle + 1) await turn();
      if (isOver()) return;
      const next = this.#next() ?? (await this.#later());
      if (!next) throw new Error("nobody waits for anything, and it is not over");
      if (next.at > end) throw new Error(`not over after ${millisMax / 1_000} s of virtual time`);
      this.#now = next.at;
      next.wake();
    }
  }

  /** A module may still be loaded. */
  async #later(): Promise<Timer | undefined> {
    await new Promise((resolve) => setTimeout(resolve, LOAD_MILLIS));
    return this.#next();
  }

  #next(): Timer | undefined {
    let first: Timer | undefined;
    for (const timer of this.#timers) {
      if (!first || timer.at < first.at || (timer.at === first.at && timer.order < first.order)) first = timer;
    }
    return first;
  }
}

/** A connection is open, or is being made; the model's server keeps none. */
const isReallyBusy = () => process.getActiveResourcesInfo().some((each) => /^TCP(SocketWrap|ConnectWrap)$/.test(each));

/** All that promises lead to. */
const turn = () => new Promise<void>((resolve) => setImmediate(resolve));
