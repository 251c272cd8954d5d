/** A signal that aborts after a while. `AbortSignal.timeout` and `AbortSignal.any` are younger than some browsers in use. */

export class Deadline {
  readonly #controller = new AbortController();
  readonly #parent: AbortSignal | undefined;
  readonly #timer: ReturnType<typeof setTimeout>;
  readonly #stop = () => this.#controller.abort(this.#parent?.reason);

  /**
   * @param words the message of the signal's reason
   * @param parent aborts this one too
   */
  constructor(millis: number, words: string, parent?: AbortSignal) {
    this.#timer = setTimeout(() => this.#controller.abort(new Error(words)), millis);
    this.#parent = parent;
    if (parent?.aborted) this.#stop();
    else parent?.addEventListener("abort", this.#stop);
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** It is not needed any more. */
  end(): void {
    clearTimeout(this.#timer);
    this.#parent?.removeEventListener("abort", this.#stop);
  }
}

/** Rejects with the signal's reason when it aborts first: also where what is waited for does not know the signal. */
export function until<T>(signal: AbortSignal | undefined, work: Promise<T>): Promise<T> {
  if (!signal) return work;
  return new Promise<T>((resolve, reject) => {
    const stop = () => reject(signal.reason);
    if (signal.aborted) stop();
    signal.addEventListener("abort", stop);
    work.then(resolve, reject).finally(() => signal.removeEventListener("abort", stop));
  });
}
