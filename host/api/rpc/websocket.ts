/** The websocket: the same calls, and subscriptions to events. */
import type { IncomingMessage, Server } from "node:http";
import { type RawData, WebSocket, WebSocketServer } from "ws";
import { UpgradeError } from "../../errors.js";
import { type EventCondition, matchesAll, parseEventQuery } from "../../event-query.js";
import type { DoorEvents, DoorLimits } from "../door.js";
import {
  answerCall,
  failure,
  parseFailure,
  type RpcAnswer,
  type RpcCall,
  type RpcId,
  readCall,
  success,
} from "./answer.js";
import type { RpcContext } from "./context.js";
import { type Told, tell } from "./news.js";
import { Params } from "./params.js";

const CLIENTS_MAX = 1_024;
const SUBSCRIPTIONS_MAX = 16;
/** A listener that reads too slowly is let go when so much waits for it. */
const BUFFERED_BYTES_MAX = 16_777_216;
const PING_MILLIS = 27_000;
const PATH = "/websocket";

interface Subscription {
  readonly id: RpcId;
  readonly query: string;
  readonly conditions: readonly EventCondition[];
}

export class WebSocketDoor {
  readonly #server: WebSocketServer;
  readonly #listeners = new Set<Listener>();
  readonly #unsubscribe: () => void;
  readonly #ping: NodeJS.Timeout;

  constructor(
    private readonly context: RpcContext,
    private readonly events: DoorEvents,
    limits: DoorLimits,
  ) {
    const { node } = context.query;
    this.#server = new WebSocketServer({ noServer: true, maxPayload: limits.bodyBytes, perMessageDeflate: false });
    this.#unsubscribe = node.subscribe((news) => {
      if (this.#listeners.size === 0) return;
      const told = tell(news, node);
      for (const listener of this.#listeners) listener.hear(told);
    });
    this.#ping = setInterval(() => {
      for (const listener of this.#listeners) listener.ping();
    }, PING_MILLIS);
  }

  /** Takes the connections that ask for it; any other upgrade is refused. */
  attach(server: Server): void {
    server.on("upgrade", (request: IncomingMessage, socket, head) => {
      socket.on("error", () => socket.destroy());
      const [path] = (request.url ?? "").split("?");
      if (path !== PATH || this.#listeners.size >= CLIENTS_MAX) {
        socket.end(
          `HTTP/1.1 ${path === PATH ? "503 Service Unavailable" : "404 Not Found"}\r\nconnection: close\r\n\r\n`,
        );
        return;
      }
      this.#server.handleUpgrade(request, socket, head, (client) => {
        const listener = new Listener(client, this.context, this.events);
        this.#listeners.add(listener);
        client.once("close", () => this.#listeners.delete(listener));
      });
    });
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
  #isAlive = true;

  constructor(
    private readonly client: WebSocket,
    private readonly context: RpcContext,
    private readonly events: DoorEvents,
  ) {
    client.on("message", (data) => void this.#take(data));
    client.on("pong", () => {
      this.#isAlive = true;
    });
    client.on("error", () => client.terminate());
  }

  hear(told: readonly Told[]): void {
    for (const event of told) {
      for (const { id, query, conditions } of this.#subscriptions.values()) {
        if (!matchesAll(conditions, event.values)) continue;
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

  async #take(data: RawData): Promise<void> {
    let id: RpcId = -1;
    try {
      const call = readCall(JSON.parse(String(data)));
      if (!call) return;
      id = call.id;
      this.#send(await this.#answer(call));
    } catch (error) {
      this.#send(error instanceof SyntaxError ? parseFailure(error.message) : failure(id, error, this.events));
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
        return await answerCall(this.context, call, this.events);
    }
  }

  #subscribe(id: RpcId, query: string): void {
    const conditions = parseEventQuery(query);
    if (this.#subscriptions.has(query)) throw new UpgradeError("UPG_INVALID_ARGUMENT", "already subscribed");
    if (this.#subscriptions.size >= SUBSCRIPTIONS_MAX) {
      throw new UpgradeError("UPG_REMOTE_BUSY", `max_subscriptions_per_client ${SUBSCRIPTIONS_MAX} reached`);
    }
    this.#subscriptions.set(query, { id, query, conditions });
  }

  #remove(query: string): void {
    if (!this.#subscriptions.delete(query)) throw new UpgradeError("UPG_INVALID_ARGUMENT", "subscription not found");
  }

  #send(answer: RpcAnswer): void {
    if (this.client.readyState !== WebSocket.OPEN) return;
    if (this.client.bufferedAmount > BUFFERED_BYTES_MAX) this.client.terminate();
    else this.client.send(JSON.stringify(answer));
  }
}
