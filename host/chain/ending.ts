import { withinEngineLimits } from "../engine-limit.js";

/** What failed once ends an application: nothing more runs in it; a later call throws the first error. */
export class Ending {
  #error: unknown;

  /** @throws what `work` throws; what ended the application before */
  run<T>(work: () => T): T {
    if (this.#error) throw this.#error;
    try {
      return withinEngineLimits(work);
    } catch (error) {
      this.#error = error;
      throw error;
    }
  }

  /** The application goes on from its last commit. */
  forget(): void {
    this.#error = undefined;
  }
}
