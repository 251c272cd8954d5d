/** One call on an HTTP/2 stream: messages in, messages out, a status at its end. */
import { constants, type IncomingHttpHeaders, type ServerHttp2Stream } from "node:http2";
import { type DescMessage, type DescMethod, fromBinary, type Message, toBinary } from "@bufbuild/protobuf";
import { noRoomForRequest } from "../../limits/arriving.js";
import { type Dropped, noRoom, type UnreadBytes } from "../../limits/unread.js";
import { apiError, type ErrorEvents } from "../../query/api-error.js";
import { FrameReader, frameOf, ProtocolError, STATUS, statusMessage, timeoutMillis, wholeMessage } from "./wire.js";

const HEAD = Object.freeze({
  ":status": 200,
  "content-type": "application/grpc",
  "grpc-accept-encoding": "identity",
});

type Headers = Readonly<Record<string, string | number>>;

/** What all calls of a server share; they are many, so none has functions of its own for it. */
export interface CallServer {
  readonly bytesMax: number;
  readonly unread: UnreadBytes;
  readonly events: ErrorEvents;
  /** Room for bytes of messages that are not whole yet; negative gives back. False: there is none. */
  hold(bytes: number): boolean;
  /** Once for each call, with the status; a client that left was cancelled. */
  onDone(call: StreamCall, status: number): void;
}

/** A whole answer as it is sent: its message with the frame, and the headers before it. */
export interface Answer {
  readonly frame: Buffer;
  readonly headers: Headers;
}

/** @param header besides those of every answer */
export function answerOf(output: DescMessage, message: Message, header: Readonly<Record<string, string>>): Answer {
  return { frame: frameOf(toBinary(output, message)), headers: { ...HEAD, ...header } };
}

/** A stream that the client reset, or whose connection broke off, is closed a moment before it is destroyed: then node refuses answers. */
function isGone(stream: ServerHttp2Stream): boolean {
  return stream.destroyed || stream.closed;
}

/** Ends a stream without any message. */
export function refuse(stream: ServerHttp2Stream, headers: Headers): void {
  if (isGone(stream)) return;
  stream.respond(headers, { endStream: true });
  // What still comes of a request that was refused is not waited for.
  if (!stream.readableEnded) stream.close(constants.NGHTTP2_NO_ERROR);
}

/** The headers of a call that ends without a message. */
export function trailersOnly(status: number, text: string, more: Readonly<Record<string, string>> = {}): Headers {
  return { ...HEAD, ...trailersOf(status, text), ...more };
}

function trailersOf(status: number, text: string): Record<string, string> {
  return { "grpc-status": String(status), ...(text === "" ? {} : { "grpc-message": statusMessage(text) }) };
}

/** A date, which HTTP servers send, is nothing that gRPC knows. */
const WITH_TRAILERS = Object.freeze({ waitForTrailers: true, sendDate: false });
const OK_TRAILERS = Object.freeze(trailersOf(STATUS.ok, ""));

function sendOkTrailers(this: ServerHttp2Stream): void {
  this.sendTrailers(OK_TRAILERS);
}

export class StreamCall implements Dropped {
  /** Of `performance.now()`. */
  readonly begun = performance.now();
  /** Made for the first request that does not come whole and alone. */
  #reader: FrameReader | undefined;
  /** Frames that the client has not taken. */
  #waiting: Set<Dropped> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isDone = false;
  #held = 0;
  /** By when the next message must have come, of `performance.now()`. */
  due = Number.POSITIVE_INFINITY;

  constructor(
    private readonly stream: ServerHttp2Stream,
    readonly headers: IncomingHttpHeaders,
    readonly descriptor: DescMethod,
    private readonly server: CallServer,
  ) {
    stream.on("close", () => {
      this.#done(STATUS.cancelled);
      server.unread.release(this);
      for (const each of this.#waiting ?? []) server.unread.release(each);
      this.#hold(0);
    });
  }

  /** The answer is not taken in time. */
  destroy(): void {
    this.stream.destroy();
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

  /** The request of a method that takes one, once it is whole; `decode` reads it. */
  onRequest(take: (request: Buffer) => void): void {
    let request: Buffer | undefined;
    this.#onBytes((message) => {
      if (request) this.end(STATUS.unimplemented, "the method takes one message, and a second one came");
      request = message;
    });
    this.onEnd(() => {
      this.due = Number.POSITIVE_INFINITY;
      if (request) this.#try(take, request);
      else this.end(STATUS.unimplemented, "the method takes one message, and none came");
    });
  }

  #try(take: (request: Buffer) => void, request: Buffer): void {
    try {
      take(request);
    } catch (error) {
      this.fail(error);
    }
  }

  onMessage(take: (message: Message) => void): void {
    this.#onBytes((message) => take(this.decode(message)));
  }

  #onBytes(take: (message: Buffer) => void): void {
    this.stream.on("data", (bytes: Buffer) => {
      if (this.#isDone) return;
      try {
        const only = this.#reader ? undefined : wholeMessage(bytes, this.server.bytesMax);
        if (only) take(only);
        else this.#readParts(bytes, take);
      } catch (error) {
        this.fail(error);
      }
    });
  }

  #readParts(bytes: Buffer, take: (message: Buffer) => void): void {
    this.#reader ??= new FrameReader(this.server.bytesMax);
    for (const message of this.#reader.take(bytes)) take(message);
    if (!this.#hold(this.#reader.partBytes)) throw noRoomForRequest();
  }

  onEnd(listener: () => void): void {
    this.stream.on("end", () => {
      if (this.#isDone) return;
      if (this.#reader && this.#reader.partBytes > 0) this.end(STATUS.internal, "the request ended within a message");
      else listener();
    });
  }

  onClose(listener: () => void): void {
    this.stream.on("close", listener);
  }

  write(message: Message): void {
    if (this.#isDone || isGone(this.stream)) return;
    const { unread } = this.server;
    const { descriptor } = this;
    const frame = frameOf(toBinary(descriptor.output, message));
    const waiting: Dropped = { destroy: () => this.stream.destroy() };
    if (!unread.put(waiting, frame.length)) {
      this.fail(noRoom());
      return;
    }
    this.#waiting ??= new Set();
    this.#waiting.add(waiting);
    if (!this.stream.headersSent) this.stream.respond(HEAD, WITH_TRAILERS);
    const isRoom = this.stream.write(frame, () => {
      this.#waiting?.delete(waiting);
      unread.release(waiting);
    });
    if (!isRoom && !this.stream.readableEnded && !this.stream.isPaused()) {
      // A client that does not read is not heard until it does.
      this.stream.pause();
      this.stream.once("drain", () => this.stream.resume());
    }
  }

  /** The only message and the end of the call. */
  answer({ frame, headers }: Answer): void {
    const { stream } = this;
    if (this.#isDone || isGone(stream)) return;
    // Released when the stream closes: right after the end of it is sent.
    if (!this.server.unread.put(this, frame.length)) {
      this.fail(noRoom());
      return;
    }
    this.#done(STATUS.ok);
    stream.respond(headers, WITH_TRAILERS);
    stream.on("wantTrailers", sendOkTrailers);
    stream.end(frame);
    if (!stream.readableEnded) stream.close(constants.NGHTTP2_NO_ERROR);
  }

  end(status: number = STATUS.ok, text = "", more: Readonly<Record<string, string>> = {}): void {
    if (this.#isDone) return;
    this.#done(status);
    this.#hold(0);
    if (isGone(this.stream)) return;
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
    const { grpc, message, headers } = apiError(error, this.server.events);
    this.end(grpc, message, headers);
  }

  #done(status: number): void {
    if (this.#isDone) return;
    this.#isDone = true;
    if (this.#timer) clearTimeout(this.#timer);
    this.server.onDone(this, status);
  }

  #hold(bytes: number): boolean {
    if (bytes === this.#held) return true;
    if (!this.server.hold(bytes - this.#held)) return false;
    this.#held = bytes;
    return true;
  }

  /** @throws ProtocolError */
  decode(bytes: Uint8Array): Message {
    const { input } = this.descriptor;
    try {
      return fromBinary(input, bytes);
    } catch {
      throw new ProtocolError(STATUS.internal, `the request is no ${input.typeName}`);
    }
  }
}
