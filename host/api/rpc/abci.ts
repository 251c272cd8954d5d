/** The chain's application: `abci_info`, and `abci_query` on stores and on the query service's methods. */

import { fromBinary, toBinary } from "@bufbuild/protobuf";
import { toBase64 } from "../../bytes.js";
import type { QueryMethod } from "../../chain/query/service.js";
import { isUpgradeError, UpgradeError } from "../../errors.js";
import { VERSION } from "../../version.js";
import { apiError } from "../errors.js";
import { abciQuery } from "../query/abci.js";
import { ERROR_CODE_HEADER } from "../query/query.js";
import { latestBlock, type RpcContext } from "./context.js";
import type { Params } from "./params.js";

export function abciInfo({ query: { app, chain, node } }: RpcContext) {
  const latest = latestBlock(node);
  const { version } = app.at();
  return {
    response: {
      data: chain.name,
      version: VERSION,
      app_version: String(version.number),
      last_block_height: String(latest.header.height),
      last_block_app_hash: toBase64(latest.appHash),
    },
  };
}

const EMPTY_ANSWER = {
  code: 0,
  log: "",
  info: "",
  index: "0",
  key: null as string | null,
  value: null as string | null,
  proofOps: null as { ops: { type: string; key: string; data: string }[] } | null,
  height: "0",
  codespace: "",
};

/** An error of a query is in its response; the call itself has succeeded. */
export async function abciQueryMethod(context: RpcContext, params: Params) {
  const path = params.text("path");
  const data = params.hexBytes("data");
  const height = params.integer("height") ?? 0n;
  try {
    const method = context.query.method(path);
    const response = method
      ? await callMethod(context, method, data, height)
      : queryKey(context, path, data, height, params.flag("prove"));
    return { response };
  } catch (error) {
    if (!isUpgradeError(error)) throw error;
    return { response: { ...EMPTY_ANSWER, ...failure(error) } };
  }
}

async function callMethod({ query }: RpcContext, method: QueryMethod, data: Uint8Array, asked: bigint) {
  if (asked < 0n)
    throw new UpgradeError("UPG_INVALID_HEIGHT", "cannot query with height < 0; please provide a valid height");
  const { input, output } = method.descriptor;
  const { message, height } = await query.call(method, decode(input, data), asked);
  return { ...EMPTY_ANSWER, value: toBase64(toBinary(output, message)), height: String(height) };
}

function decode(schema: QueryMethod["descriptor"]["input"], data: Uint8Array) {
  try {
    return fromBinary(schema, data);
  } catch (cause) {
    throw new UpgradeError("UPG_INVALID_ARGUMENT", `the data are no ${schema.typeName}`, { cause });
  }
}

function queryKey({ query: { app, node } }: RpcContext, path: string, data: Uint8Array, asked: bigint, prove: boolean) {
  latestBlock(node);
  if (!path.startsWith("/store/")) throw new UpgradeError("UPG_NOT_FOUND_METHOD", "unknown query path");
  const { key, value, height, proofOps } = abciQuery(app, { path, data, height: asked, prove });
  return {
    ...EMPTY_ANSWER,
    key: toBase64(key),
    value: value.length === 0 ? null : toBase64(value),
    proofOps: proofOps
      ? { ops: proofOps.map((op) => ({ type: op.type, key: toBase64(op.key), data: toBase64(op.data) })) }
      : null,
    height: String(height),
  };
}

interface AbciCode {
  readonly code: number;
  /** What the Cosmos SDK adds to a text of this kind. */
  readonly kind: string;
}

const INVALID_REQUEST: AbciCode = { code: 18, kind: "invalid request" };

/** The Cosmos SDK's codes by gRPC status; any other is 18. */
const BY_STATUS: Readonly<Record<number, AbciCode>> = {
  5: { code: 22, kind: "key not found" },
  7: { code: 4, kind: "unauthorized" },
};

const STATUS_NAMES: Readonly<Record<number, string>> = {
  2: "Unknown",
  3: "InvalidArgument",
  5: "NotFound",
  7: "PermissionDenied",
  9: "FailedPrecondition",
  13: "Internal",
  14: "Unavailable",
};

/**
 * Clients look for the status in the text: an absent account is `rpc error: code = NotFound …`. Our own code
 * is in `info`, which the Cosmos SDK leaves empty.
 */
function failure(error: UpgradeError) {
  const { code: named, grpc, message } = apiError(error, () => undefined);
  const common = { codespace: "sdk", info: `${ERROR_CODE_HEADER}: ${named}` };
  if (error.code === "UPG_NOT_FOUND_METHOD") return { ...common, code: 6, log: `${message}: unknown request` };
  if (error.code === "UPG_NOT_FOUND_VERSION") return { ...common, code: 26, log: `${message}: invalid height` };
  const { code, kind } = BY_STATUS[grpc] ?? INVALID_REQUEST;
  const name = STATUS_NAMES[grpc] ?? "Unknown";
  return { ...common, code, log: `rpc error: code = ${name} desc = ${message}: ${kind}` };
}
