/** REST: the gateway's JSON over the query service, on the Cosmos SDK's routes; and what machines ask a node besides. */

import type { IncomingMessage } from "node:http";
import { createRegistry, type DescMessage, fromJsonString, type Message, type Registry } from "@bufbuild/protobuf";
import { getRequestListener, type HttpBindings } from "@hono/node-server";
import { type Context, Hono } from "hono";
import { cors } from "hono/cors";
import { messageOf, UpgradeError } from "../../../base/errors/errors.js";
import { utf8 } from "../../../base/text/bytes.js";
import { decodeText } from "../../../base/text/text.js";
import { filesOf } from "../../../chain/app/define-chain.js";
import { GatewayJson } from "../../../chain/messages/gateway-json.js";
import { shortenUrls } from "../../../chain/messages/message-json.js";
import { ArrivingBytes } from "../../limits/arriving.js";
import { type BodyPart, byteLengthOf, partOf } from "../../limits/body.js";
import { makeHttpServer, openServer, readBody, signalOf } from "../../limits/http-server.js";
import { listen } from "../../limits/listen.js";
import { type Address, type OpenServer, SERVER_LIMITS, type ServerOptions } from "../../limits/server.js";
import type { ServerLimits } from "../../limits/server-limits.js";
import { noRoom, UnreadBytes } from "../../limits/unread.js";
import { CUT_HEADER, HEIGHT_HEADER, parseAskedHeight } from "../../query/query.js";
import { KeptAnswers } from "../../query/response-cache.js";
import { GrpcWeb } from "../grpc/web.js";
import { Answering, JSON_TYPE, notImplemented, serverTime } from "./answering.js";
import { bindRequest } from "./bind.js";
import { openApiDocument } from "./openapi.js";
import { type FoundRoute, Router, routesOf } from "./routes.js";
import { Site, type SiteFacts } from "./site.js";

export interface RestOptions extends ServerOptions {
  readonly address: Address;
  /** Let pages of any origin read responses. */
  readonly cors: boolean;
  /** Serve gRPC-Web on this port too. */
  readonly grpcWeb: boolean;
  /** What it serves besides its queries. */
  readonly site: SiteFacts;
  /** Where the RPC listens; "": nowhere. */
  readonly rpcAddress: () => string;
  /** False while the node has no block, or is about to stop. */
  isReady(): boolean;
  /** Prometheus text. */
  metrics(): Promise<string>;
}

/** An answer in the form it is sent in. */
interface KeptText {
  /** Template of its route, for the count of requests. */
  readonly route: string;
  readonly body: BodyPart;
  readonly height: string;
}

type Env = { Bindings: HttpBindings };

const METRICS_TYPE = { "content-type": "text/plain; version=0.0.4; charset=utf-8" };

/** @throws UpgradeError UPG_INVALID_CONFIG when the address cannot be had */
export async function openRest(options: RestOptions): Promise<OpenServer> {
  const limits = { ...SERVER_LIMITS, ...options.limits };
  const { unread = new UnreadBytes(limits), arriving = new ArrivingBytes(limits) } = options;
  const answering = new Answering(options.events, limits);
  const gateway = new Gateway(options, limits, unread, arriving, answering);
  const site = new Site({ ...options, answering, unread });
  const app = new Hono<Env>();
  if (options.cors) app.use(cors({ origin: "*", allowHeaders: ["*"], exposeHeaders: ["*"] }));
  app.get("/healthz", (context) => only("GET", context, () => json(context, 200, { status: "ok" })));
  app.get("/readyz", (context) => only("GET", context, () => readiness(context, options)));
  app.get("/metrics", (context) =>
    only("GET", context, async () => context.body(await options.metrics(), 200, METRICS_TYPE)),
  );
  // The same bytes for all who ask.
  const document = utf8(JSON.stringify(openApiDocument(routesOf(options.query.routed))));
  app.get("/openapi.json", (context) =>
    only("GET", context, () => context.body(document as Uint8Array<ArrayBuffer>, 200, JSON_TYPE)),
  );
  if (options.grpcWeb) {
    const web = new GrpcWeb({ ...options, limits, unread, arriving });
    app.post("*", (context, next) => (GrpcWeb.isCall(context.env.incoming) ? web.answer(context.env) : next()));
  }
  app.all("*", ({ env }, next) => site.answer(env) ?? next());
  app.all("*", (context) => site.page(context.env, () => gateway.answer(context)));
  const listener = getRequestListener(app.fetch, { overrideGlobalObjects: false, autoCleanupIncoming: false });
  const server = makeHttpServer((request, response) => void listener(request, response), limits);
  return openServer(server, await listen(server, options.address, "--api.address"));
}

/** Hono answers HEAD with GET's functions; the Cosmos SDK knows no HEAD. */
function only(
  method: string,
  context: Context<Env>,
  answer: () => Response | Promise<Response>,
): Response | Promise<Response> {
  return context.req.method === method ? answer() : notImplemented(context.env);
}

function json(context: Context<Env>, status: 200 | 503, body: object): Response {
  return context.body(JSON.stringify(body), status, JSON_TYPE);
}

/**
 * A node that makes an upgrade's block is ready: it serves everything from the state before, and all nodes of a chain
 * are in that block at the same time, so that none of them should be taken out of service for it.
 */
function readiness(context: Context<Env>, { isReady, query }: RestOptions): Response {
  if (!isReady()) return json(context, 503, { status: "not ready" });
  return json(context, 200, { status: query.node.progress() ? "upgrading" : "ready" });
}

const GATEWAY_HEIGHT_HEADER = `grpc-metadata-${HEIGHT_HEADER}`;

function askedHeightOf({ headers }: IncomingMessage): string | undefined {
  return (headers[HEIGHT_HEADER] ?? headers[GATEWAY_HEIGHT_HEADER]) as string | undefined;
}

class Gateway {
  readonly #router: Router;
  readonly #json: GatewayJson;
  readonly #registry: Registry;
  readonly #kept = new KeptAnswers<KeptText>();

  constructor(
    private readonly options: RestOptions,
    private readonly limits: ServerLimits,
    private readonly unread: UnreadBytes,
    private readonly arriving: ArrivingBytes,
    private readonly answering: Answering,
  ) {
    const { query } = options;
    this.#router = new Router(routesOf(query.routed));
    this.#registry = createRegistry(...filesOf(query.chain, query.descriptors));
    this.#json = new GatewayJson(this.#registry);
  }

  answer(context: Context<Env>): Promise<Response> {
    return this.answering.run(context.env, (counted) => {
      const kept = this.#keptAnswer(context);
      if (kept) {
        counted.route = kept.route;
        return this.#response(context, kept);
      }
      const found = this.#find(context);
      if (!found) {
        counted.status = 12;
        return notImplemented(context.env);
      }
      counted.route = found.route.template;
      return this.#call(context, found);
    });
  }

  /** By the address as it was sent; a request that names a height is served from its state. */
  #keptAnswer({ req, env }: Context<Env>): KeptText | undefined {
    const { incoming } = env;
    const last = this.options.query.lastHeight;
    if (req.method !== "GET" || last === undefined || askedHeightOf(incoming) !== undefined) return undefined;
    return this.#kept.get(last, incoming.url ?? "/");
  }

  /** The path as it was sent: what is encoded in it may be part of a name. */
  #find({ req, env }: Context<Env>): FoundRoute | undefined {
    const [path = "/"] = (env.incoming.url ?? "/").split("?");
    try {
      return this.#router.find(req.method, path);
    } catch (cause) {
      throw new UpgradeError("UPG_INVALID_ARGUMENT", "the path is not percent-encoded UTF-8", { cause });
    }
  }

  async #call(context: Context<Env>, { route, parameters }: FoundRoute): Promise<Response> {
    const { req, env } = context;
    const asked = parseAskedHeight(askedHeightOf(env.incoming));
    const { method } = route;
    const url = env.incoming.url ?? "/";
    const at = url.indexOf("?");
    const query = new URLSearchParams(at < 0 ? "" : url.slice(at + 1));
    const request = route.hasBody
      ? await this.#readRequest(context, route.method.descriptor.input)
      : bindRequest(method.descriptor.input, parameters, query);
    const cut: string[] = [];
    const call = { signal: signalOf(env.outgoing), onCut: (what: string) => cut.push(what) };
    const { message, height } = await this.options.query.call(method, request, asked, call);
    const text = this.#json.write(method.descriptor.output, message);
    const answer = { route: route.template, body: partOf(text), height: String(height) };
    const isKept = method.isKept && req.method === "GET" && asked === 0n && cut.length === 0;
    if (isKept) this.#kept.put(height, url, answer, 2 * text.length);
    return this.#response(context, answer, cut[0]);
  }

  /** @throws UpgradeError UPG_REMOTE_BUSY */
  #response({ env }: Context<Env>, { body, height }: KeptText, cut?: string): Response {
    if (!this.unread.hold(env.outgoing, byteLengthOf([body]))) throw noRoom();
    return new Response(body as BodyInit, {
      status: 200,
      headers: {
        ...JSON_TYPE,
        ...serverTime(),
        "cache-control": "no-store",
        ...(cut === undefined ? {} : { [CUT_HEADER]: cut }),
        [HEIGHT_HEADER]: height,
        [GATEWAY_HEIGHT_HEADER]: height,
      },
    });
  }

  async #readRequest({ env }: Context<Env>, schema: DescMessage): Promise<Message> {
    const body = await readBody(
      { request: env.incoming, response: env.outgoing },
      this.limits.bodyBytes,
      this.arriving,
    );
    try {
      const text = decodeText(body);
      const message = fromJsonString(schema, text === "" ? "{}" : text, { registry: this.#registry });
      shortenUrls(this.#registry, schema, message);
      return message;
    } catch (cause) {
      const what = messageOf(cause);
      throw new UpgradeError("UPG_INVALID_ARGUMENT", `the body is not the JSON of this request: ${what}`, { cause });
    }
  }
}
