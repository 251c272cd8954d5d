/**
 * Bytes of requests that have arrived and have no response yet: one budget over all servers, so that however many clients send at
 * once, and however slowly, the node's memory is bounded. The size of each request has a bound of its own.
 */
import { UpgradeError } from "../../base/errors/errors.js";
import type { ServerLimits } from "./server-limits.js";

export function noRoomForRequest(): UpgradeError {
  return new UpgradeError(
    "UPG_REMOTE_BUSY",
    "requests that wait for their response take up all the room there is: try again",
  );
}

export class ArrivingBytes {
  readonly #bytesMax: number;
  #bytes = 0;

  /** A single request of the greatest size has room in any case. */
  constructor({ arrivingBytes, bodyBytes }: Pick<ServerLimits, "arrivingBytes" | "bodyBytes">) {
    this.#bytesMax = Math.max(arrivingBytes, bodyBytes);
  }

  /** Bytes that are held. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Room for what one request brings. */
  room(): ArrivingRoom {
    return new ArrivingRoom(this);
  }

  /** So many bytes more are held, or fewer. False: there is no room for them. */
  move(bytes: number): boolean {
    if (bytes > 0 && this.#bytes + bytes > this.#bytesMax) return false;
    this.#bytes += bytes;
    return true;
  }
}

/** What one request, stream or websocket holds of the budget. */
export class ArrivingRoom {
  #held = 0;

  constructor(private readonly all: ArrivingBytes) {}

  /** Holds so many bytes from now on, more or less than before. False: there is no room, and it holds what it held. */
  hold(bytes: number): boolean {
    if (bytes === this.#held) return true;
    if (!this.all.move(bytes - this.#held)) return false;
    this.#held = bytes;
    return true;
  }
}
