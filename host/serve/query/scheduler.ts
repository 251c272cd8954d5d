/**
 * Long walks over state beside short questions: a walk computes for a millisecond, then everything else has its
 * turn. However many walks there are, one of them computes in a turn of the event loop, first come, first served.
 * Calls of websockets take turns among themselves in the same way (`rpc/websocket.ts`).
 */
import { UpgradeError } from "../../base/errors/errors.js";
import type { LeftSignal } from "../../base/types/types.js";

/** Milliseconds that a walk computes before others have their turn: a request takes several turns. */
const SLICE_MILLIS = 1;
/** Steps between two looks at the clock. */
const STEPS_PER_LOOK = 4;
/** Walks that wait for their next turn; more are refused. */
export const WALKS_MAX = 128;

export class Turns {
  readonly #waiting: (() => void)[] = [];

  /** @param max walks that may wait for their turn */
  constructor(private readonly max: number = WALKS_MAX) {}

  /** Settles when it is the caller's turn. @throws UpgradeError UPG_REMOTE_BUSY */
  async next(): Promise<void> {
    if (this.#waiting.length >= this.max) {
      throw new UpgradeError("UPG_REMOTE_BUSY", `${this.max} walks over the state are under way: try again`);
    }
    await new Promise<void>((resolve) => {
      this.#waiting.push(resolve);
      if (this.#waiting.length === 1) setImmediate(() => this.#give());
    });
  }

  #give(): void {
    this.#waiting.shift()?.();
    if (this.#waiting.length > 0) setImmediate(() => this.#give());
  }
}

/** Of this thread: its walks share one event loop. */
const TURNS = new Turns();

/**
 * Takes all steps, and gives way in between.
 * @throws UpgradeError UPG_REMOTE_BUSY, UPG_INVALID_ARGUMENT when the client has left, and what the steps throw
 */
export async function inTurns<T>(steps: Iterator<unknown, T>, signal?: LeftSignal): Promise<T> {
  let sliceEnd = performance.now() + SLICE_MILLIS;
  for (let taken = 1; ; taken++) {
    const step = steps.next();
    if (step.done) return step.value;
    if (taken % STEPS_PER_LOOK !== 0 || performance.now() < sliceEnd) continue;
    await TURNS.next();
    if (signal?.aborted) throw new UpgradeError("UPG_INVALID_ARGUMENT", "the client left before its answer was done");
    sliceEnd = performance.now() + SLICE_MILLIS;
  }
}
