/** What every route of REST has around it: so many at once, errors with their codes, a count of the responses. */

import type { IncomingMessage, ServerResponse } from "node:http";
import { UpgradeError } from "../../../base/errors/errors.js";
import { escapeHtml } from "../../../chain/messages/gateway-json.js";
import type { ServerEvents } from "../../limits/server.js";
import type { ServerLimits } from "../../limits/server-limits.js";
import { apiError } from "../../query/api-error.js";
import { ERROR_CODE_HEADER } from "../../query/query.js";

/** A request as Node has it, and where its response goes. */
export interface RestExchange {
  readonly incoming: IncomingMessage;
  readonly outgoing: ServerResponse;
}

/** What is counted of a request; its route sets the two. */
export interface Counted {
  /** Template of the route. */
  route: string;
  /** gRPC status number. */
  status: number;
}

export const JSON_TYPE = { "content-type": "application/json" };

export const serverTime = () => ({ "x-server-time": String(Math.floor(Date.now() / 1_000)) });

export class Answering {
  #underWay = 0;

  constructor(
    private readonly events: ServerEvents,
    private readonly limits: Pick<ServerLimits, "concurrency">,
  ) {}

  async run({ incoming }: RestExchange, answer: (counted: Counted) => Response | Promise<Response>): Promise<Response> {
    const begun = performance.now();
    const counted: Counted = { route: "(none)", status: 0 };
    this.#underWay++;
    try {
      if (this.#underWay > this.limits.concurrency) {
        throw new UpgradeError("UPG_REMOTE_BUSY", `${this.limits.concurrency} requests are under way: try again`);
      }
      return await answer(counted);
    } catch (error) {
      const { grpc, http, message, headers: own } = apiError(error, this.events);
      counted.status = grpc;
      const headers = { ...JSON_TYPE, ...own, ...serverTime() };
      const body = incoming.method === "HEAD" ? null : errorBody(grpc, message);
      return new Response(body, { status: http, headers });
    } finally {
      this.#underWay--;
      this.events.onAnswer("rest", counted.route, counted.status, (performance.now() - begun) / 1_000);
    }
  }
}

export function notImplemented({ incoming }: RestExchange): Response {
  const headers = { ...JSON_TYPE, [ERROR_CODE_HEADER]: "UPG_NOT_FOUND_METHOD", ...serverTime() };
  return new Response(incoming.method === "HEAD" ? null : errorBody(12, "Not Implemented"), { status: 501, headers });
}

/** The Cosmos SDK's gateway writes errors with these spaces. */
function errorBody(code: number, message: string): string {
  return `{"code":${code}, "message":${escapeHtml(JSON.stringify(message))}, "details":[]}`;
}
