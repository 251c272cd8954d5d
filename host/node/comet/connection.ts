/**
 * One ABCI connection: requests in, responses out in the order of the requests. A few requests are worked on at a time;
 * while as many wait, or the engine does not read, nothing more is read from the socket.
 */

import type { Socket } from "node:net";
import { isUpgradeError, messageOf, UpgradeError } from "../../base/errors/errors.js";
import { completeText, PROGRAM } from "../../base/text/program-text.js";
import { requireEngine, requireFraming } from "./engine-version.js";
import { FrameReader, frame } from "./frames.js";
import { type Answer, type Call, decodeRequest, encodeResponse } from "./messages.js";

/** Requests of one connection that are worked on or whose responses wait: CometBFT sends queries and checks ahead. */
export const REQUESTS_WAITING_MAX = 256;
/** Responses are written when no other one is ready, and when they are as many bytes. */
const WRITE_BYTES = 65_536;

export interface ConnectionOptions {
  /** Name of the chain's program, in errors with commands to type. */
  readonly program: string;
  /** Rejects: the response is an exception with the message. */
  readonly answer: (call: Call, connection: AbciConnection) => Promise<Answer>;
  readonly frameBytesMax?: number;
  /** Called when the client does not speak ABCI over this transport. */
  readonly onForeign?: (error: UpgradeError) => void;
}

/** A response to come. */
interface Waiting {
  readonly made: Promise<Uint8Array>;
  isMade: boolean;
}

export class AbciConnection {
  /** Settles when the connection is closed; never rejects. */
  readonly closed: Promise<void>;
  /** In the order of the requests. */
  readonly #waiting: Waiting[] = [];
  #hasRoom: () => void = () => undefined;
  #hasWork: () => void = () => undefined;
  /** Nothing more is read. */
  #isRead = false;
  /** Nothing more is written. */
  #isWritten = false;

  constructor(
    private readonly socket: Socket,
    private readonly options: ConnectionOptions,
  ) {
    // What fails is seen where it is read or written; without a listener it would end the process.
    socket.on("error", () => undefined);
    socket.setNoDelay(true);
    const loops = [this.#read(), this.#write()];
    this.closed = Promise.allSettled(loops).then(() => void socket.destroy());
  }

  /** Gives up what is under way. */
  destroy(): void {
    this.socket.destroy();
  }

  /** A message that is no request gets an exception and the next one is read; after a wrong length nothing can be. */
  async #read(): Promise<void> {
    const frames = new FrameReader(this.options.frameBytesMax);
    let isFirst = true;
    try {
      // What is to be said of a wrong length is still to be written.
      for await (const chunk of this.socket.iterator({ destroyOnReturn: false })) {
        if (isFirst) requireFraming(chunk as Uint8Array);
        isFirst = false;
        for (const message of frames.take(chunk as Uint8Array)) {
          this.#push(this.#answer(message));
          if (this.#waiting.length >= REQUESTS_WAITING_MAX) await this.#untilRoom();
        }
      }
      if (frames.isMidway)
        throw new UpgradeError("UPG_INVALID_ARGUMENT", "the engine hung up in the middle of a message");
    } catch (error) {
      if (isUpgradeError(error) && error.code === "UPG_INVALID_CONFIG") this.options.onForeign?.(error);
      this.#push(Promise.resolve(this.#exception(error)));
    } finally {
      this.#isRead = true;
      this.#hasWork();
    }
  }

  async #answer(message: Uint8Array): Promise<Uint8Array> {
    try {
      const call = decodeRequest(message);
      if (call.case === "info") this.#requireEngine(call.value);
      return encodeResponse(this.#completed(await this.options.answer(call, this)));
    } catch (error) {
      return this.#exception(error);
    }
  }

  #exception(error: unknown): Uint8Array {
    const text = completeText(messageOf(error), this.options.program);
    return encodeResponse({ case: "exception", value: { error: text } });
  }

  /** What went wrong with a check or a query is in its log. */
  #completed(answer: Answer): Answer {
    if (answer.case !== "checkTx" && answer.case !== "query") return answer;
    const { log = "" } = answer.value;
    if (!log.includes(PROGRAM)) return answer;
    const whole = completeText(log, this.options.program);
    return answer.case === "query"
      ? { case: "query", value: { ...answer.value, log: whole } }
      : { case: "checkTx", value: { ...answer.value, log: whole } };
  }

  #requireEngine(info: Parameters<typeof requireEngine>[0]): void {
    try {
      requireEngine(info);
    } catch (error) {
      this.options.onForeign?.(error as UpgradeError);
      throw error;
    }
  }

  #push(made: Promise<Uint8Array>): void {
    const waiting: Waiting = { made, isMade: false };
    void made.then(() => {
      waiting.isMade = true;
    });
    this.#waiting.push(waiting);
    this.#hasWork();
  }

  #untilRoom(): Promise<void> {
    return new Promise((resolve) => {
      this.#hasRoom = resolve;
      if (this.#isWritten) resolve();
    });
  }

  /** Until nothing more is read and all that was asked for is written, or the engine is gone. */
  async #write(): Promise<void> {
    try {
      for (;;) {
        const [next] = this.#waiting;
        // What is made goes out before anything is waited for.
        if (!next?.isMade) this.#flush();
        if (next) {
          const response = await next.made;
          this.#waiting.shift();
          this.#hasRoom();
          await this.#send(response);
        } else if (this.#isRead) break;
        else await this.#untilWork();
      }
      await new Promise<void>((resolve) => this.socket.end(() => resolve()));
    } catch {
      this.socket.destroy();
    } finally {
      this.#isWritten = true;
      this.#hasRoom();
    }
  }

  #untilWork(): Promise<void> {
    return new Promise((resolve) => {
      this.#hasWork = resolve;
    });
  }

  async #send(response: Uint8Array): Promise<void> {
    const { socket } = this;
    if (socket.destroyed) throw new Error("the connection is closed");
    if (socket.writableCorked === 0) socket.cork();
    for (const part of frame(response)) socket.write(part);
    if (socket.writableLength < WRITE_BYTES) return;
    this.#flush();
    if (socket.writableNeedDrain) await this.#untilDrained();
  }

  /** The engine has read what was written, or is gone. */
  #untilDrained(): Promise<void> {
    const { socket } = this;
    return new Promise((resolve) => {
      const over = () => {
        socket.off("drain", over).off("close", over);
        resolve();
      };
      socket.on("drain", over).on("close", over);
    });
  }

  #flush(): void {
    if (this.socket.writableCorked > 0) this.socket.uncork();
  }
}
