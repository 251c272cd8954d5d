/** Records of module staking: validators and delegations. */
import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import {
  BondStatus,
  type Delegation,
  DelegationSchema,
  type Validator,
  ValidatorSchema,
} from "../../../base/gen/chain/staking/v1/staking_pb.js";
import { concatBytes, prefixEnd } from "../../../base/text/bytes.js";
import type { KVReader, KVStore } from "../../../base/types/types.js";
import { allRecords, type Records } from "../../values/records.js";
import type { GenesisDelegation, GenesisValidator } from "./genesis-records.js";

export const STAKING_STORE = "staking";

/** First bytes of the keys. */
export const STAKING_PREFIXES = Object.freeze({ validator: 0x21, delegation: 0x31, pools: 0x50 });
const VALIDATOR_PREFIX = Uint8Array.of(STAKING_PREFIXES.validator);
const DELEGATION_PREFIX = Uint8Array.of(STAKING_PREFIXES.delegation);
const POOLS_KEY = Uint8Array.of(STAKING_PREFIXES.pools);

const validatorKey = (operator: Uint8Array) => concatBytes(VALIDATOR_PREFIX, operator);

/** With its length before it. */
export const prefixed = (address: Uint8Array) => concatBytes(Uint8Array.of(address.length), address);

const delegationKey = (delegator: Uint8Array, operator: Uint8Array) =>
  concatBytes(delegatorPrefix(delegator), prefixed(operator));

const delegatorPrefix = (delegator: Uint8Array) => concatBytes(DELEGATION_PREFIX, prefixed(delegator));

const STATUS: Readonly<Record<string, BondStatus>> = {
  BOND_STATUS_UNBONDED: BondStatus.UNBONDED,
  BOND_STATUS_UNBONDING: BondStatus.UNBONDING,
  BOND_STATUS_BONDED: BondStatus.BONDED,
};

export function writeValidator(store: KVStore, validator: GenesisValidator): void {
  const { operator, consensusKey, moniker, tokens, shares, jailed, status, more } = validator;
  const record = create(ValidatorSchema, {
    ...more,
    operator,
    consensusKey,
    moniker,
    tokens: tokens.toString(),
    delegatorShares: shares,
    jailed,
    status: STATUS[status] ?? BondStatus.UNSPECIFIED,
  });
  setValidator(store, record);
}

export function setValidator(store: KVStore, validator: Validator): void {
  store.set(validatorKey(validator.operator), toBinary(ValidatorSchema, validator));
}

export function readValidator(store: KVReader, operator: Uint8Array): Validator | undefined {
  const bytes = store.get(validatorKey(operator));
  return bytes && fromBinary(ValidatorSchema, bytes);
}

export function removeValidator(store: KVStore, { operator }: Validator): void {
  store.delete(validatorKey(operator));
}

export function writeDelegation(store: KVStore, { delegator, operator, shares }: GenesisDelegation): void {
  const record = create(DelegationSchema, { delegator, operator, shares });
  store.set(delegationKey(delegator, operator), toBinary(DelegationSchema, record));
}

export function removeDelegation(store: KVStore, { delegator, operator }: Delegation): void {
  store.delete(delegationKey(delegator, operator));
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

/** Do the pools hold what validators and entries say? From the first message on; then statuses are kept as well. */
export const keepsPools = (store: KVReader): boolean => store.has(POOLS_KEY);

/** The denomination of the pools; undefined: they are not kept. */
export const readPoolDenom = (store: KVReader): Uint8Array | undefined => store.get(POOLS_KEY);

export const writePoolDenom = (store: KVStore, denom: Uint8Array): void => store.set(POOLS_KEY, denom);
