/**
 * What module staking holds to be always true of its own store: every entry is one of its records, records are under their own
 * keys, and the queues name what the records say. The end of a block relies on all of it.
 */

import { UpgradeError } from "../../../base/errors/errors.js";
import {
  BondStatus,
  type Commission,
  DelegationSchema,
  UnbondingDelegationSchema,
  type Validator,
  ValidatorSchema,
} from "../../../base/gen/chain/staking/v1/staking_pb.js";
import { concatBytes, equalBytes, fromHex, toHex } from "../../../base/text/bytes.js";
import { decodeText } from "../../../base/text/text.js";
import { compareTimes, ZERO_TIME } from "../../../base/time/time.js";
import type { KVReader } from "../../../base/types/types.js";
import type { Invariant, ReadableStores } from "../../app/module.js";
import { isDenom, parseAmount } from "../../values/coins.js";
import { type Decimal, formatDecimal, parseDecimal } from "../../values/decimal.js";
import {
  counterProblem,
  decodeRecord,
  type RecordKind,
  recordProblem,
  requireTime,
} from "../../values/record-check.js";
import { AUTH_STORE, readAccount } from "../auth/accounts.js";
import { POOLS, type Pool, poolAddress } from "./pools.js";
import { keepsPools, prefixed, readValidator, STAKING_PREFIXES, STAKING_STORE } from "./records.js";
import {
  endOf,
  hasDelegationEntry,
  hasValidatorEntry,
  readDelegationEntry,
  readUnbonding,
  readValidatorEntry,
  UNBONDING_PREFIXES,
} from "./unbonding.js";

const ADDRESS_BYTES_MAX = 255;
/** More is no amount of shares: 256 bits of tokens, and 18 places. */
const SHARES_LENGTH_MAX = 120;

/** Checked in the block of an upgrade. One walk over the store, of which it keeps one sum for each validator. */
export const soundRecords: Invariant = {
  name: "records",
  check(stores) {
    const store = stores.store(STAKING_STORE);
    const shares = new Map<string, Decimal>();
    return recordProblem(store, kindsOf(store, shares)) ?? delegatedProblem(store, shares) ?? lockedPool(stores, store);
  },
};

function kindsOf(store: KVReader, shares: Map<string, Decimal>): RecordKind[] {
  return [
    {
      prefix: STAKING_PREFIXES.validator,
      name: "validator",
      check: (operator, value) => validatorProblem(store, decodeRecord(ValidatorSchema, value), operator),
    },
    {
      prefix: STAKING_PREFIXES.delegation,
      name: "delegation",
      check(key, value) {
        const { delegator, operator, shares: held } = decodeRecord(DelegationSchema, value);
        if (!isPair(key, { delegator, operator })) return "it is the delegation of another account or validator";
        const name = toHex(operator);
        shares.set(name, (shares.get(name) ?? 0n) + sharesOf(held));
        return undefined;
      },
    },
    {
      prefix: UNBONDING_PREFIXES.delegation,
      name: "unbonding delegation",
      check: (key, value) => unbondingProblem(store, key, value),
    },
    { prefix: UNBONDING_PREFIXES.lastId, name: "last unbonding id", check: counterProblem },
    {
      prefix: UNBONDING_PREFIXES.delegationQueue,
      name: "entry in the queue of unbonding delegations",
      check(key) {
        const entry = readDelegationEntry(key);
        if (!entry) return "it is no time with a delegator and a validator";
        const { entries = [] } = readUnbonding(store, entry) ?? {};
        const isOwed = entries.some((each) => compareTimes(endOf(each), entry.time) === 0);
        return isOwed ? undefined : "nothing unbonds there at that time";
      },
    },
    {
      prefix: UNBONDING_PREFIXES.validatorQueue,
      name: "entry in the queue of unbonding validators",
      check(key) {
        const entry = readValidatorEntry(key);
        if (!entry) return "it is no time with a validator";
        const validator = readValidator(store, entry.operator);
        const isOwed =
          validator?.status === BondStatus.UNBONDING &&
          compareTimes(validator.unbondingTime ?? ZERO_TIME, entry.time) === 0;
        return isOwed ? undefined : "no validator unbonds at that time";
      },
    },
    {
      prefix: STAKING_PREFIXES.pools,
      name: "denomination of the pools",
      check: (key, value) => (key.length === 0 && isDenom(decodeText(value)) ? undefined : "it is no denomination"),
    },
  ];
}

const isPair = (key: Uint8Array, { delegator, operator }: { delegator: Uint8Array; operator: Uint8Array }): boolean =>
  isAddress(delegator) && isAddress(operator) && equalBytes(key, concatBytes(prefixed(delegator), prefixed(operator)));

const isAddress = ({ length }: Uint8Array): boolean => length > 0 && length <= ADDRESS_BYTES_MAX;

/** @throws UpgradeError UPG_INVALID_ARGUMENT */
function sharesOf(text: string): Decimal {
  const shares = text.length > SHARES_LENGTH_MAX ? -1n : parseDecimal(text);
  if (shares >= 0n) return shares;
  throw new UpgradeError("UPG_INVALID_ARGUMENT", `"${text.slice(0, 40)}" is no number of shares`);
}

const STATUSES: ReadonlySet<BondStatus> = new Set([BondStatus.UNBONDED, BondStatus.UNBONDING, BondStatus.BONDED]);

/** Tokens and the consensus key are checked by the invariant `validators`. */
function validatorProblem(store: KVReader, validator: Validator, operator: Uint8Array): string | undefined {
  const { status, delegatorShares, commission, minSelfDelegation, unbondingTime } = validator;
  if (!isAddress(operator) || !equalBytes(validator.operator, operator))
    return "it is the validator of another operator";
  if (!STATUSES.has(status)) return `its status is ${status}`;
  sharesOf(delegatorShares);
  if (minSelfDelegation !== "") parseAmount(minSelfDelegation);
  if (commission) requireCommission(commission);
  if (unbondingTime) requireTime("unbonding_time", unbondingTime);
  const isQueued = status !== BondStatus.UNBONDING || !keepsPools(store) || hasValidatorEntry(store, validator);
  return isQueued ? undefined : "it unbonds and is in no queue";
}

function requireCommission({ rate, maxRate, maxChangeRate, updateTime }: Commission): void {
  for (const each of [rate, maxRate, maxChangeRate]) parseDecimal(each);
  if (updateTime) requireTime("update_time", updateTime);
}

function unbondingProblem(store: KVReader, key: Uint8Array, value: Uint8Array): string | undefined {
  const record = decodeRecord(UnbondingDelegationSchema, value);
  if (!isPair(key, record)) return "it is of another account or validator";
  if (record.entries.length === 0) return "it has no entries";
  for (const { balance, initialBalance, completionTime } of record.entries) {
    parseAmount(balance);
    parseAmount(initialBalance);
    const end = requireTime("completion_time", completionTime);
    if (!hasDelegationEntry(store, record, end)) return "an entry of it is in no queue";
  }
  return undefined;
}

/** Who has more shares than there are would get tokens of others. */
function delegatedProblem(store: KVReader, shares: ReadonlyMap<string, Decimal>): string | undefined {
  for (const [operator, delegated] of shares) {
    const validator = readValidator(store, fromHex(operator));
    const issued = validator && parseDecimal(validator.delegatorShares);
    if (issued === undefined || delegated <= issued) continue;
    return `the validator ${operator} has ${formatDecimal(issued)} shares, and its delegations ${formatDecimal(delegated)}`;
  }
  return undefined;
}

/** A pool pays at the end of a block, so none of its coins may vest. */
function lockedPool(stores: ReadableStores, staking: KVReader): string | undefined {
  if (!keepsPools(staking) || !stores.names.includes(AUTH_STORE)) return undefined;
  const vests = (pool: Pool) => readAccount(stores.store(AUTH_STORE), poolAddress(pool))?.vesting !== undefined;
  const locked = (Object.keys(POOLS) as Pool[]).find(vests);
  return locked && `the account ${POOLS[locked]} is a vesting account`;
}
