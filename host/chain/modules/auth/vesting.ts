/** Coins that an account holds but cannot spend yet: those that vest, less the ones it had delegated. */

import type { Vesting } from "../../../base/gen/chain/auth/v1/auth_pb.js";
import type { ModuleContext } from "../../app/context.js";
import {
  addCoins,
  amountOf,
  type Coin,
  type Coins,
  coinsFromMessages,
  coinsToMessages,
  normalCoins,
} from "../../values/coins.js";
import { divide, fromInteger, multiply, round } from "../../values/decimal.js";
import { bankOf, insufficientFunds } from "../bank/bank.js";
import { AUTH_STORE, readAccount, writeAccount } from "./accounts.js";

/** What is locked at `seconds` since 1970, by the account's schedule. */
export function lockedCoins(vesting: Vesting, seconds: bigint): Coin[] {
  const delegated = coinsFromMessages(vesting.delegatedVesting);
  return coinsFromMessages(vesting.original)
    .map(({ denom, amount }) => {
      const unvested = amount - vestedAmount(vesting, amount, seconds);
      const locked = unvested - amountOf(delegated, denom);
      return { denom, amount: locked > 0n ? locked : 0n };
    })
    .filter(({ amount }) => amount > 0n);
}

/** All at the end, or in proportion to the time since the start. */
function vestedAmount({ startTime, endTime }: Vesting, amount: bigint, seconds: bigint): bigint {
  if (seconds >= endTime) return amount;
  if (startTime === 0n || seconds <= startTime) return 0n;
  const share = divide(fromInteger(seconds - startTime), fromInteger(endTime - startTime));
  return round(multiply(fromInteger(amount), share));
}

/** What of the coins held is free at `seconds` since 1970; a denomination of which nothing is free is left out. */
export function spendableCoins(vesting: Vesting, held: Coins, seconds: bigint): Coin[] {
  const locked = lockedCoins(vesting, seconds);
  return held
    .map(({ denom, amount }) => ({ denom, amount: amount - amountOf(locked, denom) }))
    .filter(({ amount }) => amount > 0n);
}

/** @throws TxError sdk 5 */
export function requireSpendable(context: ModuleContext, address: Uint8Array, coins: Coins): void {
  const vesting = readAccount(context.store(AUTH_STORE), address)?.vesting;
  if (!vesting || lockedCoins(vesting, context.time.seconds).length === 0) return;
  const held = bankOf(context.version).balances(context.stores, address);
  const spendable = spendableCoins(vesting, held, context.time.seconds);
  if (coins.some(({ denom, amount }) => amountOf(spendable, denom) < amount)) throw insufficientFunds(spendable, coins);
}

/** Coins are delegated: first those that still vest, then free ones. Locked coins may be delegated. */
export function trackDelegation(context: ModuleContext, address: Uint8Array, { denom, amount }: Coin): void {
  const store = context.store(AUTH_STORE);
  const account = readAccount(store, address);
  const vesting = account?.vesting;
  if (!account || !vesting) return;
  const locked = amountOf(lockedCoins(vesting, context.time.seconds), denom);
  const ofVesting = locked < amount ? locked : amount;
  const added = (list: Vesting["delegatedFree"], more: bigint) =>
    coinsToMessages(addCoins(coinsFromMessages(list), [{ denom, amount: more }]));
  vesting.delegatedVesting = added(vesting.delegatedVesting, ofVesting);
  vesting.delegatedFree = added(vesting.delegatedFree, amount - ofVesting);
  writeAccount(store, account);
}

/** Coins come back: first those that were free. */
export function trackUndelegation(context: ModuleContext, address: Uint8Array, { denom, amount }: Coin): void {
  const store = context.store(AUTH_STORE);
  const account = readAccount(store, address);
  const vesting = account?.vesting;
  if (!account || !vesting) return;
  const less = (list: Vesting["delegatedFree"], wanted: bigint) => {
    const coins = coinsFromMessages(list);
    const held = amountOf(coins, denom);
    const taken = held < wanted ? held : wanted;
    const rest = coins.map((coin) => (coin.denom === denom ? { denom, amount: held - taken } : coin));
    return { list: coinsToMessages(normalCoins(rest)), taken };
  };
  const free = less(vesting.delegatedFree, amount);
  vesting.delegatedFree = free.list;
  vesting.delegatedVesting = less(vesting.delegatedVesting, amount - free.taken).list;
  writeAccount(store, account);
}
