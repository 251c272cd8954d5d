/** CometBFT-style RPC: JSON-RPC by POST, calls in an address by GET, and the websocket. */
import type { IncomingMessage, ServerResponse } from "node:http";
import { UpgradeError } from "../../errors.js";
import { type Address, DOOR_LIMITS, type DoorLimits, type DoorOptions, type OpenDoor } from "../door.js";
import { apiError } from "../errors.js";
import { closeServer, listen, makeHttpServer, type Reply, readBody, send } from "../http-server.js";
import { answerCall, failure, invalidRequest, parseFailure, type RpcAnswer, readCall, success } from "./answer.js";
import type { RpcContext } from "./context.js";
import { RPC_METHODS, rpcMethod } from "./methods.js";
import { Params } from "./params.js";
import { WebSocketDoor } from "./websocket.js";

export interface RpcOptions extends DoorOptions {
  readonly address: Address;
}

/** Calls in one request. */
const BATCH_MAX = 100;
const JSON_TYPE = { "content-type": "application/json" };

/** @throws UpgradeError UPG_INVALID_CONFIG when the address cannot be had */
export async function openRpc(options: RpcOptions): Promise<OpenDoor> {
  const limits: DoorLimits = { ...DOOR_LIMITS, ...options.limits };
  const own = { host: options.address.host, port: options.address.port };
  const context: RpcContext = {
    query: options.query,
    get address() {
      return `tcp://${own.host}:${own.port}`;
    },
  };
  const door = new RpcDoor(context, options, limits);
  const server = makeHttpServer((request, response) => void door.answer(request, response), limits);
  const address = await listen(server, options.address, "--rpc.laddr");
  own.port = address.port;
  const sockets = new WebSocketDoor(context, options.events, limits);
  sockets.attach(server);
  return {
    address,
    close: (millis) => {
      sockets.close();
      return closeServer(server, millis);
    },
  };
}

class RpcDoor {
  #underWay = 0;

  constructor(
    private readonly context: RpcContext,
    private readonly options: RpcOptions,
    private readonly limits: DoorLimits,
  ) {}

  async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    this.#underWay++;
    try {
      send(request, response, await this.#reply(request));
    } catch (error) {
      const { http } = apiError(error, this.options.events.onBug);
      send(request, response, json(http, failure(-1, error, this.options.events)));
    } finally {
      this.#underWay--;
    }
  }

  #reply(request: IncomingMessage): Promise<Reply> | Reply {
    if (this.#underWay > this.limits.concurrency) {
      throw new UpgradeError("UPG_REMOTE_BUSY", `${this.limits.concurrency} requests are under way: try again`);
    }
    if (request.method === "POST") return this.#post(request);
    if (request.method === "GET") return this.#get(request.url ?? "/");
    return json(405, invalidRequest("calls are made with POST or GET"));
  }

  async #post(request: IncomingMessage): Promise<Reply> {
    const text = Buffer.from(await readBody(request, this.limits.bodyBytes)).toString("utf8");
    let value: unknown;
    try {
      value = JSON.parse(text);
    } catch (error) {
      return json(500, parseFailure(error instanceof Error ? error.message : String(error)));
    }
    if (!Array.isArray(value)) return json(200, await this.#one(value));
    if (value.length > BATCH_MAX) return json(200, invalidRequest(`a batch has at most ${BATCH_MAX} calls`));
    const answers: RpcAnswer[] = [];
    for (const each of value) {
      const answer = await this.#one(each);
      if (answer) answers.push(answer);
    }
    return json(200, answers);
  }

  async #one(value: unknown): Promise<RpcAnswer | undefined> {
    try {
      const call = readCall(value);
      return call && (await answerCall(this.context, call, this.options.events));
    } catch (error) {
      return invalidRequest(error instanceof Error ? error.message : String(error));
    }
  }

  async #get(url: string): Promise<Reply> {
    const { pathname, searchParams } = readUrl(url);
    const name = pathname.slice(1);
    if (name === "") return listing();
    try {
      const method = rpcMethod(name);
      return json(200, success(-1, await method.run(this.context, Params.ofQuery(searchParams))));
    } catch (error) {
      const { http, grpc } = apiError(error, this.options.events.onBug);
      const status = grpc === 12 ? 404 : http === 413 || http === 503 ? http : 500;
      return json(status, failure(-1, error, this.options.events));
    }
  }
}

function readUrl(url: string): URL {
  try {
    return new URL(url, "http://node");
  } catch (cause) {
    throw new UpgradeError("UPG_INVALID_ARGUMENT", "the address is malformed", { cause });
  }
}

function json(status: number, value: RpcAnswer | readonly RpcAnswer[] | undefined): Reply {
  return { status, headers: JSON_TYPE, body: value === undefined ? "" : JSON.stringify(value) };
}

/** For people who come with a browser: what may be asked. */
function listing(): Reply {
  const lines = [...RPC_METHODS].map(
    ([name, { params }]) => `/${name}${params.length > 0 ? "?" : ""}${params.map((each) => `${each}=_`).join("&")}`,
  );
  return { status: 200, headers: { "content-type": "text/plain; charset=utf-8" }, body: `${lines.join("\n")}\n` };
}
