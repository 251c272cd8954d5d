/** What crosses an ABCI socket, as messages of protobuf and as the port of the application has it. */
import { create, fromBinary, type MessageInitShape, toBinary } from "@bufbuild/protobuf";
import { UpgradeError } from "../../base/errors/errors.js";
import { MetadataSchema, type Snapshot, SnapshotSchema } from "../../base/gen/cosmos/store/snapshots/v1/snapshot_pb.js";
import {
  type CommitInfo,
  type Misbehavior as MisbehaviorMessage,
  MisbehaviorType,
  type Request,
  type RequestFinalizeBlock,
  RequestSchema,
  ResponseSchema,
  type Snapshot as SnapshotMessage,
  type Validator,
} from "../../base/gen/tendermint/abci/messages_pb.js";
import type { ValidatorUpdate as UpdateMessage } from "../../base/gen/tendermint/abci/types_pb.js";
import { BlockIDFlag } from "../../base/gen/tendermint/types/types_pb.js";
import type { Timestamp } from "../../base/types/types.js";
import type { BlockRequest, BlockResult } from "../../chain/app/app-shapes.js";
import type { LastCommit, LastVote, Misbehavior } from "../../chain/app/block-info.js";
import type { AppQueryResult } from "../../chain/app/engine-port.js";
import type { TxResult } from "../../chain/app/tx/result.js";
import { paramsMessage } from "../../chain/comet-types/params-message.js";
import type { ValidatorUpdate } from "../../chain/comet-types/validator-updates.js";
import type { ChainEvent } from "../../chain/values/events.js";

/** One of the request's kinds, with its message. */
export type Call = Exclude<Request["value"], { case: undefined }>;
/** One of the response's kinds, with what its message is made of. */
export type Answer = Exclude<NonNullable<MessageInitShape<typeof ResponseSchema>["value"]>, { case: undefined }>;

/** @throws UpgradeError UPG_INVALID_ARGUMENT: no request of ABCI 2.0 */
export function decodeRequest(bytes: Uint8Array): Call {
  let request: Request;
  try {
    request = fromBinary(RequestSchema, bytes);
  } catch (cause) {
    throw new UpgradeError("UPG_INVALID_ARGUMENT", "a message is no request of ABCI: it cannot be decoded", { cause });
  }
  if (request.value.case !== undefined) return request.value;
  const [unknown] = request.$unknown ?? [];
  const what = unknown ? `number ${unknown.no}, which ABCI 2.0 has not` : "nothing";
  throw new UpgradeError("UPG_INVALID_ARGUMENT", `a request asks for ${what}`);
}

export function encodeResponse(value: Answer): Uint8Array {
  return toBinary(ResponseSchema, create(ResponseSchema, { value }));
}

/** @throws UpgradeError UPG_INVALID_ARGUMENT: the message lacks it, or it is no time */
export function requireTime(time: Timestamp | undefined): Timestamp {
  if (time && time.nanos >= 0 && time.nanos < 1_000_000_000) return { seconds: time.seconds, nanos: time.nanos };
  throw new UpgradeError("UPG_INVALID_ARGUMENT", "a request has no time, or nanoseconds that are no part of a second");
}

/** @throws UpgradeError UPG_INVALID_ARGUMENT */
export function blockRequest(request: RequestFinalizeBlock): BlockRequest {
  const { height, time, txs, proposerAddress: proposer, decidedLastCommit, misbehavior } = request;
  return {
    ...{ height, time: requireTime(time), txs, proposer },
    lastCommit: lastCommitOf(decidedLastCommit),
    misbehavior: misbehavior.map(misbehaviorOf),
  };
}

function lastCommitOf(info: CommitInfo | undefined): LastCommit {
  const votes = (info?.votes ?? []).map((vote) => ({ ...validatorOf(vote.validator), flag: flagOf(vote.blockIdFlag) }));
  return { round: info?.round ?? 0, votes };
}

const validatorOf = (validator: Validator | undefined) => ({
  address: validator?.address ?? new Uint8Array(0),
  power: validator?.power ?? 0n,
});

function flagOf(flag: BlockIDFlag): LastVote["flag"] {
  if (flag === BlockIDFlag.BLOCK_ID_FLAG_ABSENT) return "absent";
  if (flag === BlockIDFlag.BLOCK_ID_FLAG_COMMIT) return "commit";
  if (flag === BlockIDFlag.BLOCK_ID_FLAG_NIL) return "nil";
  throw new UpgradeError("UPG_INVALID_ARGUMENT", `a vote of the last commit has the unknown flag ${flag}`);
}

function misbehaviorOf({ type, validator, height, time, totalVotingPower }: MisbehaviorMessage): Misbehavior {
  const kinds = {
    [MisbehaviorType.DUPLICATE_VOTE]: "duplicate_vote",
    [MisbehaviorType.LIGHT_CLIENT_ATTACK]: "light_client_attack",
    [MisbehaviorType.UNKNOWN]: undefined,
  } as const;
  const kind = kinds[type];
  if (!kind) throw new UpgradeError("UPG_INVALID_ARGUMENT", `evidence has the unknown type ${type}`);
  return { kind, validator: validatorOf(validator), height, time: requireTime(time), totalPower: totalVotingPower };
}

/** @throws UpgradeError UPG_INVALID_ARGUMENT: a key of another type than CometBFT's two */
export function updateOf({ pubKey, power }: UpdateMessage): ValidatorUpdate {
  const sum = pubKey?.sum;
  if (sum?.case) return { publicKey: { type: sum.case, bytes: sum.value }, power };
  throw new UpgradeError("UPG_INVALID_ARGUMENT", "a validator has no key, or one of an unknown type");
}

export const updateMessage = ({ publicKey: { type, bytes }, power }: ValidatorUpdate) => ({
  pubKey: { sum: { case: type, value: bytes } },
  power,
});

/** CometBFT indexes the attributes that say so; which of them it keeps is a setting of its own. */
const eventMessage = ({ type, attributes }: ChainEvent) => ({
  type,
  attributes: attributes.map(({ key, value }) => ({ key, value, index: true })),
});

/** Of a check and of a block alike. */
export function txResultMessage({ code, codespace, data, log, gasWanted, gasUsed, events }: TxResult) {
  return { code, codespace, data, log, gasWanted, gasUsed, events: events.map(eventMessage) };
}

export function blockResultMessage({ appHash, txResults, events, validatorUpdates, paramUpdates }: BlockResult) {
  return {
    appHash,
    txResults: txResults.map(txResultMessage),
    events: events.map(eventMessage),
    validatorUpdates: validatorUpdates.map(updateMessage),
    ...(paramUpdates ? { consensusParamUpdates: paramsMessage(paramUpdates) } : {}),
  };
}

export function snapshotMessage({ height, format, chunks, hash, metadata }: Snapshot) {
  const bytes = metadata ? toBinary(MetadataSchema, metadata) : new Uint8Array(0);
  return { height, format, chunks, hash, metadata: bytes };
}

/** @throws UpgradeError UPG_INVALID_SNAPSHOT */
export function snapshotOf({ height, format, chunks, hash, metadata }: SnapshotMessage): Snapshot {
  try {
    const decoded = fromBinary(MetadataSchema, metadata);
    return create(SnapshotSchema, { height, format, chunks, hash, metadata: decoded });
  } catch (cause) {
    throw new UpgradeError("UPG_INVALID_SNAPSHOT", "the description of a snapshot cannot be decoded", { cause });
  }
}

export function queryMessage({ proof, ...result }: AppQueryResult) {
  return proof ? { ...result, proofOps: { ops: proof.map((op) => ({ ...op })) } } : result;
}
