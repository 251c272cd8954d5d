/**
 * What a node serves besides its queries, so that a page needs one origin: a part of the RPC, the files of an upgrade, what the
 * node says of itself, and the page.
 */

import { UpgradeError } from "../../../base/errors/errors.js";
import { utf8 } from "../../../base/text/bytes.js";
import { visible } from "../../../base/text/visible.js";
import type { LocalNode } from "../../../chain/app/query/node-port.js";
import { bytesOfBody } from "../../limits/body.js";
import { signalOf } from "../../limits/http-server.js";
import type { ServerOptions } from "../../limits/server.js";
import { noRoom, type UnreadBytes } from "../../limits/unread.js";
import type { Query } from "../../query/query.js";
import type { RpcContext } from "../../rpc/context.js";
import { GenesisAnswers } from "../../rpc/genesis-document.js";
import { ASKED_METHODS, type AskedMethod, answerGet, type JsonParams, readParams, runHere } from "../../rpc/get.js";
import { type Answering, type Counted, JSON_TYPE, notImplemented, type RestExchange, serverTime } from "./answering.js";
import { FileAnswers } from "./file-answer.js";
import { HandlerFiles } from "./handler-files.js";
import { NodeStatus, type StatusFacts } from "./node-status.js";
import { PageFiles } from "./page-files.js";
import { WitnessFiles } from "./witness-files.js";

/** The RPC of another program: the result of a call, as JSON. @throws UpgradeError UPG_REMOTE_*, and what it was refused with */
export type AskRpc = (method: AskedMethod, params: JsonParams) => Promise<unknown>;

/** What of a node is known outside of its queries. */
export interface SiteFacts extends StatusFacts {
  /** The node that keeps its blocks itself, or the RPC of the one that does. */
  readonly rpc: Query<LocalNode> | AskRpc;
  /** Where handlers are. */
  readonly handlerFolders: readonly string[];
  /** Where the witness of an upgrade is once it was written. */
  witnessFile(plan: string): string;
}

export interface SiteOptions extends ServerOptions {
  readonly site: SiteFacts;
  readonly answering: Answering;
  readonly unread: UnreadBytes;
  /** Where the RPC listens, which its status names; "": nowhere. */
  readonly rpcAddress: () => string;
}

interface Asked {
  readonly exchange: RestExchange;
  /** Of the part of the path that the route leaves open, decoded. */
  readonly word: string;
  readonly counted: Counted;
}

/** A route by what is before the open part of its path. */
interface SiteRoute {
  readonly template: string;
  readonly before: string;
  answer(asked: Asked): Promise<Response>;
}

const IMMUTABLE = "public, max-age=31536000, immutable";
/** What a handler or a witness has in it is no page, whatever a browser takes it for. */
const NO_SNIFFING = { "x-content-type-options": "nosniff" };
const STATUS_PATH = "/chain/upgrade/v1/status";
const HANDLER_PATH = "/chain/upgrade/v1/handler/";
const WITNESS_PATH = "/chain/upgrade/v1/witness/";

export class Site {
  readonly #files: FileAnswers;
  readonly #handlers: HandlerFiles;
  readonly #witnesses: WitnessFiles;
  readonly #status: NodeStatus;
  readonly #routes: readonly SiteRoute[];
  #page: Promise<PageFiles> | undefined;
  #genesis: GenesisAnswers | undefined;

  constructor(private readonly options: SiteOptions) {
    const { query, site, unread } = options;
    this.#files = new FileAnswers(unread);
    this.#handlers = new HandlerFiles(site.handlerFolders, query.sha256);
    this.#witnesses = new WitnessFiles(query.sha256);
    this.#status = new NodeStatus(query, site);
    this.#routes = [
      { template: "/rpc/{method}", before: "/rpc/", answer: (asked) => this.#rpc(asked) },
      { template: STATUS_PATH, before: STATUS_PATH, answer: (asked) => this.#statusOf(asked) },
      {
        template: `${HANDLER_PATH}{sha256}`,
        before: HANDLER_PATH,
        answer: (asked) => this.#handler(asked),
      },
      { template: `${WITNESS_PATH}{plan}`, before: WITNESS_PATH, answer: (asked) => this.#witness(asked) },
    ];
  }

  /** Undefined: it is no path of these. */
  answer(exchange: RestExchange): Promise<Response> | undefined {
    const { method, url = "/" } = exchange.incoming;
    if (method !== "GET" && method !== "HEAD") return undefined;
    const [path = "/"] = url.split("?");
    const route = this.#routes.find(({ before, template }) =>
      template === before ? path === before : path.startsWith(before),
    );
    if (!route) return undefined;
    return this.options.answering.run(exchange, (counted) => {
      counted.route = route.template;
      return route.answer({ exchange, word: decoded(path.slice(route.before.length)), counted });
    });
  }

  /** A file of the page; what it does not have is for `next`. */
  async page(exchange: RestExchange, next: () => Response | Promise<Response>): Promise<Response> {
    const { method, url = "/" } = exchange.incoming;
    const { answering, query, unread } = this.options;
    if (method !== "GET" && method !== "HEAD") return next();
    const [path = "/"] = url.split("?");
    this.#page ??= import("../page-bytes.js").then(({ PAGE_FILES }) => new PageFiles(PAGE_FILES, query.sha256, unread));
    const page = await this.#page;
    if (!page.paths.includes(path)) return next();
    return answering.run(exchange, async (counted) => {
      counted.route = path;
      return (await page.answer(exchange, path)) ?? notImplemented(exchange);
    });
  }

  /** The RPC's own response, word for word. */
  async #rpc({ exchange, word, counted }: Asked): Promise<Response> {
    const { events, site } = this.options;
    const method = ASKED_METHODS.find((each) => each === word);
    if (!method) {
      counted.status = 12;
      return notImplemented(exchange);
    }
    counted.route = `/rpc/${method}`;
    const params = parametersOf(exchange);
    const { rpc } = site;
    const reply = await answerGet(
      async () =>
        typeof rpc === "function"
          ? rpc(method, readParams(method, params))
          : runHere(this.#contextOf(rpc, exchange), method, params),
      events,
    );
    counted.status = reply.grpc;
    return this.#json(exchange, reply.status, bytesOfBody(reply.body));
  }

  #contextOf(query: Query<LocalNode>, { outgoing }: RestExchange): RpcContext {
    this.#genesis ??= new GenesisAnswers(query.node, this.options.unread);
    const { rpcAddress, events } = this.options;
    return { query, genesis: this.#genesis, address: rpcAddress(), signal: signalOf(outgoing), onBug: events.onBug };
  }

  async #statusOf({ exchange }: Asked): Promise<Response> {
    return this.#json(exchange, 200, utf8(JSON.stringify(await this.#status.json())));
  }

  /** @throws UpgradeError UPG_REMOTE_BUSY */
  #json({ incoming, outgoing }: RestExchange, status: number, body: Uint8Array): Response {
    const isHead = incoming.method === "HEAD";
    if (!isHead && !this.options.unread.hold(outgoing, body.length)) throw noRoom();
    const length = { "content-length": String(body.length) };
    const headers = { ...JSON_TYPE, ...serverTime(), "cache-control": "no-store", ...length };
    return new Response(isHead ? null : (body as Uint8Array<ArrayBuffer>), { status, headers });
  }

  async #handler({ exchange, word }: Asked): Promise<Response> {
    if (!/^[0-9a-fA-F]{64}$/.test(word)) {
      throw new UpgradeError("UPG_INVALID_ARGUMENT", "a handler is named by its SHA-256: 64 hex digits");
    }
    const hash = word.toLowerCase();
    const found = await this.#handlers.find(hash);
    if (!found) throw new UpgradeError("UPG_NOT_FOUND_FILE", `this node has no handler ${hash}`);
    const headers = { "content-type": "application/wasm", ...NO_SNIFFING, "cache-control": IMMUTABLE };
    return this.#files.answer(exchange, { ...found, etag: `"${hash}"`, headers });
  }

  /**
   * Another chain may come to the same address and use the same plan's name, so a witness is kept for good only where the address
   * carries its tag (`?etag=…`, without quotation marks); else it is asked for again by that tag.
   */
  async #witness({ exchange, word }: Asked): Promise<Response> {
    const { query, site } = this.options;
    const of = { chainId: query.node.chainId, plan: word };
    const found = word === "" ? undefined : await this.#witnesses.find(site.witnessFile(word), of);
    if (!found) {
      throw new UpgradeError(
        "UPG_NOT_FOUND_FILE",
        `this node has no witness of the upgrade "${visible(word).slice(0, 200)}"`,
      );
    }
    const isNamed = parametersOf(exchange).get("etag") === found.etag.slice(1, -1);
    const cache = { "cache-control": isNamed ? IMMUTABLE : "public, no-cache" };
    const headers = { "content-type": "application/octet-stream", ...NO_SNIFFING, ...cache };
    return this.#files.answer(exchange, { ...found, headers });
  }
}

function parametersOf({ incoming: { url = "" } }: RestExchange): URLSearchParams {
  return new URLSearchParams(url.includes("?") ? url.slice(url.indexOf("?") + 1) : "");
}

function decoded(word: string): string {
  try {
    return decodeURIComponent(word);
  } catch (cause) {
    throw new UpgradeError("UPG_INVALID_ARGUMENT", "the path is not percent-encoded UTF-8", { cause });
  }
}
