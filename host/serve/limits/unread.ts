/**
 * Bytes of responses that clients have not read: one budget over all servers, so that however many
 * clients do not read, the node's memory is bounded. An answer that is not taken in time is dropped with its connection.
 */
import { UpgradeError } from "../../base/errors/errors.js";
import type { ServerLimits } from "./server-limits.js";

/** How often responses are checked for being read too slowly. */
const CHECK_MILLIS = 1_000;

export function noRoom(): UpgradeError {
  return new UpgradeError("UPG_REMOTE_BUSY", "clients have not taken the answers that wait for them: try again");
}

/** What is given up when it is not taken in time. */
export interface Dropped {
  destroy(): unknown;
}

/** What carries an answer: a response, a stream. */
export interface Carrier extends Dropped {
  readonly destroyed: boolean;
  once(event: "close", listener: () => void): unknown;
}

export class UnreadBytes {
  readonly #held = new Map<Dropped, { readonly bytes: number; readonly due: number }>();
  #bytes = 0;
  #check: NodeJS.Timeout | undefined;

  constructor(private readonly limits: Pick<ServerLimits, "unreadBytes" | "answerMillis">) {}

  /** Bytes that wait to be taken. */
  get bytes(): number {
    return this.#bytes;
  }

  hasRoom(bytes: number): boolean {
    return this.#bytes + bytes <= this.limits.unreadBytes;
  }

  /** False: there is no room for so many. */
  take(bytes: number): boolean {
    if (!this.hasRoom(bytes)) return false;
    this.#bytes += bytes;
    return true;
  }

  give(bytes: number): void {
    this.#bytes -= bytes;
  }

  /** Holds room for an answer, or for one part more of it, until its carrier closes. False: there is none, or the carrier is gone. */
  hold(carrier: Carrier, bytes: number): boolean {
    const isFirst = !this.#held.has(carrier);
    // One that has closed says so no more, and would be held for ever.
    if (carrier.destroyed || !this.put(carrier, bytes)) return false;
    if (isFirst) carrier.once("close", () => this.release(carrier));
    return true;
  }

  /** The same until it is released: `carrier` is dropped when that takes too long. */
  put(carrier: Dropped, bytes: number): boolean {
    if (!this.take(bytes)) return false;
    const before = this.#held.get(carrier)?.bytes ?? 0;
    // The time begins with the last part, and so does the place in the order.
    this.#held.delete(carrier);
    this.#held.set(carrier, { bytes: before + bytes, due: performance.now() + this.limits.answerMillis });
    this.#check ??= setInterval(() => this.#dropLate(), Math.min(CHECK_MILLIS, this.limits.answerMillis)).unref();
    return true;
  }

  /** The client has taken it, or has left. The second time nothing happens. */
  release(carrier: Dropped): void {
    const held = this.#held.get(carrier);
    if (held && this.#held.delete(carrier)) this.give(held.bytes);
  }

  #dropLate(): void {
    const now = performance.now();
    // In the order in which they were put out, so the first that has time ends the look.
    for (const [carrier, { due }] of this.#held) {
      if (due > now) break;
      carrier.destroy();
    }
    if (this.#held.size > 0) return;
    clearInterval(this.#check);
    this.#check = undefined;
  }
}
