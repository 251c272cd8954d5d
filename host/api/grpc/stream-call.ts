/** One call on an HTTP/2 stream: messages in, messages out, a status at its end. */
import { constants, type IncomingHttpHeaders, type ServerHttp2Stream } from "node:http2";
import { type DescMethod, fromBinary, type Message, toBinary } from "@bufbuild/protobuf";
import { UpgradeError } from "../../errors.js";
import { apiError } from "../errors.js";
import { ERROR_CODE_HEADER } from "../query/query.js";
import type { UnreadBytes } from "../unread.js";
import { FrameReader, frameOf, statusMessage, timeoutMillis } from "./wire.js";

const DEADLINE_EXCEEDED = 4;
const CONTENT_TYPE = "application/grpc";

export interface StreamFacts {
  readonly descriptor: DescMethod;
  readonly bytesMax: number;
  readonly unread: UnreadBytes;
  readonly onBug: (error: unknown) => void;
}

export class StreamCall {
  readonly #reader: FrameReader;
  #timer: NodeJS.Timeout | undefined;
  #isDone = false;
  #held = 0;

  constructor(
    private readonly stream: ServerHttp2Stream,
    readonly headers: IncomingHttpHeaders,
    private readonly facts: StreamFacts,
  ) {
    this.#reader = new FrameReader(facts.bytesMax);
    stream.once("close", () => {
      this.#isDone = true;
      clearTimeout(this.#timer);
      facts.unread.give(this.#held);
      this.#held = 0;
    });
  }

  /** Begins to count its time; false: the call has ended already. */
  begin(): boolean {
    try {
      const encoding = this.headers["grpc-encoding"];
      if (encoding !== undefined && encoding !== "identity") {
        this.end(12, "compressed messages are not taken");
        return false;
      }
      const millis = timeoutMillis(this.headers["grpc-timeout"] as string | undefined);
      if (millis !== undefined) {
        this.#timer = setTimeout(() => this.end(DEADLINE_EXCEEDED, "Deadline exceeded"), millis);
      }
      return true;
    } catch (error) {
      this.fail(error);
      return false;
    }
  }

  onMessage(take: (message: Message) => void): void {
    this.stream.on("data", (bytes: Buffer) => {
      if (this.#isDone) return;
      try {
        for (const message of this.#reader.take(bytes)) take(this.#decode(message));
      } catch (error) {
        this.fail(error);
      }
    });
  }

  onEnd(listener: () => void): void {
    this.stream.once("end", () => {
      if (this.#reader.isWithin) this.end(13, "the request ended within a message");
      else listener();
    });
  }

  onClose(listener: () => void): void {
    this.stream.once("close", listener);
  }

  /** The first one carries the header. */
  write(message: Message, header: Readonly<Record<string, string>> = {}): void {
    if (this.#isDone || this.stream.destroyed) return;
    const frame = frameOf(toBinary(this.facts.descriptor.output, message));
    if (!this.facts.unread.take(frame.length)) {
      this.fail(
        new UpgradeError("UPG_REMOTE_BUSY", "clients have not taken the answers that wait for them: try again"),
      );
      return;
    }
    this.#held += frame.length;
    this.#open(header);
    this.stream.write(frame);
  }

  /** The only message and the end of the call. */
  answer(message: Message, header: Readonly<Record<string, string>>): void {
    this.write(message, header);
    this.end();
  }

  end(status = 0, text = "", more: Readonly<Record<string, string>> = {}): void {
    if (this.#isDone || this.stream.destroyed) return;
    this.#isDone = true;
    clearTimeout(this.#timer);
    const trailers = { "grpc-status": String(status), ...(text === "" ? {} : { "grpc-message": statusMessage(text) }) };
    if (this.stream.headersSent) {
      this.stream.once("wantTrailers", () => this.stream.sendTrailers({ ...trailers, ...more }));
      this.stream.end();
    } else {
      this.stream.respond({ ":status": 200, "content-type": CONTENT_TYPE, ...trailers, ...more }, { endStream: true });
    }
    // What still comes of a request that was refused is not waited for.
    if (!this.stream.readableEnded && status !== 0) this.stream.close(constants.NGHTTP2_NO_ERROR);
  }

  fail(error: unknown): number {
    const { grpc, message, code } = apiError(error, this.facts.onBug);
    this.end(grpc, message, { [ERROR_CODE_HEADER]: code });
    return grpc;
  }

  #open(header: Readonly<Record<string, string>>): void {
    if (this.stream.headersSent) return;
    const head = { ":status": 200, "content-type": CONTENT_TYPE, "grpc-accept-encoding": "identity", ...header };
    this.stream.respond(head, { waitForTrailers: true });
  }

  #decode(bytes: Uint8Array): Message {
    try {
      return fromBinary(this.facts.descriptor.input, bytes);
    } catch (cause) {
      const { typeName } = this.facts.descriptor.input;
      throw new UpgradeError("UPG_INVALID_ARGUMENT", `the request is no ${typeName}`, { cause });
    }
  }
}
