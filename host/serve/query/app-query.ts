/**
 * A query by path and bytes, as CometBFT's `abci_query` has it: a key of a store, or a method of the query service. Codes and
 * texts of what fails are the Cosmos SDK's.
 */
import { fromBinary, toBinary } from "@bufbuild/protobuf";
import { isUpgradeError, UpgradeError } from "../../base/errors/errors.js";
import type { AppQuery, AppQueryResult } from "../../chain/app/engine-port.js";
import type { QueryMethod } from "../../chain/app/query/service.js";
import { abciQuery } from "./abci.js";
import { apiError, type ErrorEvents } from "./api-error.js";
import { ERROR_CODE_HEADER, type Query } from "./query.js";

const NONE = new Uint8Array(0);

const EMPTY: AppQueryResult = Object.freeze({
  code: 0,
  codespace: "",
  log: "",
  info: "",
  key: NONE,
  value: NONE,
  proof: undefined,
  height: 0n,
});

/**
 * What is wrong with a query is in its result.
 * @param onBug gets errors with exit status 70, for the log
 * @throws what is no UpgradeError: a bug of ours
 */
export async function answerAppQuery(
  query: Query,
  asked: AppQuery,
  onBug: ErrorEvents["onBug"],
): Promise<AppQueryResult> {
  try {
    const method = query.method(asked.path);
    return method ? await callMethod(query, method, asked) : queryKey(query, asked);
  } catch (error) {
    if (!isUpgradeError(error)) throw error;
    return { ...EMPTY, ...failure(error, { program: query.chain.name, onBug }) };
  }
}

async function callMethod(
  query: Query,
  method: QueryMethod,
  { data, height: asked }: AppQuery,
): Promise<AppQueryResult> {
  if (asked < 0n)
    throw new UpgradeError("UPG_INVALID_HEIGHT", "cannot query with height < 0; please provide a valid height");
  const { input, output } = method.descriptor;
  const { message, height } = await query.call(method, decode(input, data), asked);
  return { ...EMPTY, value: toBinary(output, message), height };
}

function decode(schema: QueryMethod["descriptor"]["input"], data: Uint8Array) {
  try {
    return fromBinary(schema, data);
  } catch (cause) {
    throw new UpgradeError("UPG_INVALID_ARGUMENT", `the data are no ${schema.typeName}`, { cause });
  }
}

function queryKey({ app, lastHeight }: Query, asked: AppQuery): AppQueryResult {
  if (lastHeight === undefined) {
    throw new UpgradeError("UPG_REMOTE_NOT_READY", "the chain is not ready; please wait for first block");
  }
  if (!asked.path.startsWith("/store/")) throw new UpgradeError("UPG_NOT_FOUND_METHOD", "unknown query path");
  const { key, value, height, proofOps: proof } = abciQuery(app, asked);
  return { ...EMPTY, key, value, height, proof };
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
 * is in `info`, which the Cosmos SDK leaves empty, and there also codespace and code of a transaction that a simulation ran.
 */
function failure(
  error: UpgradeError,
  events: ErrorEvents,
): Pick<AppQueryResult, "code" | "codespace" | "log" | "info"> {
  const { code: named, grpc, message } = apiError(error, events);
  const { tx_codespace: codespace, tx_code: txCode } = error.details;
  const ofTx = txCode === undefined ? "" : `; codespace: ${codespace}; code: ${txCode}`;
  const common = { codespace: "sdk", info: `${ERROR_CODE_HEADER}: ${named}${ofTx}` };
  if (error.code === "UPG_NOT_FOUND_METHOD") return { ...common, code: 6, log: `${message}: unknown request` };
  if (error.code === "UPG_NOT_FOUND_VERSION") return { ...common, code: 26, log: `${message}: invalid height` };
  const { code, kind } = BY_STATUS[grpc] ?? INVALID_REQUEST;
  const name = STATUS_NAMES[grpc] ?? "Unknown";
  return { ...common, code, log: `rpc error: code = ${name} desc = ${message}: ${kind}` };
}
