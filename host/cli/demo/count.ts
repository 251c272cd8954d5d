/** Counts a chain's accounts and coins by walking its state; module accounts count in none of it. */

import { toHex } from "../../base/text/bytes.js";
import type { App } from "../../chain/app/app.js";
import { AUTH_STORE, accounts } from "../../chain/modules/auth/accounts.js";
import { bankOf } from "../../chain/modules/bank/bank.js";
import { STAKING_STORE, validators } from "../../chain/modules/staking/records.js";
import { addCoins, type Coin } from "../../chain/values/coins.js";

export interface Count {
  readonly accounts: bigint;
  /** Addresses with coins, one for each denomination that they hold. */
  readonly balances: bigint;
  readonly validators: bigint;
  readonly supply: readonly Coin[];
}

export function countChain(app: App): Count {
  const view = app.multiStore.at(app.lastCommitID.version);
  const isModule = new Set<string>();
  let count = 0n;
  for (const account of accounts(view.store(AUTH_STORE))) {
    if (account.module === "") count++;
    else isModule.add(toHex(account.address));
  }
  let balances = 0n;
  let supply: Coin[] = [];
  for (const [address, coins] of bankOf(app.version).allBalances(view)) {
    if (isModule.has(toHex(address))) continue;
    balances += BigInt(coins.length);
    supply = addCoins(supply, coins);
  }
  const validatorCount = BigInt([...validators(view.store(STAKING_STORE))].length);
  return { accounts: count, balances, validators: validatorCount, supply };
}

export function amounts(coins: readonly Coin[]): Record<string, string> {
  return Object.fromEntries(coins.map(({ denom, amount }) => [denom, amount.toString()]));
}
