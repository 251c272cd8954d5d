/**
 * gRPC-Web on the API's port, as the Cosmos SDK serves it: the methods of the query for web pages, over HTTP/1.1. The
 * trailers come after the message, in a frame of their own; `-text` is the same in base64.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import { fromBinary, type Message, toBinary } from "@bufbuild/protobuf";
import { UpgradeError } from "../../../base/errors/errors.js";
import { concatBytes, fromBase64, toBase64, utf8 } from "../../../base/text/bytes.js";
import { decodeLossy } from "../../../base/text/text.js";
import type { QueryMethod } from "../../../chain/app/query/service.js";
import type { ArrivingBytes } from "../../limits/arriving.js";
import { readBody, signalOf } from "../../limits/http-server.js";
import type { ServerOptions } from "../../limits/server.js";
import type { ServerLimits } from "../../limits/server-limits.js";
import { noRoom, type UnreadBytes } from "../../limits/unread.js";
import { apiError } from "../../query/api-error.js";
import { CUT_HEADER, HEIGHT_HEADER, parseAskedHeight } from "../../query/query.js";
import { frameOf, ProtocolError, STATUS, statusMessage, timeoutMillis, wholeMessage } from "./wire.js";

/** `application/grpc-web`, its message in protobuf, in bytes or as base64. */
const WEB_TYPE = /^application\/grpc-web(-text)?(?:\+proto)?[ \t]*(?:;|$)/i;
const TRAILERS_FLAG = 0x80;

export interface WebExchange {
  readonly incoming: IncomingMessage;
  readonly outgoing: ServerResponse;
}

export interface GrpcWebOptions extends ServerOptions {
  readonly limits: ServerLimits;
  readonly unread: UnreadBytes;
  readonly arriving: ArrivingBytes;
}

type Fields = Readonly<Record<string, string>>;

/** What a call ends with: its message, if it has one, the headers before it and the trailers after it. */
interface Ended {
  readonly frame?: Uint8Array;
  readonly headers: Fields;
  readonly status: number;
  readonly text?: string;
  readonly trailers?: Fields;
}

export class GrpcWeb {
  readonly #methods: ReadonlyMap<string, QueryMethod>;
  #underWay = 0;

  constructor(private readonly options: GrpcWebOptions) {
    const methods = options.query.services.flatMap((service) => service.methods);
    this.#methods = new Map(methods.map((method) => [method.path, method]));
  }

  /** Is this a call of gRPC-Web? */
  static isCall({ method, headers }: Pick<IncomingMessage, "method" | "headers">): boolean {
    return method === "POST" && WEB_TYPE.test(headers["content-type"] ?? "");
  }

  async answer(exchange: WebExchange): Promise<Response> {
    const begun = performance.now();
    const [path = "/"] = (exchange.incoming.url ?? "/").split("?");
    const isText = WEB_TYPE.exec(exchange.incoming.headers["content-type"] ?? "")?.[1] !== undefined;
    this.#underWay++;
    let ended: Ended;
    try {
      ended = await this.#call(path, isText, exchange);
    } catch (error) {
      ended = this.#failed(error);
    } finally {
      this.#underWay--;
    }
    const name = this.#methods.has(path) ? path : "(none)";
    this.options.events.onAnswer("grpc", name, ended.status, (performance.now() - begun) / 1_000);
    return this.#response(ended, isText, exchange);
  }

  async #call(path: string, isText: boolean, { incoming, outgoing }: WebExchange): Promise<Ended> {
    const { limits, arriving, query } = this.options;
    const method = this.#methods.get(path);
    if (!method) {
      const text = `The server does not implement the method ${path.slice(0, 200)}`;
      throw new ProtocolError(STATUS.unimplemented, text);
    }
    if (this.#underWay > limits.concurrency) {
      throw new UpgradeError("UPG_REMOTE_BUSY", `${limits.concurrency} requests are under way: try again`);
    }
    const millis = timeoutMillis(incoming.headers["grpc-timeout"] as string | undefined);
    const asked = parseAskedHeight(incoming.headers[HEIGHT_HEADER] as string | undefined);
    const body = await readBody({ request: incoming, response: outgoing }, limits.bodyBytes, arriving);
    const request = requestOf(method, isText ? fromText(body) : body, limits.bodyBytes);
    const cut: string[] = [];
    const running = query.call(method, request, asked, {
      signal: signalOf(outgoing),
      onCut: (what) => cut.push(what),
    });
    const { message, height } = await (millis === undefined ? running : inTime(running, millis));
    const more: Fields = cut[0] === undefined ? {} : { [CUT_HEADER]: cut[0] };
    const frame = frameOf(toBinary(method.descriptor.output, message));
    return { frame, status: STATUS.ok, headers: { [HEIGHT_HEADER]: String(height), ...more } };
  }

  #failed(error: unknown): Ended {
    if (error instanceof ProtocolError) return { status: error.status, text: error.message, headers: {} };
    const { grpc, message, headers: trailers } = apiError(error, this.options.events);
    return { status: grpc, text: message, headers: {}, trailers };
  }

  #response({ frame, headers, status, text = "", trailers = {} }: Ended, isText: boolean, { outgoing }: WebExchange) {
    const ends = { "grpc-status": String(status), ...(text === "" ? {} : { "grpc-message": statusMessage(text) }) };
    const bytes = concatBytes(frame ?? new Uint8Array(), trailersFrame({ ...ends, ...trailers }));
    const type = `application/grpc-web${isText ? "-text" : ""}+proto`;
    const body = isText ? toBase64(bytes) : bytes;
    const isRoom = this.options.unread.hold(outgoing, body.length);
    const ended = isRoom ? undefined : this.#failed(noRoom());
    const common = { "content-type": type, "cache-control": "no-store", ...headers };
    if (!ended) return new Response(body as Uint8Array<ArrayBuffer> | string, { headers: common });
    return new Response(null, { headers: { ...common, "grpc-status": String(ended.status) } });
  }
}

/** @throws ProtocolError */
function requestOf({ descriptor }: QueryMethod, body: Uint8Array, bytesMax: number): Message {
  const bytes = wholeMessage(Buffer.from(body.buffer, body.byteOffset, body.length), bytesMax);
  if (!bytes) throw new ProtocolError(STATUS.internal, "the request is not one message that is not compressed");
  try {
    return fromBinary(descriptor.input, bytes);
  } catch {
    throw new ProtocolError(STATUS.internal, `the request is no ${descriptor.input.typeName}`);
  }
}

/** @throws ProtocolError */
function fromText(body: Uint8Array): Uint8Array {
  try {
    return fromBase64(decodeLossy(body));
  } catch {
    throw new ProtocolError(STATUS.internal, "the request is not base64");
  }
}

function trailersFrame(trailers: Fields): Uint8Array {
  const lines = Object.entries(trailers).map(([name, value]) => `${name}: ${value}\r\n`);
  const frame = frameOf(utf8(lines.join("")));
  frame[0] = TRAILERS_FLAG;
  return frame;
}

/** @throws ProtocolError deadline exceeded; the call goes on, and nobody hears of it */
async function inTime<T>(running: Promise<T>, millis: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new ProtocolError(STATUS.deadlineExceeded, "Deadline exceeded")), millis);
  });
  try {
    return await Promise.race([running, late]);
  } finally {
    clearTimeout(timer);
  }
}
