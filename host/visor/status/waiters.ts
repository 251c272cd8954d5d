/** Those who wait for the status to change: so many at most, so long at most, and none that has left. */
import { UpgradeError } from "../../base/errors/errors.js";
import type { StatusBoard } from "../decide/status.js";

const WAITERS_MAX = 64;

/** Its end is that of a client. */
export interface Leaving {
  once(event: "close", listener: () => void): unknown;
}

export class Waiters {
  readonly #waiting = new Set<() => void>();
  readonly #forget: () => void;
  #version = 0;

  constructor(board: StatusBoard) {
    this.#forget = board.onChange(() => this.#changed());
  }

  /** Changes whenever the status does. */
  get version(): string {
    return `"${process.pid}-${this.#version}"`;
  }

  get count(): number {
    return this.#waiting.size;
  }

  /**
   * Settles at the next change, after that time, or when the client has left; at once when it knows another version.
   * @throws UpgradeError UPG_REMOTE_BUSY
   */
  async wait(millis: number, known: string | undefined, client: Leaving): Promise<void> {
    if (known !== undefined && known !== this.version) return;
    if (this.#waiting.size >= WAITERS_MAX) {
      throw new UpgradeError("UPG_REMOTE_BUSY", `${WAITERS_MAX} clients wait for a change of the status: try again`);
    }
    await new Promise<void>((resolve) => {
      const over = () => {
        clearTimeout(timer);
        this.#waiting.delete(over);
        resolve();
      };
      const timer = setTimeout(over, millis);
      this.#waiting.add(over);
      client.once("close", over);
    });
  }

  close(): void {
    this.#forget();
    this.#changed();
  }

  #changed(): void {
    this.#version++;
    for (const over of [...this.#waiting]) over();
  }
}
