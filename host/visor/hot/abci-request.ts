/** A request of CometBFT that has no response yet. */
import { COMMITTED, failed, isRecheck, messageNumber, REQUEST, STILL_VALID } from "./abci-message.js";

/** Workers that may end in a crash with the same transaction or query before it is taken for the reason. */
const CRASHES_MAX = 2;

export class AbciRequest {
  readonly number: number;
  /** The relay's own response, where no worker is to be asked. */
  own: Uint8Array | undefined;
  /** True once a worker received it. */
  isGiven = false;
  #crashes = 0;

  constructor(readonly message: Uint8Array) {
    this.number = messageNumber(message);
  }

  /**
   * The worker that it was given to has ended. What a block needs is always given again. Transactions that wait in the mempool
   * are checked again after the next block, all of them: those whose check was cut off stay until then, since a new worker does
   * not know which of the same sender it has passed before.
   */
  workerEnded(isCrash: boolean): void {
    if (!this.isGiven || this.own) return;
    const { number } = this;
    if (isCrash) this.#crashes++;
    if (number === REQUEST.checkTx && isRecheck(this.message)) this.own = STILL_VALID;
    else if (this.#crashes < CRASHES_MAX) return;
    else if (number === REQUEST.checkTx || number === REQUEST.query) {
      this.own = failed(number, `the application ended ${this.#crashes} times while it worked on this`);
    }
  }

  /** The Commit was done, and its response was lost. */
  wasCommitted(): void {
    this.own = COMMITTED;
  }
}
