/** JSON-RPC 2.0: one call in, one response out; errors are responses too. */
import { isUpgradeError, UpgradeError } from "../../base/errors/errors.js";
import { type Body, partOf } from "../limits/body.js";
import type { ServerEvents } from "../limits/server.js";
import { apiError } from "../query/api-error.js";
import type { RpcContext } from "./context.js";
import { JsonText } from "./json.js";
import { rpcMethod } from "./methods.js";
import { Params } from "./params.js";

export type RpcId = string | number | null;

export interface RpcAnswer {
  readonly jsonrpc: "2.0";
  readonly id: RpcId;
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string; readonly data: string };
}

export interface RpcCall {
  readonly id: RpcId;
  readonly name: string;
  readonly params: unknown;
}

const PARSE_ERROR = { code: -32_700, message: "Parse error. Invalid JSON" };
const INVALID_REQUEST = { code: -32_600, message: "Invalid Request" };
const METHOD_NOT_FOUND = { code: -32_601, message: "Method not found" };
const INVALID_PARAMS = { code: -32_602, message: "Invalid params" };
const INTERNAL = { code: -32_603, message: "Internal error" };

export const parseFailure = (data: string): RpcAnswer => ({
  jsonrpc: "2.0",
  id: -1,
  error: { ...PARSE_ERROR, data },
});

export const invalidRequest = (data: string): RpcAnswer => ({
  jsonrpc: "2.0",
  id: -1,
  error: { ...INVALID_REQUEST, data },
});

export const success = (id: RpcId, result: unknown): RpcAnswer => ({ jsonrpc: "2.0", id, result });

/** The JSON of an answer. */
export function answerBody(answer: RpcAnswer): Body {
  const { result, ...rest } = answer;
  if (!(result instanceof JsonText)) return [partOf(JSON.stringify(answer))];
  const [before, after] = [`${JSON.stringify(rest).slice(0, -1)},"result":`, "}"];
  const [text] = result.body;
  // Short texts are sent in one piece.
  if (result.body.length === 1 && typeof text === "string") return [partOf(before + text + after)];
  return [before, ...result.body, after];
}

/** The data of an error end with its stable code. */
export function failure(id: RpcId, error: unknown, events: ServerEvents): RpcAnswer {
  const { code, message } = apiError(error, events);
  const kind =
    code === "UPG_NOT_FOUND_METHOD"
      ? METHOD_NOT_FOUND
      : isUpgradeError(error) && error.code === "UPG_INVALID_ARGUMENT"
        ? INVALID_PARAMS
        : INTERNAL;
  return { jsonrpc: "2.0", id, error: { ...kind, data: `${message} [${code}]` } };
}

/** Undefined: a notification, which gets no response. @throws UpgradeError UPG_INVALID_ARGUMENT */
export function readCall(value: unknown): RpcCall | undefined {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new UpgradeError("UPG_INVALID_ARGUMENT", "a call is a JSON object");
  }
  const { id, method, params } = value as { id?: unknown; method?: unknown; params?: unknown };
  if (typeof method !== "string") throw new UpgradeError("UPG_INVALID_ARGUMENT", "a call names its method");
  if (id === undefined) return undefined;
  if (typeof id !== "string" && typeof id !== "number" && id !== null) {
    throw new UpgradeError("UPG_INVALID_ARGUMENT", "an id is a string or a number");
  }
  return { id, name: method, params };
}

/** Never throws. */
export async function answerCall(context: RpcContext, call: RpcCall, events: ServerEvents): Promise<RpcAnswer> {
  const begun = performance.now();
  const count = (status: number, name: string) =>
    events.onAnswer("rpc", name, status, (performance.now() - begun) / 1_000);
  try {
    const method = rpcMethod(call.name);
    const result = await method.run(context, Params.ofJson(call.params, method.params));
    count(0, call.name);
    return success(call.id, result);
  } catch (error) {
    const isUnknown = isUpgradeError(error) && error.code === "UPG_NOT_FOUND_METHOD";
    count(isUpgradeError(error) ? error.kind.grpc : 13, isUnknown ? "(none)" : call.name);
    return failure(call.id, error, events);
  }
}
