/** So many calls at a time, and so many that wait; what is more is refused at once. */
import { UpgradeError } from "../../base/errors/errors.js";

export class Gate {
  #running = 0;
  readonly #waiting: (() => void)[] = [];

  constructor(
    private readonly runningMax: number,
    private readonly waitingMax: number,
  ) {}

  /** @throws UpgradeError UPG_REMOTE_BUSY; what `work` throws */
  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.#running >= this.runningMax) await this.#turn();
    else this.#running++;
    try {
      return await work();
    } finally {
      // The place is handed on, so that none who comes now is before those who wait.
      const next = this.#waiting.shift();
      if (next) next();
      else this.#running--;
    }
  }

  #turn(): Promise<void> {
    if (this.#waiting.length >= this.waitingMax) {
      throw new UpgradeError(
        "UPG_REMOTE_BUSY",
        `${this.#running} calls to CometBFT are under way and ${this.#waiting.length} wait: try again`,
      );
    }
    return new Promise((resolve) => this.#waiting.push(resolve));
  }
}
