/** Where the application is between a block and the next, by the calls that CometBFT has made of it. */
export class BlockWatch {
  #end: (() => void) | undefined;
  #done: Promise<void> = Promise.resolve();
  #hasRun = false;

  /** A run begins; one that CometBFT did not have committed is replaced by it. */
  begin(): void {
    this.#hasRun = false;
    if (this.#end) return;
    this.#done = new Promise((resolve) => {
      this.#end = resolve;
    });
  }

  /** What is left is its commit. */
  ran(): void {
    this.#hasRun = true;
  }

  /** It was committed, or will not be. */
  end(): void {
    this.#end?.();
    this.#end = undefined;
  }

  /** Is a block between the beginning of its run and its commit? */
  get isUnderWay(): boolean {
    return this.#end !== undefined;
  }

  get isInRun(): boolean {
    return this.isUnderWay && !this.#hasRun;
  }

  /** Settles when no block is under way. */
  untilDone(): Promise<void> {
    return this.#done;
  }
}
