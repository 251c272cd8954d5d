/** What the sidecar serves, by path. */

import type { IncomingMessage, ServerResponse } from "node:http";
import { isUpgradeError, messageOf } from "../../base/errors/errors.js";
import { utf8 } from "../../base/text/bytes.js";
import { completeText } from "../../base/text/program-text.js";
import type { PageFiles } from "../../serve/api/rest/page-files.js";
import { type Reply, send } from "../../serve/limits/http-server.js";
import type { UnreadBytes } from "../../serve/limits/unread.js";
import type { Machine } from "../decide/machine.js";
import { VISOR_PROGRAM } from "../decide/program-variables.js";
import type { Settings } from "../decide/settings.js";
import { BEFORE_HEIGHT, type StatusBoard } from "../decide/status.js";
import { metricsText } from "./metrics-text.js";
import { haltRecordOf, nodeForm } from "./node-form.js";
import type { NodeSide } from "./node-side.js";
import { missingOf } from "./status-text.js";
import { SUPERVISOR_POLICY, supervisorPage } from "./supervisor-page.js";
import type { StatusView } from "./view.js";
import type { Waiters } from "./waiters.js";

const WAIT_SECONDS_MAX = 60;
/** Of the RPC. */
const ASKED: readonly string[] = ["status", "commit", "validators", "abci_query"];
const ASKING_MAX = 16;

export interface RouteOptions {
  readonly board: StatusBoard;
  readonly view: StatusView;
  readonly waiters: Waiters;
  readonly node: NodeSide;
  readonly settings: Pick<Settings, "home" | "backupDir">;
  readonly machine: Pick<Machine, "files" | "clock">;
  readonly unread: UnreadBytes;
  readonly page: () => Promise<PageFiles>;
}

interface OwnReply extends Reply {
  /** The budget has counted its bytes. */
  readonly isHeld?: boolean;
}

type Answer = (
  request: IncomingMessage,
  response: ServerResponse,
  query: URLSearchParams,
) => OwnReply | Promise<OwnReply>;

const COMMON = { "cache-control": "no-store", "x-content-type-options": "nosniff" };
const JSON_HEADERS = { "content-type": "application/json", ...COMMON };
const METRICS_HEADERS = { "content-type": "text/plain; version=0.0.4; charset=utf-8", ...COMMON };
const PAGE_HEADERS = {
  ...{ "content-type": "text/html; charset=utf-8", "content-security-policy": SUPERVISOR_POLICY },
  ...{ "referrer-policy": "no-referrer", ...COMMON },
};

export class StatusRoutes {
  readonly #routes: ReadonlyMap<string, Answer>;
  #asking = 0;

  constructor(private readonly options: RouteOptions) {
    this.#routes = new Map<string, Answer>([
      ["/status", (request, response, query) => this.#status(request, response, query)],
      ["/metrics", () => ({ status: 200, headers: METRICS_HEADERS, body: [this.#metrics()] })],
      ["/healthz", () => this.#health()],
      ["/readyz", () => this.#readiness()],
      ["/supervisor", (_request, _response, query) => this.#supervisor(query)],
      ["/chain/upgrade/v1/status", () => this.#nodeStatus()],
    ]);
  }

  /** Never rejects. */
  async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    // A body has no meaning here; what comes of one is thrown away.
    request.resume();
    const reply: OwnReply = await this.#replyTo(request, response).catch(failure);
    if (response.destroyed) return;
    // Those of the page are held already.
    const bytes =
      request.method === "HEAD" || reply.isHeld
        ? 0
        : reply.body.reduce((sum, part) => sum + Buffer.byteLength(part), 0);
    if (!this.options.unread.hold(response, bytes)) response.destroy();
    else send(request, response, reply);
  }

  async #replyTo(request: IncomingMessage, response: ServerResponse): Promise<OwnReply> {
    const { method, url = "/" } = request;
    if (method !== "GET" && method !== "HEAD") {
      return {
        ...json(405, { error: "only GET and HEAD are served" }),
        headers: { ...JSON_HEADERS, allow: "GET, HEAD", connection: "close" },
      };
    }
    const at = url.indexOf("?");
    const path = at < 0 ? url : url.slice(0, at);
    const query = at < 0 ? "" : url.slice(at + 1);
    const route = this.#routes.get(path);
    if (route) return route(request, response, new URLSearchParams(query));
    if (path.startsWith("/rpc/")) return this.#rpc(path.slice("/rpc/".length), query);
    return (await this.#page(request, response, path)) ?? json(404, { error: "no such path" });
  }

  /** `?wait=30`: responds when the status changes, or after so many seconds; at once when it is not that of `If-None-Match`. */
  async #status(request: IncomingMessage, response: ServerResponse, query: URLSearchParams): Promise<Reply> {
    const { waiters, view } = this.options;
    const wait = query.get("wait");
    if (wait !== null) {
      const seconds = /^[0-9]{1,4}s?$/.test(wait) ? Number.parseInt(wait, 10) : Number.NaN;
      if (!(seconds <= WAIT_SECONDS_MAX)) return json(400, { error: `wait is 0 to ${WAIT_SECONDS_MAX} seconds` });
      await waiters.wait(seconds * 1_000, request.headers["if-none-match"], response);
    }
    const { version } = waiters;
    return { ...json(200, view.shown().status), headers: { ...JSON_HEADERS, etag: version } };
  }

  #supervisor(query: URLSearchParams): Reply {
    return {
      status: 200,
      headers: PAGE_HEADERS,
      body: [supervisorPage(this.options.view.shown(), query.has("still"))],
    };
  }

  /** Good as long as the sidecar does its work: it is not started again because a node is down, or an upgrade takes its time. */
  #health(): Reply {
    const { phase, message, next } = this.options.board.current;
    return json(phase === "failed" ? 503 : 200, { status: phase === "failed" ? "failed" : "ok", phase, message, next });
  }

  #readiness(): Reply {
    const { current } = this.options.board;
    // The application serves, or is about to: what goes to it need not go elsewhere.
    const isReady = BEFORE_HEIGHT.has(current.phase) && current.program?.pid !== null;
    const missing = missingOf(current).map(({ what }) => what);
    return json(isReady ? 200 : 503, { status: isReady ? "ready" : "not ready", phase: current.phase, missing });
  }

  #metrics(): string {
    const { board, view, machine } = this.options;
    const { totals, lastHaltSeconds } = board;
    return metricsText({
      ...{ status: view.shown().status, totals, lastHaltSeconds },
      ...{ diskFree: this.#diskFree(), now: machine.clock.wall() },
    });
  }

  #diskFree() {
    const { settings, machine } = this.options;
    const folders = [
      ["home", settings.home],
      ["backup", settings.backupDir],
    ] as const;
    return folders.flatMap(([name, path]) => {
      try {
        return [[name, machine.files.freeBytes(path)] as const];
      } catch {
        // A folder that is absent as yet, or a system that does not say: the other figures are of use.
        return [];
      }
    });
  }

  /** The node's own words where it responds. */
  async #nodeStatus(): Promise<Reply> {
    const { node, view, settings, machine } = this.options;
    const own = await node.status();
    if (own !== undefined) return json(200, own);
    return json(200, nodeForm(view.shown(), haltRecordOf(settings.home, machine.files), settings.home));
  }

  /** What those ask who verify a chain, of the node's own RPC, as the node's REST serves it. */
  async #rpc(method: string, query: string): Promise<Reply> {
    if (!ASKED.includes(method)) return json(404, { error: "no such path" });
    if (this.#asking >= ASKING_MAX)
      return json(503, { error: `${ASKING_MAX} questions to the node are under way: try again` });
    this.#asking++;
    try {
      const found = await this.options.node.rpc(method, query);
      if (!found) return json(502, { error: "the node's RPC does not respond now" });
      return { status: found.status, headers: JSON_HEADERS, body: [found.body] };
    } finally {
      this.#asking--;
    }
  }

  /** A file of the verification page. */
  async #page(incoming: IncomingMessage, outgoing: ServerResponse, path: string): Promise<OwnReply | undefined> {
    const page = await this.options.page();
    const found = await page.answer({ incoming, outgoing }, path);
    if (!found) return undefined;
    return {
      ...{ status: found.status, headers: Object.fromEntries(found.headers) },
      body: [new Uint8Array(await found.arrayBuffer())],
      isHeld: true,
    };
  }
}

function json(status: number, value: unknown): Reply {
  return { status, headers: JSON_HEADERS, body: [utf8(`${JSON.stringify(value)}\n`)] };
}

function failure(error: unknown): Reply {
  const code = isUpgradeError(error) ? error.code : "UPG_BUG_ASSERT";
  return json(code === "UPG_REMOTE_BUSY" ? 503 : 500, { code, error: completeText(messageOf(error), VISOR_PROGRAM) });
}
