/** The HTTP server under REST and RPC: bounded in time, size and count, and closed for good when asked to. */
import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { UpgradeError } from "../../base/errors/errors.js";
import type { LeftSignal } from "../../base/types/types.js";
import { type ArrivingBytes, noRoomForRequest } from "./arriving.js";
import { type Body, byteLengthOf, endWith } from "./body.js";
import { ClientLeft } from "./client-left.js";
import { type Address, type OpenServer, SERVER_LIMITS } from "./server.js";
import type { ServerLimits } from "./server-limits.js";

const HEADER_BYTES_MAX = 32_768;
const REQUESTS_PER_SOCKET_MAX = 100_000;
const KEEP_ALIVE_MILLIS = 30_000;
/**
 * Requests that one connection has sent before their responses went out. Each part of 64 KiB that arrives may hold a thousand
 * of them, all parsed at once; without this few connections keep everybody else waiting for seconds.
 */
export const PIPELINED_REQUESTS_MAX = 16;
/** How often connections are looked at for being too slow. */
const CHECK_MILLIS = 1_000;

export function makeHttpServer(listener: RequestListener, limits: ServerLimits = SERVER_LIMITS): Server {
  const server = createServer(
    {
      maxHeaderSize: HEADER_BYTES_MAX,
      // The head is a part of the request: node refuses to start with more time for it.
      headersTimeout: Math.min(limits.headerMillis, limits.requestMillis),
      requestTimeout: limits.requestMillis,
      keepAliveTimeout: KEEP_ALIVE_MILLIS,
      connectionsCheckingInterval: Math.min(CHECK_MILLIS, limits.headerMillis),
      noDelay: true,
    },
    inLine(listener),
  );
  server.maxConnections = limits.connections;
  server.maxRequestsPerSocket = REQUESTS_PER_SOCKET_MAX;
  return server;
}

/**
 * Requests of one connection are handled one after the other: the next one once the client has taken the response before it.
 * So no response is made that could not be sent yet, and none is held for a connection that ended before its turn, of which
 * Node reports no end. A connection that sends more requests ahead is ended; what it has sent besides is not looked at.
 */
function inLine(listener: RequestListener): RequestListener {
  const lines = new WeakMap<Socket, (() => void)[]>();
  return (request, response) => {
    const { socket } = request;
    if (socket.destroyed) return;
    const line = lines.get(socket) ?? [];
    lines.set(socket, line);
    if (line.length >= PIPELINED_REQUESTS_MAX) {
      socket.destroy();
      return;
    }
    line.push(() => listener(request, response));
    response.once("close", () => {
      line.shift();
      // Others have their turn in between.
      if (line.length > 0) setImmediate(() => socket.destroyed || line[0]?.());
    });
    if (line.length === 1) listener(request, response);
  };
}

/** Headers by which a client offers to go on in another protocol. */
const OFFER: ReadonlySet<string> = new Set(["connection", "upgrade", "http2-settings"]);

/**
 * Serves a request as if its client had not offered another protocol, as clients in Java and curl do with HTTP/2 (RFC 9110, 7.8). Node
 * gives up a connection with such a request where the server takes any upgrade: it has parsed the head alone, and begins again.
 */
export function declineUpgrade(server: Server, request: IncomingMessage, socket: Duplex, head: Buffer): void {
  const { method, url, rawHeaders } = request;
  const lines = [`${method} ${url} HTTP/1.1`];
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] ?? "";
    if (!OFFER.has(name.toLowerCase())) lines.push(`${name}: ${rawHeaders[at + 1]}`);
  }
  socket.unshift(Buffer.concat([Buffer.from(`${lines.join("\r\n")}\r\n\r\n`, "latin1"), head]));
  server.emit("connection", socket);
}

export async function closeServer(server: Server, millis: number): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeIdleConnections();
  const timer = setTimeout(() => server.closeAllConnections(), millis);
  await closed;
  clearTimeout(timer);
}

export function openServer(server: Server, address: Address): OpenServer {
  return { address, close: (millis) => closeServer(server, millis) };
}

/** Where a body is read from, and where the answer goes. */
export interface Exchange {
  readonly request: IncomingMessage;
  readonly response: Pick<ServerResponse, "once" | "destroyed">;
}

/** A body has so much room at first; it doubles. */
const BODY_ROOM_BYTES = 4_096;

/**
 * The body of a request. One that is too large is refused before it is read, or as soon as that shows; what still
 * comes is thrown away, so that the client hears the answer, and the time for a request bounds it. Its bytes count among
 * those that arrive until the answer is out. They are copied, in room that doubles: parts that come one by one do not
 * keep alive the buffers they came in.
 * @throws UpgradeError UPG_INVALID_REQUEST_SIZE, UPG_REMOTE_BUSY, UPG_INVALID_ARGUMENT when the client goes away
 */
export function readBody(
  { request, response }: Exchange,
  bytesMax: number,
  arriving: ArrivingBytes,
): Promise<Uint8Array> {
  const announced = Number(request.headers["content-length"] ?? 0);
  if (announced > bytesMax) {
    request.resume();
    return Promise.reject(tooLarge(bytesMax));
  }
  const room = arriving.room();
  const giveBack = () => room.hold(0);
  return new Promise((resolve, reject) => {
    let body: Buffer | undefined = Buffer.alloc(0);
    let length = 0;
    const refuse = (error: UpgradeError) => {
      body = undefined;
      giveBack();
      reject(error);
    };
    request.on("data", (chunk: Buffer) => {
      if (!body) return;
      const filled = length + chunk.length;
      if (filled > bytesMax) refuse(tooLarge(bytesMax));
      else if (response.destroyed || !room.hold(filled)) refuse(noRoomForRequest());
      else {
        if (body.length < filled) body = roomier(body, length, Math.min(bytesMax, Math.max(filled, 2 * length)));
        chunk.copy(body, length);
        length = filled;
      }
    });
    request.once("end", () => body && resolve(new Uint8Array(body.buffer, body.byteOffset, length)));
    request.once("error", (cause) =>
      reject(new UpgradeError("UPG_INVALID_ARGUMENT", "the request broke off", { cause })),
    );
    response.once("close", giveBack);
  });
}

function roomier(body: Buffer, filled: number, bytes: number): Buffer {
  const made = Buffer.allocUnsafeSlow(Math.max(bytes, BODY_ROOM_BYTES));
  body.copy(made, 0, 0, filled);
  return made;
}

function tooLarge(bytesMax: number): UpgradeError {
  return new UpgradeError("UPG_INVALID_REQUEST_SIZE", `a request has at most ${bytesMax} bytes here`);
}

/** Aborted when the client leaves before its answer is complete. */
export function signalOf(response: Pick<ServerResponse, "once" | "writableFinished">): LeftSignal {
  const left = new ClientLeft();
  response.once("close", () => {
    if (!response.writableFinished) left.abort();
  });
  return left;
}

export interface Reply {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: Body;
}

export function send(request: IncomingMessage, response: ServerResponse, { status, headers, body }: Reply): void {
  response.writeHead(status, { ...headers, "content-length": byteLengthOf(body) });
  endWith(response, request.method === "HEAD" ? [] : body);
}
