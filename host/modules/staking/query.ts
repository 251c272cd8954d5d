/** Staking as clients see it: validators and delegations as genesis gave them, for power counts in votes alone. */
import { encodeAddress, OPERATOR_PREFIX } from "../../chain/address.js";
import { packAny } from "../../chain/query/any.js";
import type { QueryCall } from "../../chain/query/call.js";
import { paginateList } from "../../chain/query/paginate.js";
import { implement, type QueryService } from "../../chain/query/service.js";
import { readAddress } from "../../chain/query/texts.js";
import { UpgradeError } from "../../errors.js";
import type { Delegation, Validator } from "../../gen/chain/staking/v1/staking_pb.js";
import { BondStatus as StoredStatus } from "../../gen/chain/staking/v1/staking_pb.js";
import { PubKeySchema } from "../../gen/cosmos/crypto/ed25519/keys_pb.js";
import { Query } from "../../gen/cosmos/staking/v1beta1/query_pb.js";
import { BondStatus, BondStatusSchema } from "../../gen/cosmos/staking/v1beta1/staking_pb.js";
import { delegationsOf, STAKING_STORE, validators } from "./records.js";

const EPOCH = { seconds: 0n, nanos: 0 };
const NO_RATE = "0";
const UNBONDING_SECONDS = 1_814_400n;

const STATUS: Readonly<Record<StoredStatus, BondStatus>> = {
  [StoredStatus.UNSPECIFIED]: BondStatus.UNSPECIFIED,
  [StoredStatus.UNBONDED]: BondStatus.UNBONDED,
  [StoredStatus.UNBONDING]: BondStatus.UNBONDING,
  [StoredStatus.BONDED]: BondStatus.BONDED,
};

const operatorText = (operator: Uint8Array) => encodeAddress(operator, OPERATOR_PREFIX);

function validatorFields(validator: Validator) {
  const { operator, consensusKey, moniker, tokens, delegatorShares, jailed, status } = validator;
  return {
    operatorAddress: operatorText(operator),
    consensusPubkey: packAny(PubKeySchema, { key: consensusKey }),
    jailed,
    status: STATUS[status],
    tokens,
    delegatorShares: fixed(delegatorShares).toString(),
    description: { moniker },
    unbondingTime: EPOCH,
    commission: {
      commissionRates: { rate: NO_RATE, maxRate: NO_RATE, maxChangeRate: NO_RATE },
      updateTime: EPOCH,
    },
    minSelfDelegation: "1",
  };
}

const all = ({ stores }: QueryCall): Validator[] => [...validators(stores.store(STAKING_STORE))];

const sum = (list: readonly Validator[]) => list.reduce((total, { tokens }) => total + BigInt(tokens), 0n).toString();

function balanceOf({ operator, shares }: Delegation, list: readonly Validator[]): string {
  const validator = list.find((each) => operatorText(each.operator) === operatorText(operator));
  if (!validator) return "0";
  const [mine, every] = [fixed(shares), fixed(validator.delegatorShares)];
  return every === 0n ? "0" : ((BigInt(validator.tokens) * mine) / every).toString();
}

/** A decimal with at most 18 places, times 10^18: how the field sends it. */
function fixed(decimal: string): bigint {
  const [whole = "0", places = ""] = decimal.split(".");
  return BigInt(whole + places.padEnd(18, "0"));
}

const KEPT = ["validators", "validator", "delegatorDelegations", "pool", "params"] as const;

export const stakingQuery: QueryService = implement(Query, KEPT, {
  validators({ status, pagination }, call) {
    const named = BondStatusSchema.values.find(({ name }) => name === status);
    if (status !== "" && (!named || named.number === BondStatus.UNSPECIFIED)) {
      throw new UpgradeError("UPG_INVALID_ARGUMENT", `invalid validator status ${status}`);
    }
    const list = all(call).filter((each) => !named || STATUS[each.status] === named.number);
    const page = paginateList(list, pagination, ({ operator }) => operatorText(operator));
    return { validators: page.items.map(validatorFields), pagination: page.pagination };
  },

  validator({ validatorAddr }, call) {
    readAddress(validatorAddr, OPERATOR_PREFIX);
    const found = all(call).find(({ operator }) => operatorText(operator) === validatorAddr);
    if (!found) throw new UpgradeError("UPG_NOT_FOUND_RECORD", `validator ${validatorAddr} not found`);
    return { validator: validatorFields(found) };
  },

  delegatorDelegations({ delegatorAddr, pagination }, call) {
    const list = [...delegationsOf(call.stores.store(STAKING_STORE), readAddress(delegatorAddr))];
    const page = paginateList(list, pagination, ({ operator }) => operatorText(operator));
    const validatorList = all(call);
    return {
      delegationResponses: page.items.map((each) => ({
        delegation: {
          delegatorAddress: delegatorAddr,
          validatorAddress: operatorText(each.operator),
          shares: fixed(each.shares).toString(),
        },
        balance: { denom: call.bondDenom, amount: balanceOf(each, validatorList) },
      })),
      pagination: page.pagination,
    };
  },

  pool(_request, call) {
    const list = all(call);
    const bonded = list.filter(({ status }) => status === StoredStatus.BONDED);
    const rest = list.filter(({ status }) => status !== StoredStatus.BONDED);
    return { pool: { bondedTokens: sum(bonded), notBondedTokens: sum(rest) } };
  },

  params: (_request, { bondDenom }) => ({
    params: {
      unbondingTime: { seconds: UNBONDING_SECONDS },
      maxValidators: 100,
      maxEntries: 7,
      historicalEntries: 10_000,
      bondDenom,
      minCommissionRate: NO_RATE,
    },
  }),
});
