/** Module gov, its records: parameters, proposals, deposits, votes, and the two queues of what ends when. */
import { type DescMessage, fromBinary, type MessageShape, toBinary } from "@bufbuild/protobuf";
import { UpgradeError } from "../../../base/errors/errors.js";
import {
  type Deposit,
  DepositSchema,
  type Params,
  ParamsSchema,
  type Proposal,
  ProposalSchema,
  type Vote,
  VoteSchema,
} from "../../../base/gen/cosmos/gov/v1/gov_pb.js";
import { bigEndian64, concatBytes, prefixEnd } from "../../../base/text/bytes.js";
import { UINT64_MAX } from "../../../base/types/limits.js";
import type { KVReader, KVStore } from "../../../base/types/types.js";
import { checkedAddress } from "../../values/address.js";
import { allRecords, type Records } from "../../values/records.js";

export const GOV_STORE = "gov";
export const GOV_MODULE = "gov";

/** First bytes of the keys, besides those of the queues. */
export const GOV_PREFIXES = Object.freeze({ proposal: 0x00, nextId: 0x03, deposit: 0x10, vote: 0x20, params: 0x30 });
const PROPOSAL_PREFIX = Uint8Array.of(GOV_PREFIXES.proposal);
const NEXT_ID_KEY = Uint8Array.of(GOV_PREFIXES.nextId);
const DEPOSIT_PREFIX = Uint8Array.of(GOV_PREFIXES.deposit);
const VOTE_PREFIX = Uint8Array.of(GOV_PREFIXES.vote);
const PARAMS_KEY = Uint8Array.of(GOV_PREFIXES.params);

function proposalKey(id: bigint): Uint8Array {
  return concatBytes(PROPOSAL_PREFIX, bigEndian64(id));
}

function perProposal(prefix: Uint8Array, id: bigint): Uint8Array {
  return concatBytes(prefix, bigEndian64(id));
}

function perAccountKey(prefix: Uint8Array, id: bigint, address: string): Uint8Array {
  return concatBytes(perProposal(prefix, id), checkedAddress(address));
}

function decode<T extends DescMessage>(schema: T, bytes: Uint8Array): MessageShape<T> {
  try {
    return fromBinary(schema, bytes);
  } catch (cause) {
    throw new UpgradeError("UPG_STORE_CORRUPT", `store "gov": a ${schema.typeName} cannot be decoded`, { cause });
  }
}

export function writeParams(store: KVStore, params: Params): void {
  store.set(PARAMS_KEY, toBinary(ParamsSchema, params));
}

export function readParams(store: KVReader): Params {
  const bytes = store.get(PARAMS_KEY);
  if (!bytes) throw new UpgradeError("UPG_STORE_CORRUPT", 'store "gov" holds no parameters');
  return decode(ParamsSchema, bytes);
}

export function writeNextProposalId(store: KVStore, id: bigint): void {
  store.set(NEXT_ID_KEY, bigEndian64(id));
}

export function readNextProposalId(store: KVReader): bigint {
  const bytes = store.get(NEXT_ID_KEY);
  return bytes ? new DataView(bytes.buffer, bytes.byteOffset).getBigUint64(0) : 1n;
}

export function writeProposal(store: KVStore, proposal: Proposal): void {
  store.set(proposalKey(proposal.id), toBinary(ProposalSchema, proposal));
}

export function readProposal(store: KVReader, id: bigint): Proposal | undefined {
  const bytes = isUint64(id) ? store.get(proposalKey(id)) : undefined;
  return bytes && decode(ProposalSchema, bytes);
}

export function removeProposal(store: KVStore, id: bigint): void {
  store.delete(proposalKey(id));
}

export function writeDeposit(store: KVStore, deposit: Deposit): void {
  store.set(perAccountKey(DEPOSIT_PREFIX, deposit.proposalId, deposit.depositor), toBinary(DepositSchema, deposit));
}

export function readDeposit(store: KVReader, id: bigint, depositor: string): Deposit | undefined {
  const bytes = isUint64(id) ? store.get(perAccountKey(DEPOSIT_PREFIX, id, depositor)) : undefined;
  return bytes && decode(DepositSchema, bytes);
}

export function removeDeposit(store: KVStore, { proposalId, depositor }: Deposit): void {
  store.delete(perAccountKey(DEPOSIT_PREFIX, proposalId, depositor));
}

export function writeVote(store: KVStore, vote: Vote): void {
  store.set(perAccountKey(VOTE_PREFIX, vote.proposalId, vote.voter), toBinary(VoteSchema, vote));
}

export function readVote(store: KVReader, id: bigint, voter: string): Vote | undefined {
  const bytes = isUint64(id) ? store.get(perAccountKey(VOTE_PREFIX, id, voter)) : undefined;
  return bytes && decode(VoteSchema, bytes);
}

export function removeVotes(store: KVStore, id: bigint): void {
  const prefix = perProposal(VOTE_PREFIX, id);
  const keys = [...store.iterate({ start: prefix, end: prefixEnd(prefix) })].map(([key]) => key);
  for (const key of keys) store.delete(key);
}

const recordsOf = <T extends DescMessage>(prefix: Uint8Array, schema: T): Records<MessageShape<T>> => ({
  prefix,
  read: (value) => decode(schema, value),
});

/** By id. */
export const PROPOSALS: Records<Proposal> = recordsOf(PROPOSAL_PREFIX, ProposalSchema);

export const proposals = (store: KVReader): Generator<Proposal> => allRecords(store, PROPOSALS);

/** Of one proposal, by the depositor's address. */
export const depositRecords = (id: bigint): Records<Deposit> =>
  recordsOf(perProposal(DEPOSIT_PREFIX, id), DepositSchema);
/** Of one proposal, by the voter's address. */
export const voteRecords = (id: bigint): Records<Vote> => recordsOf(perProposal(VOTE_PREFIX, id), VoteSchema);

/** Of every proposal. */
export const deposits = (store: KVReader): Generator<Deposit> =>
  allRecords(store, recordsOf(DEPOSIT_PREFIX, DepositSchema));
/** Of every proposal. */
export const votes = (store: KVReader): Generator<Vote> => allRecords(store, recordsOf(VOTE_PREFIX, VoteSchema));

/** Of one proposal, ascending by the depositor's address. */
export const depositsOf = (store: KVReader, id: bigint): Generator<Deposit> => allRecords(store, depositRecords(id));

/** Of one proposal, ascending by the voter's address. */
export const votesOf = (store: KVReader, id: bigint): Generator<Vote> => allRecords(store, voteRecords(id));

function isUint64(id: bigint): boolean {
  return id >= 0n && id <= UINT64_MAX;
}
