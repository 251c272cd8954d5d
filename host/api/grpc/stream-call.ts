/** One call on an HTTP/2 stream: messages in, messages out, a status at its end. */
import { constants, type IncomingHttpHeaders, type ServerHttp2Stream } from "node:http2";
import { type DescMethod, fromBinary, type Message, toBinary } from "@bufbuild/protobuf";
import { UpgradeError } from "../../errors.js";
import { apiError } from "../errors.js";
import { ERROR_CODE_HEADER } from "../query/query.js";
import { type Dropped, noRoom, type UnreadBytes } from "../unread.js";
import { FrameReader, frameOf, ProtocolError, STATUS, statusMessage, timeoutMillis } from "./wire.js";

const HEAD = { ":status": 200, "content-type": "application/grpc", "grpc-accept-encoding": "identity" };

export interface StreamFacts {
  readonly descriptor: DescMethod;
  readonly bytesMax: number;
  readonly unread: UnreadBytes;
  readonly onBug: (error: unknown) => void;
  /** Room for bytes of messages that are not whole yet; negative gives back. False: there is none. */
  readonly hold: (bytes: number) => boolean;
  /** Once, with the status; a client that left was cancelled. */
  readonly onDone: (status: number) => void;
}

/** Ends a stream without any message. */
export function refuse(stream: ServerHttp2Stream, headers: Readonly<Record<string, string | number>>): void {
  stream.respond(headers, { endStream: true });
  // What still comes of a request that was refused is not waited for.
  if (!stream.readableEnded) stream.close(constants.NGHTTP2_NO_ERROR);
}

/** The headers of a call that ends without a message. */
export function trailersOnly(
  status: number,
  text: string,
  more: Readonly<Record<string, string>> = {},
): Readonly<Record<string, string | number>> {
  return { ...HEAD, ...trailersOf(status, text), ...more };
}

function trailersOf(status: number, text: string): Record<string, string> {
  return { "grpc-status": String(status), ...(text === "" ? {} : { "grpc-message": statusMessage(text) }) };
}

export class StreamCall {
  readonly #reader: FrameReader;
  /** Frames that the client has not taken. */
  readonly #waiting = new Set<Dropped>();
  #timer: NodeJS.Timeout | undefined;
  #isDone = false;
  #held = 0;
  /** By when the next message must have come, of `performance.now()`. */
  due = Number.POSITIVE_INFINITY;

  constructor(
    private readonly stream: ServerHttp2Stream,
    readonly headers: IncomingHttpHeaders,
    private readonly facts: StreamFacts,
  ) {
    this.#reader = new FrameReader(facts.bytesMax);
    stream.once("close", () => {
      this.#done(STATUS.cancelled);
      for (const each of this.#waiting) facts.unread.release(each);
      this.#hold(0);
    });
  }

  /** Begins to count its time; false: the call has ended already. */
  begin(): boolean {
    const encoding = this.headers["grpc-encoding"];
    if (encoding !== undefined && encoding !== "identity") {
      this.end(STATUS.unimplemented, `grpc-encoding ${String(encoding).slice(0, 40)} is not taken, only identity`);
      return false;
    }
    try {
      const millis = timeoutMillis(this.headers["grpc-timeout"] as string | undefined);
      if (millis !== undefined) {
        this.#timer = setTimeout(() => this.end(STATUS.deadlineExceeded, "Deadline exceeded"), millis);
      }
      return true;
    } catch (error) {
      this.fail(error);
      return false;
    }
  }

  /** The request of a method that takes one, once it is whole. */
  onRequest(take: (message: Message) => void): void {
    let request: Message | undefined;
    this.onMessage((message) => {
      if (request) this.end(STATUS.unimplemented, "the method takes one message, and a second one came");
      request = message;
    });
    this.onEnd(() => {
      this.due = Number.POSITIVE_INFINITY;
      if (request) take(request);
      else this.end(STATUS.unimplemented, "the method takes one message, and none came");
    });
  }

  onMessage(take: (message: Message) => void): void {
    this.stream.on("data", (bytes: Buffer) => {
      if (this.#isDone) return;
      try {
        for (const message of this.#reader.take(bytes)) take(this.#decode(message));
        if (!this.#hold(this.#reader.partBytes)) throw new UpgradeError("UPG_REMOTE_BUSY", BUSY);
      } catch (error) {
        this.fail(error);
      }
    });
  }

  onEnd(listener: () => void): void {
    this.stream.once("end", () => {
      if (this.#isDone) return;
      if (this.#reader.partBytes > 0) this.end(STATUS.internal, "the request ended within a message");
      else listener();
    });
  }

  onClose(listener: () => void): void {
    this.stream.once("close", listener);
  }

  /** The first one carries the header. */
  write(message: Message, header: Readonly<Record<string, string>> = {}): void {
    if (this.#isDone || this.stream.destroyed) return;
    const { unread, descriptor } = this.facts;
    const frame = frameOf(toBinary(descriptor.output, message));
    const waiting: Dropped = { destroy: () => this.stream.destroy() };
    if (!unread.put(waiting, frame.length)) {
      this.fail(noRoom());
      return;
    }
    this.#waiting.add(waiting);
    if (!this.stream.headersSent) this.stream.respond({ ...HEAD, ...header }, { waitForTrailers: true });
    const isRoom = this.stream.write(frame, () => {
      this.#waiting.delete(waiting);
      unread.release(waiting);
    });
    if (!isRoom && !this.stream.readableEnded && !this.stream.isPaused()) {
      // A client that does not read is not heard until it does.
      this.stream.pause();
      this.stream.once("drain", () => this.stream.resume());
    }
  }

  /** The only message and the end of the call. */
  answer(message: Message, header: Readonly<Record<string, string>>): void {
    this.write(message, header);
    this.end();
  }

  end(status: number = STATUS.ok, text = "", more: Readonly<Record<string, string>> = {}): void {
    if (this.#isDone) return;
    this.#done(status);
    this.#hold(0);
    if (this.stream.destroyed) return;
    if (!this.stream.headersSent) {
      refuse(this.stream, trailersOnly(status, text, more));
      return;
    }
    this.stream.once("wantTrailers", () => this.stream.sendTrailers({ ...trailersOf(status, text), ...more }));
    this.stream.end();
    if (!this.stream.readableEnded) this.stream.close(constants.NGHTTP2_NO_ERROR);
  }

  fail(error: unknown): void {
    if (error instanceof ProtocolError) {
      this.end(error.status, error.message);
      return;
    }
    const { grpc, message, code } = apiError(error, this.facts.onBug);
    this.end(grpc, message, { [ERROR_CODE_HEADER]: code });
  }

  #done(status: number): void {
    if (this.#isDone) return;
    this.#isDone = true;
    clearTimeout(this.#timer);
    this.facts.onDone(status);
  }

  #hold(bytes: number): boolean {
    if (bytes === this.#held) return true;
    if (!this.facts.hold(bytes - this.#held)) return false;
    this.#held = bytes;
    return true;
  }

  #decode(bytes: Uint8Array): Message {
    try {
      return fromBinary(this.facts.descriptor.input, bytes);
    } catch {
      throw new ProtocolError(STATUS.internal, `the request is no ${this.facts.descriptor.input.typeName}`);
    }
  }
}

const BUSY = "requests that have not arrived whole take up all the room there is for them: try again";
