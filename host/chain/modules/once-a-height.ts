/**
 * Results that take a walk over a whole store, kept for their height: state of a height never changes. They are worked
 * out one after the other, so that a client which asks at every height cannot pile them up.
 */

import { UpgradeError } from "../../base/errors/errors.js";
import type { QueryCall } from "../app/query/call.js";

/** Results that are kept, by height. */
const HEIGHTS_KEPT = 8;
/** Heights whose answer is being worked out or waits for it; more are refused. */
export const HEIGHTS_UNDER_WAY_MAX = 4;

interface Kept<T> {
  /** By height, the latest last. */
  readonly answers: Map<bigint, Promise<T>>;
  underWay: number;
  /** Settles when the walk before is done. */
  before: Promise<unknown>;
}

export class OnceAHeight<T> {
  /** Each application has its own state. */
  readonly #kept = new WeakMap<object, Kept<T>>();

  /** @param what names the answer in an error */
  constructor(
    private readonly what: string,
    private readonly compute: (call: QueryCall) => Promise<T>,
  ) {}

  /** Who asks while the answer is being worked out waits for the same one. @throws UpgradeError UPG_REMOTE_BUSY */
  of(call: QueryCall): Promise<T> {
    const kept = this.#keptOf(call.app);
    const known = kept.answers.get(call.height);
    if (known) return known;
    if (kept.underWay >= HEIGHTS_UNDER_WAY_MAX) {
      const what = `${this.what} is being worked out for ${kept.underWay} heights: try again, or ask at one height`;
      throw new UpgradeError("UPG_REMOTE_BUSY", what);
    }
    return this.#begin(kept, call);
  }

  #begin(kept: Kept<T>, call: QueryCall): Promise<T> {
    const { answers } = kept;
    // A client that leaves takes nothing from those who wait for the same answer.
    const { signal: _, ...alone } = call;
    const answer = kept.before.then(() => this.compute(alone));
    kept.underWay++;
    kept.before = answer.then(
      () => kept.underWay--,
      () => {
        kept.underWay--;
        answers.delete(call.height);
      },
    );
    answers.set(call.height, answer);
    for (const old of answers.keys()) {
      if (answers.size <= HEIGHTS_KEPT) break;
      answers.delete(old);
    }
    return answer;
  }

  #keptOf(app: object): Kept<T> {
    const known = this.#kept.get(app);
    if (known) return known;
    const kept: Kept<T> = { answers: new Map(), underWay: 0, before: Promise.resolve() };
    this.#kept.set(app, kept);
    return kept;
  }
}
