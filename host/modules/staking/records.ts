/** Module staking, as far as power counts: validators and delegations from genesis, for governance to tally by. */
import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import { concatBytes, prefixEnd } from "../../bytes.js";
import {
  BondStatus,
  type Delegation,
  DelegationSchema,
  type Validator,
  ValidatorSchema,
} from "../../gen/chain/staking/v1/staking_pb.js";
import type { KVReader, KVStore } from "../../types.js";
import { allRecords, type Records } from "../../values/records.js";
import type { GenesisDelegation, GenesisValidator } from "./genesis.js";

export const STAKING_STORE = "staking";

const VALIDATOR_PREFIX = Uint8Array.of(0x21);
const DELEGATION_PREFIX = Uint8Array.of(0x31);

function validatorKey(operator: Uint8Array): Uint8Array {
  return concatBytes(VALIDATOR_PREFIX, operator);
}

function delegationKey(delegator: Uint8Array, operator: Uint8Array): Uint8Array {
  return concatBytes(delegatorPrefix(delegator), Uint8Array.of(operator.length), operator);
}

function delegatorPrefix(delegator: Uint8Array): Uint8Array {
  return concatBytes(DELEGATION_PREFIX, Uint8Array.of(delegator.length), delegator);
}

const STATUS: Readonly<Record<string, BondStatus>> = {
  BOND_STATUS_UNBONDED: BondStatus.UNBONDED,
  BOND_STATUS_UNBONDING: BondStatus.UNBONDING,
  BOND_STATUS_BONDED: BondStatus.BONDED,
};

export function writeValidator(store: KVStore, validator: GenesisValidator): void {
  const { operator, consensusKey, moniker, tokens, shares, jailed, status } = validator;
  const record = create(ValidatorSchema, {
    operator,
    consensusKey,
    moniker,
    tokens: tokens.toString(),
    delegatorShares: shares,
    jailed,
    status: STATUS[status] ?? BondStatus.UNSPECIFIED,
  });
  store.set(validatorKey(operator), toBinary(ValidatorSchema, record));
}

export function writeDelegation(store: KVStore, { delegator, operator, shares }: GenesisDelegation): void {
  const record = create(DelegationSchema, { delegator, operator, shares });
  store.set(delegationKey(delegator, operator), toBinary(DelegationSchema, record));
}

export function* validators(store: KVReader): Generator<Validator> {
  for (const [, value] of store.iterate({ start: VALIDATOR_PREFIX, end: prefixEnd(VALIDATOR_PREFIX) })) {
    yield fromBinary(ValidatorSchema, value);
  }
}

export function* delegationsOf(store: KVReader, delegator: Uint8Array): Generator<Delegation> {
  const prefix = delegatorPrefix(delegator);
  for (const [, value] of store.iterate({ start: prefix, end: prefixEnd(prefix) })) {
    yield fromBinary(DelegationSchema, value);
  }
}

/** By delegator and validator. */
export const DELEGATIONS: Records<Delegation> = {
  prefix: DELEGATION_PREFIX,
  read: (value) => fromBinary(DelegationSchema, value),
};

export const delegations = (store: KVReader): Generator<Delegation> => allRecords(store, DELEGATIONS);

export function delegationOf(store: KVReader, delegator: Uint8Array, operator: Uint8Array): Delegation | undefined {
  const bytes = store.get(delegationKey(delegator, operator));
  return bytes && fromBinary(DelegationSchema, bytes);
}
