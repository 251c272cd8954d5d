/** Staking as clients see it: validators, delegations, and what of them is unbonding. */

import { UpgradeError } from "../../../base/errors/errors.js";
import {
  type Delegation,
  BondStatus as StoredStatus,
  type UnbondingDelegation,
  type Validator,
} from "../../../base/gen/chain/staking/v1/staking_pb.js";
import type { PageRequest } from "../../../base/gen/cosmos/base/query/v1beta1/pagination_pb.js";
import { PubKeySchema } from "../../../base/gen/cosmos/crypto/ed25519/keys_pb.js";
import { Query } from "../../../base/gen/cosmos/staking/v1beta1/query_pb.js";
import { BondStatus, BondStatusSchema } from "../../../base/gen/cosmos/staking/v1beta1/staking_pb.js";
import { equalBytes, toHex } from "../../../base/text/bytes.js";
import type { QueryCall } from "../../app/query/call.js";
import { implement, type QueryService } from "../../app/query/service.js";
import type { Addresses } from "../../values/address.js";
import { packAny } from "../../values/any.js";
import { JsonReader } from "../../values/json-reader.js";
import { paginate, paginateList } from "../../values/paginate.js";
import type { Records } from "../../values/records.js";
import { readAddress } from "../../values/request-text.js";
import { readStakingParams } from "./params.js";
import { owedByPools } from "./pools.js";
import { DELEGATIONS, delegationOf, delegationsOf, STAKING_STORE, validators } from "./records.js";
import { readUnbonding, UNBONDING, unbondingOf } from "./unbonding.js";

const EPOCH = { seconds: 0n, nanos: 0 };
const NO_COMMISSION = { rate: "0", maxRate: "0", maxChangeRate: "0", updateTime: undefined };
const MIN_SELF_DELEGATION = "1";

const STATUS: Readonly<Record<StoredStatus, BondStatus>> = {
  [StoredStatus.UNSPECIFIED]: BondStatus.UNSPECIFIED,
  [StoredStatus.UNBONDED]: BondStatus.UNBONDED,
  [StoredStatus.UNBONDING]: BondStatus.UNBONDING,
  [StoredStatus.BONDED]: BondStatus.BONDED,
};

function validatorFields(validator: Validator, { operators }: Addresses) {
  const { operator, consensusKey, moniker, tokens, delegatorShares, jailed, status } = validator;
  const { identity, website, securityContact, details } = validator;
  const { rate, maxRate, maxChangeRate, updateTime } = validator.commission ?? NO_COMMISSION;
  const atomics = (decimal: string) => fixed(decimal).toString();
  return {
    operatorAddress: operators.encode(operator),
    consensusPubkey: packAny(PubKeySchema, { key: consensusKey }),
    jailed,
    status: STATUS[status],
    tokens,
    delegatorShares: fixed(delegatorShares).toString(),
    description: { moniker, identity, website, securityContact, details },
    unbondingHeight: validator.unbondingHeight,
    unbondingTime: validator.unbondingTime ?? EPOCH,
    commission: {
      commissionRates: { rate: atomics(rate), maxRate: atomics(maxRate), maxChangeRate: atomics(maxChangeRate) },
      updateTime: updateTime ?? EPOCH,
    },
    minSelfDelegation: validator.minSelfDelegation || MIN_SELF_DELEGATION,
  };
}

const all = ({ stores }: QueryCall): Validator[] => [...validators(stores.store(STAKING_STORE))];

/** What pages of lists go by. */
const operatorIn =
  ({ chain }: QueryCall) =>
  ({ operator }: { readonly operator: Uint8Array }) =>
    chain.addresses.operators.encode(operator);

function balanceOf({ operator, shares }: Delegation, list: readonly Validator[]): string {
  const validator = list.find((each) => equalBytes(each.operator, operator));
  if (!validator) return "0";
  const [mine, every] = [fixed(shares), fixed(validator.delegatorShares)];
  return every === 0n ? "0" : ((BigInt(validator.tokens) * mine) / every).toString();
}

/** A decimal with at most 18 places, times 10^18: how the Cosmos SDK sends it. */
function fixed(decimal: string): bigint {
  const [whole = "0", places = ""] = decimal.split(".");
  return BigInt(whole + places.padEnd(18, "0"));
}

const KEPT = [
  "validators",
  "validator",
  "validatorDelegations",
  "validatorUnbondingDelegations",
  "delegation",
  "unbondingDelegation",
  "delegatorDelegations",
  "delegatorUnbondingDelegations",
  "redelegations",
  "delegatorValidators",
  "delegatorValidator",
  "historicalInfo",
  "pool",
  "params",
] as const;

const readAccount = (text: string, { chain }: QueryCall) => readAddress(chain.addresses, text);

const readOperator = (text: string, { chain }: QueryCall) => readAddress(chain.addresses.operators, text);

const notFound = (what: string) => new UpgradeError("UPG_NOT_FOUND_RECORD", what);

function delegationResponse(delegation: Delegation, list: readonly Validator[], { bondDenom, chain }: QueryCall) {
  const { delegator, operator, shares } = delegation;
  return {
    delegation: {
      delegatorAddress: chain.addresses.encode(delegator),
      validatorAddress: chain.addresses.operators.encode(operator),
      shares: fixed(shares).toString(),
    },
    balance: { denom: bondDenom, amount: balanceOf(delegation, list) },
  };
}

/** @throws UpgradeError UPG_NOT_FOUND_RECORD */
function oneDelegation(delegatorAddr: string, validatorAddr: string, call: QueryCall): Delegation {
  const { stores } = call;
  const [delegator, operator] = [readAccount(delegatorAddr, call), readOperator(validatorAddr, call)];
  const found = delegationOf(stores.store(STAKING_STORE), delegator, operator);
  if (found) return found;
  throw notFound(`delegation with delegator ${delegatorAddr} not found for validator ${validatorAddr}`);
}

const validatorsOf = (delegatorAddr: string, call: QueryCall): Validator[] => {
  const list = [...delegationsOf(call.stores.store(STAKING_STORE), readAccount(delegatorAddr, call))];
  const operators = new Set(list.map(({ operator }) => toHex(operator)));
  return all(call).filter(({ operator }) => operators.has(toHex(operator)));
};

const unbondingFields = ({ delegator, operator, entries }: UnbondingDelegation, { chain }: QueryCall) => ({
  delegatorAddress: chain.addresses.encode(delegator),
  validatorAddress: chain.addresses.operators.encode(operator),
  entries: entries.map(({ creationHeight, completionTime, initialBalance, balance, unbondingId }) => ({
    ...{ creationHeight, initialBalance, balance, unbondingId },
    completionTime: completionTime ?? EPOCH,
  })),
});

/** One page of what unbonds. */
async function unbondingPage(
  records: Records<UnbondingDelegation>,
  pagination: PageRequest | undefined,
  call: QueryCall,
  fits: (record: UnbondingDelegation) => boolean = () => true,
) {
  const page = await paginate(call.stores.store(STAKING_STORE), records, pagination, call, { fits });
  return { unbondingResponses: page.items.map((each) => unbondingFields(each, call)), pagination: page.pagination };
}

/** Of all validators, and of what leaves them. */
function poolTokens(call: QueryCall) {
  const { bonded, notBonded } = owedByPools(call.stores.store(STAKING_STORE));
  return { bondedTokens: String(bonded), notBondedTokens: String(notBonded) };
}

export const stakingQuery: QueryService = implement(Query, KEPT, {
  validators({ status, pagination }, call) {
    const named = BondStatusSchema.values.find(({ name }) => name === status);
    if (status !== "" && (!named || named.number === BondStatus.UNSPECIFIED)) {
      throw new UpgradeError("UPG_INVALID_ARGUMENT", `invalid validator status ${status}`);
    }
    const list = all(call).filter((each) => !named || STATUS[each.status] === named.number);
    const page = paginateList(list, pagination, operatorIn(call));
    return {
      validators: page.items.map((each) => validatorFields(each, call.chain.addresses)),
      pagination: page.pagination,
    };
  },

  validator({ validatorAddr }, call) {
    const wanted = readOperator(validatorAddr, call);
    const found = all(call).find(({ operator }) => equalBytes(operator, wanted));
    if (!found) throw new UpgradeError("UPG_NOT_FOUND_RECORD", `validator ${validatorAddr} not found`);
    return { validator: validatorFields(found, call.chain.addresses) };
  },

  async validatorDelegations({ validatorAddr, pagination }, call) {
    const wanted = readOperator(validatorAddr, call);
    const fits = ({ operator }: Delegation) => equalBytes(operator, wanted);
    const page = await paginate(call.stores.store(STAKING_STORE), DELEGATIONS, pagination, call, { fits });
    const list = all(call);
    const responses = page.items.map((each) => delegationResponse(each, list, call));
    return { delegationResponses: responses, pagination: page.pagination };
  },

  validatorUnbondingDelegations({ validatorAddr, pagination }, call) {
    const wanted = readOperator(validatorAddr, call);
    return unbondingPage(UNBONDING, pagination, call, ({ operator }) => equalBytes(operator, wanted));
  },

  delegation: ({ delegatorAddr, validatorAddr }, call) => ({
    delegationResponse: delegationResponse(oneDelegation(delegatorAddr, validatorAddr, call), all(call), call),
  }),

  unbondingDelegation({ delegatorAddr, validatorAddr }, call) {
    const pair = { delegator: readAccount(delegatorAddr, call), operator: readOperator(validatorAddr, call) };
    const found = readUnbonding(call.stores.store(STAKING_STORE), pair);
    if (found) return { unbond: unbondingFields(found, call) };
    throw notFound(`unbonding delegation with delegator ${delegatorAddr} not found for validator ${validatorAddr}`);
  },

  delegatorDelegations({ delegatorAddr, pagination }, call) {
    const list = [...delegationsOf(call.stores.store(STAKING_STORE), readAccount(delegatorAddr, call))];
    const page = paginateList(list, pagination, operatorIn(call));
    const validatorList = all(call);
    const responses = page.items.map((each) => delegationResponse(each, validatorList, call));
    return { delegationResponses: responses, pagination: page.pagination };
  },

  delegatorUnbondingDelegations: ({ delegatorAddr, pagination }, call) =>
    unbondingPage(unbondingOf(readAccount(delegatorAddr, call)), pagination, call),

  redelegations({ delegatorAddr, srcValidatorAddr: from, dstValidatorAddr: to, pagination }, call) {
    if (delegatorAddr !== "") readAccount(delegatorAddr, call);
    for (const operator of [from, to]) if (operator !== "") readOperator(operator, call);
    if (delegatorAddr !== "" && from !== "" && to !== "") {
      throw notFound(`redelegation not found for delegator address ${delegatorAddr} from validator address ${from}`);
    }
    return { redelegationResponses: [], pagination: paginateList([], pagination, String).pagination };
  },

  delegatorValidators({ delegatorAddr, pagination }, call) {
    const page = paginateList(validatorsOf(delegatorAddr, call), pagination, operatorIn(call));
    return {
      validators: page.items.map((each) => validatorFields(each, call.chain.addresses)),
      pagination: page.pagination,
    };
  },

  delegatorValidator({ delegatorAddr, validatorAddr }, call) {
    const { operator } = oneDelegation(delegatorAddr, validatorAddr, call);
    const found = all(call).find((each) => equalBytes(each.operator, operator));
    if (!found) throw notFound(`validator ${validatorAddr} not found`);
    return { validator: validatorFields(found, call.chain.addresses) };
  },

  historicalInfo({ height }) {
    if (height < 0n) throw new UpgradeError("UPG_INVALID_ARGUMENT", "height cannot be negative");
    throw notFound(`historical info for height ${height} not found`);
  },

  pool: (_request, call) => ({ pool: poolTokens(call) }),

  params: (_request, { bondDenom, stakingParams }) => ({
    params: { ...readStakingParams(new JsonReader(stakingParams, "app_state.staking.params")), bondDenom },
  }),
});
