/**
 * What a websocket's client has sent that has no answer yet: parts of a message that is not whole, which the library
 * keeps up to the size of one request, and messages that wait for their turn. They count among all bytes that arrive.
 */
import type { Duplex } from "node:stream";
import type { RawData, WebSocket } from "ws";
import type { ArrivingBytes, ArrivingRoom } from "../limits/arriving.js";

/** A client's control frame besides its data: two bytes and the mask. */
const CONTROL_FRAME_BYTES = 6;

/** What a waiting message takes besides its bytes: the smallest ones have none, and ten thousand of them arrive at once. */
const MESSAGE_BYTES = 256;

function bytesOf(data: RawData): number {
  const bytes = Array.isArray(data) ? data.reduce((sum, { length }) => sum + length, 0) : data.byteLength;
  return MESSAGE_BYTES + bytes;
}

export class SocketBytes {
  readonly #room: ArrivingRoom;
  /** Of a message that is not whole. */
  #part = 0;
  #waiting = 0;
  #isClosed = false;

  /** Make it before anything else hears of messages. */
  constructor(
    private readonly client: WebSocket,
    socket: Duplex,
    arriving: ArrivingBytes,
  ) {
    this.#room = arriving.room();
    // Before the library has looked at them: it may find the end of a message among them.
    socket.prependListener("data", (chunk: Buffer) => this.#change(chunk.length, 0));
    const onControl = (data: Buffer) => this.#change(-(data.length + CONTROL_FRAME_BYTES), 0);
    client.on("ping", onControl);
    client.on("pong", onControl);
    client.on("message", (data) => this.#change(-this.#part, bytesOf(data)));
    client.once("close", () => {
      this.#isClosed = true;
      this.#room.hold(0);
    });
  }

  /** A message has its answer. */
  done(data: RawData): void {
    this.#change(0, -bytesOf(data));
  }

  /** A client for whose bytes there is no room is let go. */
  #change(part: number, waiting: number): void {
    if (this.#isClosed) return;
    this.#part = Math.max(0, this.#part + part);
    this.#waiting += waiting;
    if (!this.#room.hold(this.#part + this.#waiting)) this.client.terminate();
  }
}
