/**
 * What the relay has to know of an ABCI message, read from its bytes: its kind, and of four kinds one or two fields. The
 * rest of a message is passed through as it came.
 */
import { create, toBinary } from "@bufbuild/protobuf";
import { UpgradeError } from "../../base/errors/errors.js";
import { RequestSchema } from "../../base/gen/tendermint/abci/messages_pb.js";
import { EMPTY } from "../../base/text/bytes.js";
import { decodeLossy } from "../../base/text/text.js";
import type { Height } from "../../base/types/types.js";
import { BYTES, readWire, WireWriter } from "../../base/wire/wire.js";
import type { Plan } from "../decide/decision/plan-file.js";

/** Numbers of requests; that of the response is one more (tendermint/abci/messages.proto). */
export const REQUEST = Object.freeze({
  echo: 1,
  flush: 2,
  info: 3,
  initChain: 5,
  query: 6,
  checkTx: 8,
  commit: 11,
  listSnapshots: 12,
  offerSnapshot: 13,
  loadSnapshotChunk: 14,
  applySnapshotChunk: 15,
  prepareProposal: 16,
  processProposal: 17,
  extendVote: 18,
  verifyVoteExtension: 19,
  finalizeBlock: 20,
});

/** The response that ends CometBFT. */
export const EXCEPTION = 1;

const NAMES: ReadonlyMap<number, string> = new Map(
  Object.entries(REQUEST).map(([name, number]) => [number, `${name.charAt(0).toUpperCase()}${name.slice(1)}`]),
);

/** As CometBFT's documentation has it: `FinalizeBlock`. */
export const requestName = (number: number): string => NAMES.get(number) ?? `request ${number}`;

/** The number of the message's only field: which request or response it is. 0: it has none, or is malformed. */
export function messageNumber(message: Uint8Array): number {
  let tag = 0;
  for (let at = 0; at < Math.min(message.length, 2); at++) {
    const byte = message[at] as number;
    tag += (byte & 0x7f) << (7 * at);
    if (byte < 0x80) return (tag & 7) === BYTES ? tag >> 3 : 0;
  }
  return 0;
}

/** Where a chain is, as an application reports it and CometBFT keeps it. */
export interface LastBlock {
  readonly height: Height;
  readonly appHash: Uint8Array;
}

/** Of a ResponseInfo. @throws UpgradeError UPG_INVALID_ARGUMENT */
export function lastBlockOfInfo(message: Uint8Array): LastBlock {
  let height = 0n;
  let appHash: Uint8Array = EMPTY;
  for (const { field, value, bytes } of fieldsOf(message)) {
    if (field === 4) height = BigInt.asIntN(64, value);
    if (field === 5) appHash = bytes;
  }
  return { height, appHash };
}

/** Of a RequestFinalizeBlock. @throws UpgradeError UPG_INVALID_ARGUMENT */
export function heightOfBlock(message: Uint8Array): Height {
  for (const { field, value } of fieldsOf(message)) if (field === 5) return BigInt.asIntN(64, value);
  return 0n;
}

/** Fields of the app hash, by the number of the response. */
const APP_HASH_FIELDS: ReadonlyMap<number, number> = new Map([
  [REQUEST.initChain + 1, 3],
  [REQUEST.finalizeBlock + 1, 5],
]);

/** Of a ResponseInitChain or a ResponseFinalizeBlock. @throws UpgradeError UPG_INVALID_ARGUMENT */
export function appHashOf(message: Uint8Array): Uint8Array {
  const wanted = APP_HASH_FIELDS.get(messageNumber(message));
  for (const { field, bytes } of fieldsOf(message)) if (field === wanted) return bytes;
  return EMPTY;
}

/** Of the response to {@link CURRENT_PLAN}; undefined: none is scheduled. @throws UpgradeError UPG_INVALID_ARGUMENT */
export function planOf(message: Uint8Array): Plan | undefined {
  const value = bytesField(fieldsOf(message), 7);
  const plan = value && bytesField(readWire(value), 1);
  if (!plan) return undefined;
  let [name, height, info] = ["", 0n, ""];
  for (const { field, value: number, bytes } of readWire(plan)) {
    if (field === 1) name = decodeLossy(bytes);
    if (field === 3) height = number;
    if (field === 4) info = decodeLossy(bytes);
  }
  return { name, height, info };
}

function bytesField(fields: ReturnType<typeof readWire>, wanted: number): Uint8Array | undefined {
  for (const { field, bytes } of fields) if (field === wanted) return bytes;
  return undefined;
}

/** Of a RequestCheckTx: does the transaction wait in the mempool already? @throws UpgradeError UPG_INVALID_ARGUMENT */
export function isRecheck(message: Uint8Array): boolean {
  for (const { field, value } of fieldsOf(message)) if (field === 2) return value === 1n;
  return false;
}

/** Of a ResponseException. @throws UpgradeError UPG_INVALID_ARGUMENT */
export function exceptionText(message: Uint8Array): string {
  for (const { field, bytes } of fieldsOf(message)) if (field === 1) return decodeLossy(bytes);
  return "";
}

function fieldsOf(message: Uint8Array) {
  for (const { bytes } of readWire(message)) return readWire(bytes);
  throw new UpgradeError("UPG_INVALID_ARGUMENT", "a message of ABCI is empty");
}

/** Requests of the relay's own. */
export const INFO: Uint8Array = toBinary(
  RequestSchema,
  create(RequestSchema, { value: { case: "info", value: { abciVersion: "2.0.0" } } }),
);
export const CURRENT_PLAN: Uint8Array = toBinary(
  RequestSchema,
  create(RequestSchema, { value: { case: "query", value: { path: "/cosmos.upgrade.v1beta1.Query/CurrentPlan" } } }),
);
export const FLUSH: Uint8Array = new WireWriter().message(REQUEST.flush, EMPTY).finish();

/** Nothing is to be pruned. */
export const COMMITTED: Uint8Array = new WireWriter().message(REQUEST.commit + 1, EMPTY).finish();
/** The transaction stays in the mempool. */
export const STILL_VALID: Uint8Array = new WireWriter().message(REQUEST.checkTx + 1, EMPTY).finish();

/** Codespace and code of what is no fault of the transaction or the query: the Cosmos SDK's internal error. */
export function failed(request: typeof REQUEST.checkTx | typeof REQUEST.query, log: string): Uint8Array {
  const codespace = request === REQUEST.checkTx ? 8 : 10;
  const inner = new WireWriter().int(1, 1).string(3, log).string(codespace, "sdk").finish();
  return new WireWriter().message(request + 1, inner).finish();
}
