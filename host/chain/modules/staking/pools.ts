/**
 * The two accounts that hold what is staked: one for validators that are bonded, one for the rest and for what unbonds. They are
 * kept from the first message of module staking on. A genesis document may count tokens that no account holds: the
 * first message makes coins of these, so that what is delegated can come back.
 */

import { sha256 } from "@noble/hashes/sha2.js";
import { rethrowEngineLimit } from "../../../base/errors/engine-limit.js";
import { messageOf } from "../../../base/errors/errors.js";
import { BondStatus, type Validator } from "../../../base/gen/chain/staking/v1/staking_pb.js";
import { utf8 } from "../../../base/text/bytes.js";
import { decodeText } from "../../../base/text/text.js";
import type { KVReader } from "../../../base/types/types.js";
import type { ModuleContext } from "../../app/context.js";
import type { Invariant, ReadableStores } from "../../app/module.js";
import { moduleAddress } from "../../values/address.js";
import { AMOUNT_MAX, amountOf, type Coin, formatCoins } from "../../values/coins.js";
import { uncounted } from "../../values/gas.js";
import { SDK, TxError } from "../../values/tx-error.js";
import { AUTH_STORE, ensureAccount } from "../auth/accounts.js";
import { trackDelegation, trackUndelegation } from "../auth/vesting.js";
import { accountBank, BANK_STORE, bankOf, storeBank } from "../bank/bank.js";
import { transferCoins } from "../bank/transfer.js";
import { keepsPools, readPoolDenom, STAKING_STORE, validators, writePoolDenom } from "./records.js";
import { beginUnbonding } from "./status.js";
import { unbondingDelegations } from "./unbonding.js";

/** Names of their accounts. */
export const POOLS = Object.freeze({ bonded: "bonded_tokens_pool", notBonded: "not_bonded_tokens_pool" });
export type Pool = keyof typeof POOLS;
const NAMES = Object.keys(POOLS) as Pool[];

const ADDRESSES: Readonly<Record<Pool, Uint8Array>> = {
  bonded: moduleAddress(sha256, POOLS.bonded),
  notBonded: moduleAddress(sha256, POOLS.notBonded),
};

export const poolAddress = (pool: Pool): Uint8Array => ADDRESSES[pool];

export const poolOf = ({ status }: Pick<Validator, "status">): Pool =>
  status === BondStatus.BONDED ? "bonded" : "notBonded";

/** What each pool owes by the records. */
export function owedByPools(staking: KVReader): Record<Pool, bigint> {
  const owed = { bonded: 0n, notBonded: 0n };
  for (const validator of validators(staking)) owed[poolOf(validator)] += BigInt(validator.tokens);
  for (const { entries } of unbondingDelegations(staking)) {
    for (const { balance } of entries) owed.notBonded += BigInt(balance);
  }
  return owed;
}

/** Makes the pools hold what the records say, once. @throws TxError sdk 18 when that is more than an amount can be */
export function keepPools(context: ModuleContext): void {
  if (keepsPools(context.store(STAKING_STORE))) return;
  const stores = uncounted(context.stores);
  const staking = stores.store(STAKING_STORE);
  const { bondDenom: denom } = context.constants;
  const bank = bankOf(context.version);
  const owed = owedByPools(staking);
  const missing = NAMES.map((pool) => {
    const held = amountOf(bank.balances(stores, ADDRESSES[pool]), denom);
    return { pool, amount: owed[pool] > held ? owed[pool] - held : 0n };
  });
  const supply = missing.reduce((sum, { amount }) => sum + amount, amountOf(bank.supply(stores), denom));
  if (supply > AMOUNT_MAX) {
    throw new TxError(SDK.INVALID_REQUEST, `${denom} and what validators have of it are more than 256 bits`);
  }
  for (const { pool, amount } of missing) {
    ensureAccount(stores.store(AUTH_STORE), ADDRESSES[pool], POOLS[pool]);
    if (amount === 0n) continue;
    bank.mint(stores, ADDRESSES[pool], [{ denom, amount }]);
    const [minter, text] = [context.addresses.encode(ADDRESSES[pool]), `${amount}${denom}`];
    context.emit("coin_received", ["receiver", minter], ["amount", text]);
    context.emit("coinbase", ["minter", minter], ["amount", text]);
  }
  writePoolDenom(staking, utf8(denom));
  const unbonding = [...validators(staking)].filter(({ status }) => status === BondStatus.UNBONDING);
  for (const validator of unbonding) beginUnbonding(context, staking, validator);
}

/** Into a pool, from an account; coins that still vest may be delegated. @throws TxError sdk 5 */
export function delegateCoins(context: ModuleContext, delegator: Uint8Array, pool: Pool, coin: Coin): void {
  const bank = bankOf(context.version);
  const held = amountOf(bank.balances(context.stores, delegator), coin.denom);
  if (held < coin.amount) {
    const what = `failed to delegate; ${held}${coin.denom} is smaller than ${coin.amount}${coin.denom}`;
    throw new TxError(SDK.INSUFFICIENT_FUNDS, what);
  }
  trackDelegation(context, delegator, coin);
  moveCoin(context, delegator, ADDRESSES[pool], coin);
}

/** Out of the pool of what is not bonded, back to an account. @throws TxError sdk 5 */
export function undelegateCoins(context: ModuleContext, delegator: Uint8Array, coin: Coin): void {
  trackUndelegation(context, delegator, coin);
  moveCoin(context, ADDRESSES.notBonded, delegator, coin);
}

function moveCoin(context: ModuleContext, from: Uint8Array, to: Uint8Array, coin: Coin): void {
  bankOf(context.version).send(context.stores, from, to, [coin]);
  const { encode } = context.addresses;
  context.emit("coin_spent", ["spender", encode(from)], ["amount", formatCoins([coin])]);
  context.emit("coin_received", ["receiver", encode(to)], ["amount", formatCoins([coin])]);
}

/** From one pool into the other. */
export function moveBetweenPools(context: ModuleContext, from: Pool, amount: bigint): void {
  if (amount === 0n) return;
  const to = from === "bonded" ? "notBonded" : "bonded";
  transferCoins(context, ADDRESSES[from], ADDRESSES[to], [{ denom: context.constants.bondDenom, amount }]);
}

/** Where the pools are kept, nobody's stake is without coins. More than is owed may be there: anybody can send some. */
export const backedStake: Invariant = {
  name: "pools",
  check(stores) {
    try {
      return poolProblem(stores);
    } catch (error) {
      rethrowEngineLimit(error);
      return `a record of staking cannot be read: ${messageOf(error)}`;
    }
  },
};

function poolProblem(stores: ReadableStores): string | undefined {
  const staking = stores.store(STAKING_STORE);
  const bytes = readPoolDenom(staking);
  if (!bytes) return undefined;
  const denom = decodeText(bytes);
  const owed = owedByPools(staking);
  const bank = stores.names.includes(BANK_STORE) ? storeBank : accountBank;
  for (const pool of NAMES) {
    const held = amountOf(bank.balances(stores, ADDRESSES[pool]), denom);
    if (held < owed[pool]) return `${POOLS[pool]} holds ${held}${denom}, and the records say ${owed[pool]}${denom}`;
  }
  return undefined;
}
