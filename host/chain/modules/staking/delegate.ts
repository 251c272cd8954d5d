/** Delegating and undelegating, by the steps of the Cosmos SDK. The set of validators follows at the end of the block. */

import type { Delegation, Validator } from "../../../base/gen/chain/staking/v1/staking_pb.js";
import { equalBytes } from "../../../base/text/bytes.js";
import { addTime } from "../../../base/time/time.js";
import type { KVStore, Timestamp } from "../../../base/types/types.js";
import type { ModuleContext } from "../../app/context.js";
import { type Decimal, formatDecimal, parseDecimal, truncate } from "../../values/decimal.js";
import { SDK, STAKING, TxError } from "../../values/tx-error.js";
import { delegateCoins, keepPools, moveBetweenPools, poolOf } from "./pools.js";
import { powerOf, rankedValidators } from "./power.js";
import {
  delegationOf,
  readValidator,
  removeDelegation,
  STAKING_STORE,
  setValidator,
  writeDelegation,
} from "./records.js";
import { addTokens, type Holding, removeShares, sharesFromTokens, tokensFromShares } from "./shares.js";
import { paramsOf, removeIfEmpty } from "./status.js";
import { addUnbonding, type Pair, readUnbonding } from "./unbonding.js";

/** @throws TxError staking 3 */
export function requireValidator(store: KVStore, operator: Uint8Array): Validator {
  const validator = readValidator(store, operator);
  if (validator) return validator;
  throw new TxError(STAKING.NO_VALIDATOR);
}

const holdingOf = ({ tokens, delegatorShares }: Validator): Holding => ({
  tokens: BigInt(tokens),
  shares: parseDecimal(delegatorShares),
});

function setHolding(validator: Validator, { tokens, shares }: Holding): void {
  validator.tokens = String(tokens);
  validator.delegatorShares = formatDecimal(shares);
}

/** Coins of an account become shares of a validator; returns the new ones. @throws TxError staking 3 and 34, sdk 5 */
export function delegate(context: ModuleContext, { delegator, operator }: Pair, amount: bigint): Decimal {
  const store = context.store(STAKING_STORE);
  keepPools(context);
  const validator = requireValidator(store, operator);
  const { issued, ...holding } = addTokens(holdingOf(validator), amount);
  delegateCoins(context, delegator, poolOf(validator), { denom: context.constants.bondDenom, amount });
  setHolding(validator, holding);
  setValidator(store, validator);
  const known = delegationOf(store, delegator, operator);
  const shares = (known ? parseDecimal(known.shares) : 0n) + issued;
  writeDelegation(store, { delegator, operator, shares: formatDecimal(shares) });
  return issued;
}

/** The shares that these tokens are, as many as the delegation has at most. @throws TxError staking 3, 19 and 22, sdk 18 */
export function sharesToUnbond(store: KVStore, { delegator, operator }: Pair, amount: bigint): Decimal {
  const validator = requireValidator(store, operator);
  const delegation = delegationOf(store, delegator, operator);
  if (!delegation) throw new TxError(STAKING.NO_DELEGATION);
  const shares = sharesFromTokens(holdingOf(validator), amount);
  if (shares > parseDecimal(delegation.shares)) throw new TxError(SDK.INVALID_REQUEST, "invalid shares amount");
  return shares;
}

export interface Undelegated {
  /** When the tokens come back. */
  readonly end: Timestamp;
  readonly amount: bigint;
}

/** Shares begin to unbond. @throws TxError staking 27, sdk 18 when nobody would be left to decide blocks */
export function undelegate(context: ModuleContext, pair: Pair, shares: Decimal): Undelegated {
  const store = context.store(STAKING_STORE);
  keepPools(context);
  const { unbondingTime, maxEntries } = paramsOf(context);
  if ((readUnbonding(store, pair)?.entries.length ?? 0) >= maxEntries) throw new TxError(STAKING.TOO_MANY_ENTRIES);
  const pool = poolOf(requireValidator(store, pair.operator));
  const amount = unbond(store, pair, shares);
  if (pool === "bonded") moveBetweenPools(context, "bonded", amount);
  const end = addTime(context.time, unbondingTime);
  addUnbonding(store, pair, { height: context.height, end, amount });
  return { end, amount };
}

/** Takes shares from a delegation and its validator; returns the whole tokens that they are. */
function unbond(store: KVStore, { delegator, operator }: Pair, shares: Decimal): bigint {
  const validator = requireValidator(store, operator);
  const before = powerOf(validator);
  const hadPower = !validator.jailed && before > 0n;
  const delegation = delegationOf(store, delegator, operator) as Delegation;
  const left = parseDecimal(delegation.shares) - shares;
  if (left === 0n) removeDelegation(store, delegation);
  else writeDelegation(store, { ...delegation, shares: formatDecimal(left) });
  const isOwn = equalBytes(delegator, operator);
  const holding = holdingOf(validator);
  const least = BigInt(validator.minSelfDelegation || "1");
  if (isOwn && truncate(tokensFromShares(holding, left)) < least) validator.jailed = true;
  const { freed, ...rest } = removeShares(holding, shares);
  setHolding(validator, rest);
  setValidator(store, validator);
  removeIfEmpty(store, validator);
  if (hadPower && (validator.jailed || powerOf(validator) === 0n)) requireSomebody(store);
  return freed;
}

/** CometBFT ends where nobody has power, and with it the chain. @throws TxError sdk 18 */
function requireSomebody(store: KVStore): void {
  if (rankedValidators(store).length > 0) return;
  throw new TxError(SDK.INVALID_REQUEST, "no validator would be left to decide blocks");
}
