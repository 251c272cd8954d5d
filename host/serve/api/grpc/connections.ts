/** HTTP/2 connections: counted, watched for being silent, idle or gone, and closed for good when asked to. */
import {
  createServer,
  type Http2Server,
  type IncomingHttpHeaders,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from "node:http2";
import type { Socket } from "node:net";
import { listen } from "../../limits/listen.js";
import type { Address } from "../../limits/server.js";
import type { ServerLimits } from "../../limits/server-limits.js";

/** Streams that are open at once on one connection. */
export const STREAMS_MAX = 1_024;
const HEADER_BYTES_MAX = 16_384;
const PING_MILLIS = 60_000;
const PONG_MILLIS = 20_000;
const CHECK_MILLIS = 1_000;
/** A connection that has said goodbye and has no streams has so long to close its side. */
const GOODBYE_MILLIS = 500;
const CLOSE_CHECK_MILLIS = 50;

type TakeStream = (stream: ServerHttp2Stream, headers: IncomingHttpHeaders) => void;

const ignore = (): void => undefined;

export class Connections {
  readonly #open = new Set<Connection>();
  readonly #server: Http2Server;
  readonly #check: NodeJS.Timeout;

  constructor(take: TakeStream, limits: ServerLimits) {
    this.#server = createServer({
      settings: { maxConcurrentStreams: STREAMS_MAX, maxHeaderListSize: HEADER_BYTES_MAX, enablePush: false },
    });
    this.#server.maxConnections = limits.connections;
    // The session forbids what must be possible in the end: to close its socket, whatever the other side does.
    let socket: Socket | undefined;
    this.#server.prependListener("connection", (made: Socket) => {
      socket = made;
    });
    this.#server.on("session", (session) => {
      if (!socket) return;
      const connection = new Connection(session, socket, take, limits);
      this.#open.add(connection);
      socket.once("close", () => this.#open.delete(connection));
    });
    this.#server.on("sessionError", () => undefined);
    const millis = Math.min(CHECK_MILLIS, limits.headerMillis, limits.idleMillis);
    this.#check = setInterval(() => {
      const now = performance.now();
      for (const each of this.#open) each.check(now);
    }, millis).unref();
  }

  /** @throws UpgradeError UPG_INVALID_CONFIG when the address cannot be had */
  listen(address: Address): Promise<Address> {
    return listen(this.#server, address, "--grpc.address");
  }

  /** Streams that are open have `millis` to end; then whatever is still open is not. */
  async close(millis: number): Promise<void> {
    clearInterval(this.#check);
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    const end = performance.now() + millis;
    for (const each of this.#open) each.goodbye();
    const finish = () => {
      const now = performance.now();
      for (const each of this.#open) each.finish(now, end);
    };
    finish();
    const check = setInterval(finish, Math.min(CLOSE_CHECK_MILLIS, Math.max(1, millis)));
    await closed;
    clearInterval(check);
  }
}

class Connection {
  #streams = 0;
  #isSpeaking = false;
  /** Since when it has had no streams. */
  #quietSince = performance.now();
  #goodbyeAt: number | undefined;
  #pingAt = performance.now() + PING_MILLIS;
  #pongDue = Number.POSITIVE_INFINITY;
  /** What it had sent when it was last known to be well, or had a call. */
  #bytesHeard = 0;
  /** Until then the end of a response may still be under way. */
  #sendingUntil = 0;

  constructor(
    private readonly session: ServerHttp2Session,
    private readonly socket: Socket,
    take: TakeStream,
    private readonly limits: ServerLimits,
  ) {
    session.once("remoteSettings", () => {
      this.#isSpeaking = true;
    });
    session.on("error", () => socket.destroy());
    session.on("stream", (stream, headers) => {
      this.#streams++;
      stream.on("error", ignore);
      stream.on("close", this.#streamClosed);
      take(stream, headers);
    });
  }

  /** One for all streams: thousands come in a second. */
  readonly #streamClosed = (): void => {
    if (--this.#streams > 0) return;
    this.#quietSince = performance.now();
    this.#sendingUntil = this.#quietSince + this.limits.answerMillis;
  };

  check(now: number): void {
    const { headerMillis, idleMillis } = this.limits;
    const isSilent = !this.#isSpeaking && now > this.#quietSince + headerMillis;
    if (isSilent || now > this.#pongDue || this.#isOver(now)) this.socket.destroy();
    else if (this.#goodbyeAt !== undefined) this.finish(now, Number.POSITIVE_INFINITY);
    else if (this.#streams === 0 && now > this.#quietSince + idleMillis) this.goodbye();
    else if (now > this.#pingAt || this.#hasSpokenAside()) this.#ping(now);
  }

  /** No more streams: the client hears GOAWAY. */
  goodbye(): void {
    this.#goodbyeAt ??= performance.now();
    if (!this.#isSpeaking) this.socket.destroy();
    else if (!this.session.destroyed) this.session.close();
  }

  /** Node ends its own side of the socket only; a client that never ends its own would stay. */
  finish(now: number, end: number): void {
    const quietSince = Math.max(this.#quietSince, this.#goodbyeAt ?? now);
    const isQuiet = this.#streams === 0 && now >= quietSince + GOODBYE_MILLIS;
    if (isQuiet || now >= end) this.socket.destroy();
  }

  /** It has sent something that is no call: it may have broken the protocol, which a PING finds out. */
  #hasSpokenAside(): boolean {
    return this.#streams === 0 && this.socket.bytesRead > this.#bytesHeard;
  }

  /**
   * A session that broke the protocol (a frame of 16 MiB) has sent GOAWAY and reports nothing, but sends nothing more
   * either: the last check's PING has not left.
   */
  #isOver(now: number): boolean {
    const isAsked = this.#pongDue !== Number.POSITIVE_INFINITY && !this.session.destroyed;
    if (!isAsked || this.#streams > 0 || now < this.#sendingUntil) return false;
    return (this.session.state.outboundQueueSize ?? 0) > 0;
  }

  #ping(now: number): void {
    this.#pingAt = now + PING_MILLIS;
    if (this.session.closed || this.session.destroyed || this.#pongDue !== Number.POSITIVE_INFINITY) return;
    this.#pongDue = now + PONG_MILLIS;
    this.session.ping((error) => {
      if (error) return;
      this.#pongDue = Number.POSITIVE_INFINITY;
      this.#bytesHeard = this.socket.bytesRead;
    });
  }
}
