/** What is unbonding: delegations with the entries that come back, validators, and the two queues of what ends when. */
import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import { TimestampSchema } from "@bufbuild/protobuf/wkt";
import {
  type UnbondingDelegation,
  UnbondingDelegationSchema,
  type UnbondingEntry,
  UnbondingEntrySchema,
  type Validator,
} from "../../../base/gen/chain/staking/v1/staking_pb.js";
import { bigEndian64, concatBytes, equalBytes, prefixEnd } from "../../../base/text/bytes.js";
import { compareTimes, ZERO_TIME } from "../../../base/time/time.js";
import type { Height, KVReader, KVStore, Timestamp } from "../../../base/types/types.js";
import { allRecords, type Records } from "../../values/records.js";
import { prefixed } from "./records.js";

/** First bytes of the keys. */
export const UNBONDING_PREFIXES = Object.freeze({
  delegation: 0x32,
  lastId: 0x37,
  delegationQueue: 0x41,
  validatorQueue: 0x43,
});
const UNBONDING_PREFIX = Uint8Array.of(UNBONDING_PREFIXES.delegation);
const LAST_ID_KEY = Uint8Array.of(UNBONDING_PREFIXES.lastId);
const DELEGATION_QUEUE = Uint8Array.of(UNBONDING_PREFIXES.delegationQueue);
const VALIDATOR_QUEUE = Uint8Array.of(UNBONDING_PREFIXES.validatorQueue);
const MARK = Uint8Array.of(0x01);
const TIME_BYTES = 12;

/** Whose delegation to whom. */
export interface Pair {
  readonly delegator: Uint8Array;
  readonly operator: Uint8Array;
}

const pairBytes = ({ delegator, operator }: Pair) => concatBytes(prefixed(delegator), prefixed(operator));
const recordKey = (pair: Pair) => concatBytes(UNBONDING_PREFIX, pairBytes(pair));

/** By delegator and validator. */
export const UNBONDING: Records<UnbondingDelegation> = {
  prefix: UNBONDING_PREFIX,
  read: (value) => fromBinary(UnbondingDelegationSchema, value),
};

export const unbondingDelegations = (store: KVReader): Generator<UnbondingDelegation> => allRecords(store, UNBONDING);

/** Of one delegator. */
export const unbondingOf = (delegator: Uint8Array): Records<UnbondingDelegation> => ({
  ...UNBONDING,
  prefix: concatBytes(UNBONDING_PREFIX, prefixed(delegator)),
});

export function readUnbonding(store: KVReader, pair: Pair): UnbondingDelegation | undefined {
  const bytes = store.get(recordKey(pair));
  return bytes && fromBinary(UnbondingDelegationSchema, bytes);
}

/** One without entries is removed. */
export function writeUnbonding(store: KVStore, record: UnbondingDelegation): void {
  if (record.entries.length === 0) store.delete(recordKey(record));
  else store.set(recordKey(record), toBinary(UnbondingDelegationSchema, record));
}

export function readLastUnbondingId(store: KVReader): bigint {
  const bytes = store.get(LAST_ID_KEY);
  return bytes ? new DataView(bytes.buffer, bytes.byteOffset).getBigUint64(0) : 0n;
}

export const writeLastUnbondingId = (store: KVStore, id: bigint): void => store.set(LAST_ID_KEY, bigEndian64(id));

export interface NewEntry {
  readonly height: Height;
  readonly end: Timestamp;
  readonly amount: bigint;
}

/** One more entry that comes back at its end; those of one block are one. */
export function addUnbonding(store: KVStore, pair: Pair, { height, end, amount }: NewEntry): void {
  const id = readLastUnbondingId(store) + 1n;
  writeLastUnbondingId(store, id);
  const record = readUnbonding(store, pair) ?? create(UnbondingDelegationSchema, { ...pair });
  const same = record.entries.find((each) => each.creationHeight === height && compareTimes(endOf(each), end) === 0);
  if (same) {
    same.initialBalance = String(BigInt(same.initialBalance) + amount);
    same.balance = String(BigInt(same.balance) + amount);
  } else {
    const entry = { creationHeight: height, completionTime: create(TimestampSchema, end), unbondingId: id };
    const balance = String(amount);
    record.entries.push(create(UnbondingEntrySchema, { ...entry, initialBalance: balance, balance }));
  }
  writeUnbonding(store, record);
  enqueueUnbonding(store, pair, end);
}

export const endOf = ({ completionTime }: Pick<UnbondingEntry, "completionTime">): Timestamp =>
  completionTime ?? ZERO_TIME;

const entryKey = (pair: Pair, end: Timestamp) => concatBytes(DELEGATION_QUEUE, timeBytes(end), pairBytes(pair));

export const enqueueUnbonding = (store: KVStore, pair: Pair, end: Timestamp): void =>
  store.set(entryKey(pair, end), MARK);

export const hasDelegationEntry = (store: KVReader, pair: Pair, end: Timestamp): boolean =>
  store.has(entryKey(pair, end));

export function enqueueValidator(store: KVStore, validator: Validator): void {
  store.set(queueKey(validator), MARK);
}

export function dequeueValidator(store: KVStore, validator: Validator): void {
  store.delete(queueKey(validator));
}

export const hasValidatorEntry = (store: KVReader, validator: Validator): boolean => store.has(queueKey(validator));

const queueKey = ({ operator, unbondingTime }: Validator) =>
  concatBytes(VALIDATOR_QUEUE, timeBytes(unbondingTime ?? ZERO_TIME), operator);

/** The delegations with an entry whose end is not after `now`, each once; they leave the queue. */
export function takeEndedDelegations(store: KVStore, now: Timestamp): Pair[] {
  const found = new Map<string, Pair>();
  for (const rest of takeEnded(store, DELEGATION_QUEUE, now)) {
    const pair = readPair(rest);
    if (pair) found.set(rest.join(), pair);
  }
  return [...found.values()];
}

/** Undefined: the bytes are not two addresses with their lengths. */
function readPair(bytes: Uint8Array): Pair | undefined {
  const at = 1 + (bytes[0] ?? 0);
  const pair = { delegator: bytes.slice(1, at), operator: bytes.slice(at + 1) };
  return at < bytes.length && equalBytes(pairBytes(pair), bytes) ? pair : undefined;
}

/** @param key without its prefix; undefined: it is none */
export function readDelegationEntry(key: Uint8Array): (Pair & { readonly time: Timestamp }) | undefined {
  const pair = readPair(key.subarray(TIME_BYTES));
  const time = timeOf(key);
  return pair && time && { ...pair, time };
}

/** @param key without its prefix; undefined: it is none */
export function readValidatorEntry(
  key: Uint8Array,
): { readonly operator: Uint8Array; readonly time: Timestamp } | undefined {
  const time = timeOf(key);
  return time && { operator: key.slice(TIME_BYTES), time };
}

/** The operators whose validators end to unbond; they leave the queue. */
export const takeEndedValidators = (store: KVStore, now: Timestamp): Uint8Array[] =>
  takeEnded(store, VALIDATOR_QUEUE, now);

function takeEnded(store: KVStore, queue: Uint8Array, now: Timestamp): Uint8Array[] {
  // One nanosecond on, so that what ends now is in the range.
  const end = concatBytes(queue, timeBytes({ seconds: now.seconds, nanos: now.nanos + 1 }));
  const keys = [...store.iterate({ start: queue, end })].map(([key]) => key);
  for (const key of keys) store.delete(key);
  return keys.map((key) => key.slice(queue.length + TIME_BYTES));
}

/** When the next of them ends; undefined: nothing unbonds. */
export function nextUnbonding(store: KVReader): Timestamp | undefined {
  const [first, second] = [DELEGATION_QUEUE, VALIDATOR_QUEUE].flatMap((queue) => firstTime(store, queue) ?? []);
  return first && second && compareTimes(second, first) < 0 ? second : first;
}

/** A key that is too short for a time is passed over: the end of a block drops it. */
function firstTime(store: KVReader, queue: Uint8Array): Timestamp | undefined {
  for (const [key] of store.iterate({ start: queue, end: prefixEnd(queue) })) {
    const time = timeOf(key.subarray(queue.length));
    if (time) return time;
  }
  return undefined;
}

function timeBytes({ seconds, nanos }: Timestamp): Uint8Array {
  const fraction = new Uint8Array(4);
  new DataView(fraction.buffer).setUint32(0, nanos);
  return concatBytes(bigEndian64(seconds - ZERO_TIME.seconds), fraction);
}

/** Of bytes that begin with a time; undefined: they are too few. */
function timeOf(bytes: Uint8Array): Timestamp | undefined {
  if (bytes.length < TIME_BYTES) return undefined;
  const view = new DataView(bytes.buffer, bytes.byteOffset);
  return { seconds: view.getBigUint64(0) + ZERO_TIME.seconds, nanos: view.getUint32(8) };
}
