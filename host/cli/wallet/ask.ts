/** The node's query service, asked through `abci_query` of its RPC or over gRPC: any method by its descriptor. */
import {
  create,
  type DescMessage,
  fromBinary,
  type MessageInitShape,
  type MessageShape,
  toBinary,
} from "@bufbuild/protobuf";
import { ERROR_KINDS, type ErrorCode, messageOf, UpgradeError } from "../../base/errors/errors.js";
import { fromBase64, toHex } from "../../base/text/bytes.js";
import type { RpcClient } from "../../node/remote/client.js";
import { GrpcClient } from "../../node/remote/grpc.js";

/** A method as generated code describes it. */
export interface Method<I extends DescMessage, O extends DescMessage> {
  readonly name: string;
  readonly parent: { readonly typeName: string };
  readonly input: I;
  readonly output: O;
}

/** `height`: state of that height; 0n the last. @throws UpgradeError what the node returned, UPG_REMOTE_* */
export async function ask<I extends DescMessage, O extends DescMessage>(
  client: RpcClient | GrpcClient,
  method: Method<I, O>,
  request: MessageInitShape<I>,
  height = 0n,
): Promise<MessageShape<O>> {
  const path = `/${method.parent.typeName}/${method.name}`;
  const bytes = toBinary(method.input, create(method.input, request));
  const value =
    client instanceof GrpcClient
      ? await client.unary(path, bytes, height)
      : (await abciQuery(client, { path, data: toHex(bytes), height, prove: false })).value;
  try {
    return fromBinary(method.output, value);
  } catch (cause) {
    throw new UpgradeError("UPG_REMOTE_REFUSED", `the node's answer to ${path} cannot be decoded`, { cause });
  }
}

export interface AbciQuestion {
  readonly path: string;
  /** Hex. */
  readonly data: string;
  readonly height: bigint;
  readonly prove: boolean;
}

export interface AbciAnswer {
  readonly value: Uint8Array;
  readonly height: bigint;
  readonly proofOps: readonly { readonly type: string; readonly key: Uint8Array; readonly data: Uint8Array }[];
}

/** @throws UpgradeError UPG_REMOTE_REFUSED */
function bytes(text: unknown): Uint8Array {
  try {
    return fromBase64(typeof text === "string" ? text : "");
  } catch (cause) {
    throw new UpgradeError("UPG_REMOTE_REFUSED", `the node's answer to abci_query is ${messageOf(cause)}`, { cause });
  }
}

export async function abciQuery(rpc: RpcClient, { path, data, height, prove }: AbciQuestion): Promise<AbciAnswer> {
  const result = (await rpc.call("abci_query", { path, data, height: String(height), prove })) as {
    response?: Record<string, unknown> & { proofOps?: { ops?: readonly Record<string, unknown>[] } | null };
  };
  const { response } = result;
  if (!response) throw new UpgradeError("UPG_REMOTE_REFUSED", "the node's answer to abci_query holds no response");
  if (Number(response["code"] ?? 0) !== 0) throw answeredError(response);
  const ops = response.proofOps?.ops ?? [];
  return {
    value: bytes(response["value"]),
    height: BigInt(String(response["height"] ?? "0")),
    proofOps: ops.map((op) => ({ type: String(op["type"]), key: bytes(op["key"]), data: bytes(op["data"]) })),
  };
}

/** The gRPC statuses that a query's log speaks of, as our codes. */
const BY_STATUS: readonly (readonly [pattern: RegExp, code: ErrorCode])[] = [
  [/code = NotFound/, "UPG_NOT_FOUND_RECORD"],
  [/code = InvalidArgument/, "UPG_INVALID_ARGUMENT"],
  [/: invalid height$/, "UPG_NOT_FOUND_VERSION"],
];

/** What a node of this program writes into `info`: its code, and what a simulated transaction failed with. */
const INFO = /^x-error-code: (UPG_[A-Z_]+)(?:; codespace: (.*); code: (\d+))?$/;

/** A node of this program names its code in `info`; of others the gRPC status in the log is read. */
function answeredError(response: Record<string, unknown>): UpgradeError {
  const log = String(response["log"] ?? "").slice(0, 2_000);
  const [, named = "", txCodespace = "", txCode] = INFO.exec(String(response["info"] ?? "")) ?? [];
  const known = Object.hasOwn(ERROR_KINDS, named) ? (named as ErrorCode) : undefined;
  const code = known ?? BY_STATUS.find(([pattern]) => pattern.test(log))?.[1] ?? "UPG_REMOTE_REFUSED";
  const details = {
    abci_code: String(response["code"]),
    codespace: String(response["codespace"] ?? ""),
    ...(txCode === undefined ? {} : { tx_codespace: txCodespace, tx_code: txCode }),
  };
  return new UpgradeError(code, log || `the node returned code ${details.abci_code}`, { details });
}
