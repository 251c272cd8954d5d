/** The relay's own questions to a worker, on a connection of their own: the responses come in order. */
import type { Socket } from "node:net";
import { UpgradeError } from "../../base/errors/errors.js";
import { FrameReader, frame } from "../../node/comet/frames.js";
import { EXCEPTION, exceptionText, FLUSH, messageNumber, REQUEST } from "./abci-message.js";

export class WorkerClient {
  readonly #waiting: { resolve(response: Uint8Array): void; reject(error: Error): void }[] = [];

  constructor(private readonly socket: Socket) {
    const frames = new FrameReader();
    socket.on("data", (chunk: Uint8Array) => {
      try {
        for (const message of frames.take(chunk)) this.#take(message);
      } catch {
        socket.destroy();
      }
    });
    socket.once("close", () => {
      for (const { reject } of this.#waiting.splice(0)) reject(new Error("the worker hung up"));
    });
  }

  /** @throws UpgradeError UPG_REMOTE_REFUSED: an exception; Error: it hung up */
  ask(request: Uint8Array): Promise<Uint8Array> {
    return new Promise((resolve, reject) => {
      if (this.socket.destroyed) return reject(new Error("the worker hung up"));
      this.#waiting.push({ resolve, reject });
      for (const message of [request, FLUSH]) for (const part of frame(message)) this.socket.write(part);
    });
  }

  close(): void {
    this.socket.destroy();
  }

  #take(response: Uint8Array): void {
    const number = messageNumber(response);
    if (number === REQUEST.flush + 1) return;
    const asked = this.#waiting.shift();
    if (number !== EXCEPTION) asked?.resolve(response);
    else asked?.reject(new UpgradeError("UPG_REMOTE_REFUSED", `the worker refused: ${exceptionText(response)}`));
  }
}
