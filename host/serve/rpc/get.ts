/**
 * Calls by GET, and their responses. REST serves a few of the methods too, so that a page that verifies the chain
 * needs one origin: those are run here, or put to the RPC of another program.
 */
import { toHex } from "../../base/text/bytes.js";
import type { Body } from "../limits/body.js";
import type { ServerEvents } from "../limits/server.js";
import { apiError } from "../query/api-error.js";
import { answerBody, failure, success } from "./answer.js";
import type { RpcContext } from "./context.js";
import { rpcMethod } from "./methods.js";
import { Params } from "./params.js";

/** What those ask who verify a chain: reading, and bounded in size. */
export const ASKED_METHODS = ["status", "commit", "validators", "abci_query"] as const;

export type AskedMethod = (typeof ASKED_METHODS)[number];

/** Parameters as JSON-RPC has them. */
export type JsonParams = Readonly<Record<string, string | boolean>>;

const INTEGERS = ["height", "page", "per_page"];

/** Of an address, as JSON-RPC has them; other names are nobody's. @throws UpgradeError UPG_INVALID_ARGUMENT */
export function readParams(method: AskedMethod, query: URLSearchParams): JsonParams {
  const params = Params.ofQuery(query);
  const read: Record<string, string | boolean> = {};
  for (const name of rpcMethod(method).params) {
    if (query.get(name) === null || query.get(name) === "") continue;
    if (INTEGERS.includes(name)) read[name] = String(params.integer(name));
    else if (name === "prove") read[name] = params.flag(name);
    else if (name === "data") read[name] = toHex(params.hexBytes(name));
    else read[name] = params.text(name);
  }
  return read;
}

/** A call to the node of this process. @throws what the method throws */
export async function runHere(context: RpcContext, method: AskedMethod, query: URLSearchParams): Promise<unknown> {
  return rpcMethod(method).run(context, Params.ofQuery(query));
}

export interface GetReply {
  readonly status: number;
  /** gRPC status number, for the count of responses. */
  readonly grpc: number;
  readonly body: Body;
}

/** Never rejects: an error is a response too. */
export async function answerGet(run: () => Promise<unknown>, events: ServerEvents): Promise<GetReply> {
  try {
    return { status: 200, grpc: 0, body: answerBody(success(-1, await run())) };
  } catch (error) {
    return failedGet(error, events);
  }
}

export function failedGet(error: unknown, events: ServerEvents): GetReply {
  const { http, grpc } = apiError(error, events);
  const status = grpc === 12 ? 404 : http === 413 || http === 429 || http === 503 ? http : 500;
  return { status, grpc, body: answerBody(failure(-1, error, events)) };
}
