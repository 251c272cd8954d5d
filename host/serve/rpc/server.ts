/** CometBFT-style RPC: JSON-RPC by POST, calls in an address by GET, and the websocket. */

import type { IncomingMessage, ServerResponse } from "node:http";
import { messageOf, UpgradeError } from "../../base/errors/errors.js";
import { decodeLossy } from "../../base/text/text.js";
import type { LeftSignal } from "../../base/types/types.js";
import type { LocalNode } from "../../chain/app/query/node-port.js";
import { ArrivingBytes } from "../limits/arriving.js";
import { type Body, type BodyPart, byteLengthOf } from "../limits/body.js";
import {
  closeServer,
  type Exchange,
  makeHttpServer,
  type Reply,
  readBody,
  send,
  signalOf,
} from "../limits/http-server.js";
import { listen } from "../limits/listen.js";
import { type Address, type OpenServer, SERVER_LIMITS, type ServerOptions } from "../limits/server.js";
import type { ServerLimits } from "../limits/server-limits.js";
import { noRoom, UnreadBytes } from "../limits/unread.js";
import { apiError } from "../query/api-error.js";
import type { Query } from "../query/query.js";
import {
  answerBody,
  answerCall,
  failure,
  invalidRequest,
  parseFailure,
  type RpcAnswer,
  readCall,
  success,
} from "./answer.js";
import type { RpcContext } from "./context.js";
import { corsHeaders, preflightHeaders } from "./cors.js";
import { GenesisAnswers } from "./genesis-document.js";
import { failedGet } from "./get.js";
import { RPC_METHODS, rpcMethod } from "./methods.js";
import { Params } from "./params.js";
import { WebSocketEndpoint } from "./websocket.js";

export interface RpcOptions extends ServerOptions {
  readonly query: Query<LocalNode>;
  readonly address: Address;
  /** Web pages that may call and open a websocket; `*`: all. */
  readonly origins: readonly string[];
}

interface RpcExchange extends Exchange {
  readonly response: ServerResponse;
}

const JSON_TYPE = { "content-type": "application/json" };

/** @throws UpgradeError UPG_INVALID_CONFIG when the address cannot be had */
export async function openRpc(options: RpcOptions): Promise<OpenServer> {
  const limits: ServerLimits = { ...SERVER_LIMITS, ...options.limits };
  const { unread = new UnreadBytes(limits), arriving = new ArrivingBytes(limits) } = options;
  const own = { host: options.address.host, port: options.address.port };
  const genesis = new GenesisAnswers(options.query.node, unread);
  const contextFor = (signal: LeftSignal): RpcContext => ({
    query: options.query,
    genesis,
    onBug: options.events.onBug,
    address: `tcp://${own.host}:${own.port}`,
    signal,
  });
  const endpoint = new RpcEndpoint(contextFor, options, limits, unread, arriving);
  const server = makeHttpServer((request, response) => void endpoint.answer(request, response), limits);
  const address = await listen(server, options.address, "--rpc.laddr");
  own.port = address.port;
  const { query, events, origins } = options;
  const sockets = new WebSocketEndpoint({ query, contextFor, events, limits, unread, arriving, origins });
  sockets.attach(server);
  return {
    address,
    close: (millis) => {
      sockets.close();
      return closeServer(server, millis);
    },
  };
}

class RpcEndpoint {
  #underWay = 0;

  constructor(
    private readonly contextFor: (signal: LeftSignal) => RpcContext,
    private readonly options: RpcOptions,
    private readonly limits: ServerLimits,
    private readonly unread: UnreadBytes,
    private readonly arriving: ArrivingBytes,
  ) {}

  async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { origins } = this.options;
    const preflight = preflightHeaders(request, origins);
    if (preflight) return send(request, response, { status: 204, headers: preflight, body: [] });
    for (const [name, value] of Object.entries(corsHeaders(request, origins))) response.setHeader(name, value);
    this.#underWay++;
    try {
      const reply = await this.#reply({ request, response }, this.contextFor(signalOf(response)));
      if (!response.destroyed) send(request, response, reply);
    } catch (error) {
      const { http } = apiError(error, this.options.events);
      const body = answerBody(failure(-1, error, this.options.events));
      if (!response.destroyed) send(request, response, { status: http, headers: JSON_TYPE, body });
    } finally {
      this.#underWay--;
    }
  }

  #reply(exchange: RpcExchange, context: RpcContext): Promise<Reply> | Reply {
    const { request, response } = exchange;
    // Before anything is made that there would be no room for.
    if (!this.unread.hasRoom(1)) throw noRoom();
    if (this.#underWay > this.limits.concurrency) {
      throw new UpgradeError("UPG_REMOTE_BUSY", `${this.limits.concurrency} requests are under way: try again`);
    }
    if (request.method === "POST") return this.#post(exchange, context);
    if (request.method === "GET" || request.method === "HEAD") return this.#get(exchange, context);
    return this.#json(response, 405, invalidRequest("calls are made with POST, GET or HEAD"));
  }

  async #post(exchange: RpcExchange, context: RpcContext): Promise<Reply> {
    const { response } = exchange;
    const text = decodeLossy(await readBody(exchange, this.limits.bodyBytes, this.arriving));
    let value: unknown;
    try {
      value = JSON.parse(text);
    } catch (error) {
      return this.#json(response, 500, parseFailure(messageOf(error)));
    }
    if (!Array.isArray(value)) return this.#json(response, 200, await this.#one(value, context));
    const { batchCalls } = this.limits;
    if (value.length > batchCalls) {
      return this.#json(response, 200, invalidRequest(`batch request exceeds maximum (${batchCalls})`));
    }
    return { status: 200, headers: JSON_TYPE, body: await this.#batch(value, response, context) };
  }

  /** Each response gets its form and its room at once, and calls beyond the bytes of a batch are refused. */
  async #batch(calls: readonly unknown[], response: ServerResponse, context: RpcContext): Promise<Body> {
    const parts: BodyPart[] = [];
    let length = 0;
    for (const each of calls) {
      if (context.signal?.aborted) break;
      const answer = await this.#one(each, context, this.limits.batchBytes - length);
      if (!answer) continue;
      const body = answerBody(answer);
      const isTooLarge = length + byteLengthOf(body) > this.limits.batchBytes;
      const served = isTooLarge ? answerBody(failure(answer.id, this.#batchIsFull(), this.options.events)) : body;
      this.#hold(response, served);
      length += byteLengthOf(served);
      parts.push(parts.length === 0 ? "[" : ",", ...served);
    }
    return parts.length === 0 ? ["[]"] : [...parts, "]"];
  }

  #batchIsFull(): UpgradeError {
    const { batchBytes } = this.limits;
    return new UpgradeError(
      "UPG_INVALID_REQUEST_SIZE",
      `the answers to a batch have at most ${batchBytes} bytes: make this call in a request of its own`,
    );
  }

  async #one(value: unknown, context: RpcContext, bytesLeft = 1): Promise<RpcAnswer | undefined> {
    try {
      const call = readCall(value);
      if (call && bytesLeft <= 0) return failure(call.id, this.#batchIsFull(), this.options.events);
      return call && (await answerCall(context, call, this.options.events));
    } catch (error) {
      return invalidRequest(messageOf(error));
    }
  }

  async #get({ request, response }: RpcExchange, context: RpcContext): Promise<Reply> {
    const { pathname, searchParams } = readUrl(request.url ?? "/");
    const name = pathname.slice(1);
    if (name === "") return listing();
    try {
      const method = rpcMethod(name);
      return this.#json(response, 200, success(-1, await method.run(context, Params.ofQuery(searchParams))));
    } catch (error) {
      const { status, body } = failedGet(error, this.options.events);
      return { status, headers: JSON_TYPE, body };
    }
  }

  /** In the turn in which a body is made it gets its room, so that few are made that have none. @throws UpgradeError UPG_REMOTE_BUSY */
  #json(response: ServerResponse, status: number, answer: RpcAnswer | undefined): Reply {
    const body = answer === undefined ? [] : answerBody(answer);
    this.#hold(response, body);
    return { status, headers: JSON_TYPE, body };
  }

  #hold(response: ServerResponse, body: Body): void {
    if (!this.unread.hold(response, byteLengthOf(body))) throw noRoom();
  }
}

function readUrl(url: string): URL {
  try {
    return new URL(url, "http://node");
  } catch (cause) {
    throw new UpgradeError("UPG_INVALID_ARGUMENT", "the address is malformed", { cause });
  }
}

/** For people who come with a browser: what may be asked. */
function listing(): Reply {
  const lines = [...RPC_METHODS].map(
    ([name, { params }]) => `/${name}${params.length > 0 ? "?" : ""}${params.map((each) => `${each}=_`).join("&")}`,
  );
  return { status: 200, headers: { "content-type": "text/plain; charset=utf-8" }, body: [`${lines.join("\n")}\n`] };
}
