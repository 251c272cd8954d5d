/** Module gov, its records: parameters, proposals, deposits and votes. */
import { fromBinary, toBinary } from "@bufbuild/protobuf";
import { bigEndian64, concatBytes, prefixEnd } from "../../bytes.js";
import {
  type Deposit,
  DepositSchema,
  type Params,
  ParamsSchema,
  type Proposal,
  ProposalSchema,
  type Vote,
  VoteSchema,
} from "../../gen/cosmos/gov/v1/gov_pb.js";
import type { KVReader, KVStore } from "../../types.js";
import { decodeAddress } from "../address.js";

export const GOV_STORE = "gov";
export const GOV_MODULE = "gov";

const PROPOSAL_PREFIX = Uint8Array.of(0x00);
const NEXT_ID_KEY = Uint8Array.of(0x03);
const DEPOSIT_PREFIX = Uint8Array.of(0x10);
const VOTE_PREFIX = Uint8Array.of(0x20);
const PARAMS_KEY = Uint8Array.of(0x30);

function proposalKey(id: bigint): Uint8Array {
  return concatBytes(PROPOSAL_PREFIX, bigEndian64(id));
}

function perAccountKey(prefix: Uint8Array, id: bigint, address: string): Uint8Array {
  return concatBytes(prefix, bigEndian64(id), decodeAddress(address));
}

export function writeParams(store: KVStore, params: Params): void {
  store.set(PARAMS_KEY, toBinary(ParamsSchema, params));
}

export function readParams(store: KVReader): Params | undefined {
  const bytes = store.get(PARAMS_KEY);
  return bytes && fromBinary(ParamsSchema, bytes);
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

export function writeDeposit(store: KVStore, deposit: Deposit): void {
  store.set(perAccountKey(DEPOSIT_PREFIX, deposit.proposalId, deposit.depositor), toBinary(DepositSchema, deposit));
}

export function writeVote(store: KVStore, vote: Vote): void {
  store.set(perAccountKey(VOTE_PREFIX, vote.proposalId, vote.voter), toBinary(VoteSchema, vote));
}

function* records<T>(store: KVReader, prefix: Uint8Array, decode: (bytes: Uint8Array) => T): Generator<T> {
  for (const [, value] of store.iterate({ start: prefix, end: prefixEnd(prefix) })) yield decode(value);
}

export const proposals = (store: KVReader): Generator<Proposal> =>
  records(store, PROPOSAL_PREFIX, (bytes) => fromBinary(ProposalSchema, bytes));

export const deposits = (store: KVReader): Generator<Deposit> =>
  records(store, DEPOSIT_PREFIX, (bytes) => fromBinary(DepositSchema, bytes));

export const votes = (store: KVReader): Generator<Vote> =>
  records(store, VOTE_PREFIX, (bytes) => fromBinary(VoteSchema, bytes));
