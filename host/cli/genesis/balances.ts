/** Accounts and balances of a genesis document, as JSON. */
import type { Coin } from "../../chain/values/coins.js";

export interface Balance {
  readonly address: string;
  coins: readonly { readonly denom: string; readonly amount: string }[];
}

export function nextNumber(accounts: Iterable<{ readonly number: bigint }>): bigint {
  let next = 0n;
  for (const { number } of accounts) if (number >= next) next = number + 1n;
  return next;
}

/** Adds the coins, which may be less than nothing, to those that the address has in the document; returns the sum. */
export function setBalance(balances: Balance[], address: string, given: readonly Coin[]): Coin[] {
  const held = balances.find((balance) => balance.address === address);
  const sums = new Map((held?.coins ?? []).map(({ denom, amount }) => [denom, BigInt(amount)]));
  for (const { denom, amount } of given) sums.set(denom, (sums.get(denom) ?? 0n) + amount);
  const total = [...sums]
    .filter(([, amount]) => amount > 0n)
    .map(([denom, amount]) => ({ denom, amount }))
    .sort((a, b) => (a.denom < b.denom ? -1 : 1));
  const coins = total.map(({ denom, amount }) => ({ denom, amount: String(amount) }));
  if (held) held.coins = coins;
  else balances.push({ address, coins });
  return total;
}
