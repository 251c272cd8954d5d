/** The websocket: the same calls, and subscriptions to events. */

import type { IncomingMessage, Server } from "node:http";
import { type RawData, WebSocket, WebSocketServer } from "ws";
import { UpgradeError } from "../../base/errors/errors.js";
import type { LeftSignal } from "../../base/types/types.js";
import type { LocalNode } from "../../chain/app/query/node-port.js";
import { type EventCondition, type EventMatcher, subscriptionMatcher } from "../../chain/events/event-query.js";
import { parseEventQuery } from "../../chain/events/event-query-text.js";
import type { ArrivingBytes } from "../limits/arriving.js";
import { byteLengthOf, bytesOfBody } from "../limits/body.js";
import { ClientLeft } from "../limits/client-left.js";
import { declineUpgrade } from "../limits/http-server.js";
import type { ServerEvents } from "../limits/server.js";
import type { ServerLimits } from "../limits/server-limits.js";
import type { UnreadBytes } from "../limits/unread.js";
import type { Query } from "../query/query.js";
import { Turns } from "../query/scheduler.js";
import {
  answerBody,
  answerCall,
  failure,
  parseFailure,
  type RpcAnswer,
  type RpcCall,
  type RpcId,
  readCall,
  success,
} from "./answer.js";
import { EVENT_NAMES, eventsOfBlock, type RpcEvent } from "./block-events.js";
import type { RpcContext } from "./context.js";
import { isOriginAllowed } from "./cors.js";
import { Params } from "./params.js";
import { SocketBytes } from "./socket-bytes.js";

const PING_MILLIS = 27_000;
/** From this part of its bytes on a client is not read: 4 is a quarter. */
const PAUSED_PART = 4;
/** Pieces of one message, as the client cut it and as the network did. */
const PIECES_MAX = 2_048;
const PATH = "/websocket";

export interface WebSocketOptions {
  readonly query: Query<LocalNode>;
  readonly contextFor: (signal: LeftSignal) => RpcContext;
  readonly events: ServerEvents;
  readonly limits: ServerLimits;
  readonly unread: UnreadBytes;
  readonly arriving: ArrivingBytes;
  readonly origins: readonly string[];
}

interface Subscription {
  readonly id: RpcId;
  readonly query: string;
  readonly matches: EventMatcher;
}

export class WebSocketEndpoint {
  readonly #server: WebSocketServer;
  readonly #listeners = new Set<Listener>();
  readonly #unsubscribe: () => void;
  readonly #ping: NodeJS.Timeout;
  /** A client sends a thousand calls in 60 KB, so clients take turns, one call in a turn of the event loop. */
  readonly #turns = new Turns(Number.POSITIVE_INFINITY);

  constructor(private readonly options: WebSocketOptions) {
    const { query, limits } = options;
    this.#server = new WebSocketServer({
      noServer: true,
      maxPayload: limits.bodyBytes,
      maxFragments: PIECES_MAX,
      maxBufferedChunks: PIECES_MAX,
      perMessageDeflate: false,
    });
    this.#unsubscribe = query.node.subscribe((made) => {
      if (this.#listeners.size === 0) return;
      const events = eventsOfBlock(made, query);
      for (const listener of this.#listeners) listener.hear(events);
    });
    this.#ping = setInterval(() => {
      for (const listener of this.#listeners) listener.ping();
    }, PING_MILLIS);
  }

  /** Takes the connections that ask for it. */
  attach(server: Server): void {
    server.on("upgrade", (request: IncomingMessage, socket, head) => {
      if (request.headers.upgrade?.toLowerCase() !== "websocket") {
        declineUpgrade(server, request, socket, head);
        return;
      }
      socket.on("error", () => socket.destroy());
      const refusal = this.#refusal(request);
      if (refusal !== undefined) {
        // No server's limit of time is for it any more: a client that does not hang up would keep it for ever.
        socket.once("finish", () => socket.destroy());
        socket.end(`HTTP/1.1 ${refusal}\r\nconnection: close\r\n\r\n`);
        return;
      }
      this.#server.handleUpgrade(request, socket, head, (client) => {
        const bytes = new SocketBytes(client, socket, this.options.arriving);
        const listener = new Listener(client, bytes, this.options, this.#turns, () => this.#hasRoomForSubscriber());
        this.#listeners.add(listener);
        client.once("close", () => this.#listeners.delete(listener));
      });
    });
  }

  #refusal({ url = "", headers }: IncomingMessage): string | undefined {
    const { limits, origins } = this.options;
    if (url.split("?")[0] !== PATH) return "404 Not Found";
    if (!isOriginAllowed(headers.origin, origins)) return "403 Forbidden";
    return this.#listeners.size >= limits.websockets ? "503 Service Unavailable" : undefined;
  }

  #hasRoomForSubscriber(): boolean {
    let count = 0;
    for (const { isSubscriber } of this.#listeners) if (isSubscriber) count++;
    return count < this.options.limits.subscriptionClients;
  }

  close(): void {
    clearInterval(this.#ping);
    this.#unsubscribe();
    for (const listener of this.#listeners) listener.close();
    this.#server.close();
  }
}

class Listener {
  readonly #subscriptions = new Map<string, Subscription>();
  readonly #context: RpcContext;
  /** Calls that were read and not yet made. */
  readonly #waiting: RawData[] = [];
  #isBusy = false;
  #isAlive = true;
  #unread = 0;

  constructor(
    private readonly client: WebSocket,
    private readonly bytes: SocketBytes,
    private readonly options: WebSocketOptions,
    private readonly turns: Turns,
    private readonly mayBeSubscriber: () => boolean,
  ) {
    const left = new ClientLeft();
    this.#context = options.contextFor(left);
    client.on("message", (data) => {
      this.#waiting.push(data);
      // One call is under way: a client that leaves meanwhile is noticed, since it is read until a second call comes.
      if (this.#isBusy) client.pause();
      void this.#takeWaiting();
    });
    client.on("pong", () => {
      this.#isAlive = true;
    });
    client.on("error", () => client.terminate());
    client.once("close", () => {
      left.abort();
      this.options.unread.give(this.#unread);
      this.#unread = 0;
    });
  }

  get isSubscriber(): boolean {
    return this.#subscriptions.size > 0;
  }

  hear(events: readonly RpcEvent[]): void {
    for (const event of events) {
      for (const { id, query, matches } of this.#subscriptions.values()) {
        if (!matches(event.values)) continue;
        this.#send(success(id, { query, data: event.data(), events: Object.fromEntries(event.values) }));
      }
    }
  }

  ping(): void {
    if (!this.#isAlive) this.client.terminate();
    this.#isAlive = false;
    if (this.client.readyState === WebSocket.OPEN) this.client.ping();
  }

  close(): void {
    this.client.close(1_001, "the node stops");
    setTimeout(() => this.client.terminate(), 500).unref();
  }

  /**
   * One call after the other, each when it is this client's turn, and none while the client does not read the responses.
   * A client that sends ahead is not read until all calls that have arrived have their responses.
   */
  async #takeWaiting(): Promise<void> {
    if (this.#isBusy) return;
    this.#isBusy = true;
    while (this.#waiting.length > 0 && this.#isReading) {
      await this.turns.next();
      const data = this.#isReading ? this.#waiting.shift() : undefined;
      if (data === undefined) break;
      await this.#take(data);
      this.bytes.done(data);
    }
    this.#isBusy = false;
    if (this.#waiting.length === 0) this.client.resume();
  }

  get #isReading(): boolean {
    const { OPEN } = WebSocket;
    return this.client.readyState === OPEN && this.#unread <= this.options.limits.clientUnreadBytes / PAUSED_PART;
  }

  async #take(data: RawData): Promise<void> {
    let id: RpcId = -1;
    try {
      const call = readCall(JSON.parse(String(data)));
      if (!call) return;
      id = call.id;
      this.#send(await this.#answer(call));
    } catch (error) {
      this.#send(error instanceof SyntaxError ? parseFailure(error.message) : failure(id, error, this.options.events));
    }
  }

  async #answer(call: RpcCall): Promise<RpcAnswer> {
    const params = () => Params.ofJson(call.params, ["query"]);
    switch (call.name) {
      case "subscribe":
        this.#subscribe(call.id, params().text("query"));
        return success(call.id, {});
      case "unsubscribe":
        this.#remove(params().text("query"));
        return success(call.id, {});
      case "unsubscribe_all":
        this.#subscriptions.clear();
        return success(call.id, {});
      default:
        return await answerCall(this.#context, call, this.options.events);
    }
  }

  #subscribe(id: RpcId, query: string): void {
    const conditions = parseEventQuery(query);
    requireServed(conditions);
    if (this.#subscriptions.has(query)) throw new UpgradeError("UPG_INVALID_ARGUMENT", "already subscribed");
    const { subscriptionsPerClient, subscriptionClients } = this.options.limits;
    if (this.#subscriptions.size >= subscriptionsPerClient) {
      throw new UpgradeError("UPG_REMOTE_BUSY", `max_subscriptions_per_client ${subscriptionsPerClient} reached`);
    }
    if (!this.isSubscriber && !this.mayBeSubscriber()) {
      throw new UpgradeError("UPG_REMOTE_BUSY", `max_subscription_clients ${subscriptionClients} reached`);
    }
    this.#subscriptions.set(query, { id, query, matches: subscriptionMatcher(conditions) });
  }

  #remove(query: string): void {
    if (!this.#subscriptions.delete(query)) throw new UpgradeError("UPG_INVALID_ARGUMENT", "subscription not found");
  }

  /** What a client does not take is bounded, alone and with all others; meanwhile nothing more is read from it. */
  #send(answer: RpcAnswer): void {
    if (this.client.readyState !== WebSocket.OPEN) return;
    const { unread, limits } = this.options;
    const body = answerBody(answer);
    const length = byteLengthOf(body);
    if (this.#unread > limits.clientUnreadBytes || !unread.take(length)) {
      this.client.terminate();
      return;
    }
    this.#unread += length;
    this.client.send(bytesOfBody(body), { binary: false }, () => this.#sent(length));
  }

  #sent(bytes: number): void {
    // After the end all was given back at once.
    if (this.#unread === 0) return;
    this.#unread -= bytes;
    this.options.unread.give(bytes);
    if (this.#waiting.length > 0) void this.#takeWaiting();
  }
}

/** A subscription that waits for ever looks like a silent node. @throws UpgradeError UPG_INVALID_ARGUMENT */
function requireServed(conditions: readonly EventCondition[]): void {
  const never = conditions.find(
    ({ key, operator, value }) => key === "tm.event" && operator === "=" && !EVENT_NAMES.has(value),
  );
  if (!never) return;
  const names = [...EVENT_NAMES].join(", ");
  throw new UpgradeError(
    "UPG_INVALID_ARGUMENT",
    `tm.event='${never.value.slice(0, 60)}' never happens here: there are ${names}`,
  );
}
