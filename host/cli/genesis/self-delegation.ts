/**
 * What an operator delegates to its own validator in a genesis document: out of its account's balance into the account
 * of bonded tokens, where the Cosmos SDK keeps them, so that the sum of all balances stays.
 */

import { sha256 } from "../../base/native/sha256.js";
import { usage } from "../../base/terminal/usage.js";
import { equalBytes } from "../../base/text/bytes.js";
import type { Chain } from "../../chain/app/chain.js";
import type { Genesis } from "../../chain/app/genesis/genesis.js";
import type { AuthGenesis } from "../../chain/modules/auth/genesis.js";
import { moduleAddress } from "../../chain/values/address.js";
import type { Coin } from "../../chain/values/coins.js";
import { type Balance, nextNumber, setBalance } from "./balances.js";
import { listAt } from "./document.js";
import { POWER_TOKENS } from "./put-validator.js";

const POOL = "bonded_tokens_pool";
const POWER_MAX = 10n ** 15n;

/** @throws UpgradeError UPG_INVALID_ARGUMENT: another denomination, less than a unit of power, or more than the account holds */
export function checkSelfDelegation(
  chain: Chain,
  json: Record<string, unknown>,
  genesis: Genesis,
  account: Uint8Array,
  coin: Coin,
): void {
  const { denom, amount } = coin;
  if (denom !== genesis.bondDenom) throw usage(`validators are bonded in ${genesis.bondDenom} here, not in ${denom}`);
  if (amount < POWER_TOKENS || amount > POWER_TOKENS * POWER_MAX) {
    throw usage(`${amount}${denom} gives no power: from ${POWER_TOKENS} (power 1) to ${POWER_TOKENS * POWER_MAX}`);
  }
  const address = chain.addresses.encode(account);
  const accounts = [...(genesis.sections.get("auth") as AuthGenesis).accounts];
  if (!accounts.some((each) => equalBytes(each.address, account))) {
    throw usage(`account ${address} is not in the genesis document: \`genesis add-account\` puts it there`);
  }
  const held = heldOf(balancesOf(json), address, denom);
  if (held < amount) throw usage(`account ${address} holds ${held}${denom} in the genesis document, not ${amount}`);
}

/** After `checkSelfDelegation`. */
export function moveSelfDelegation(
  chain: Chain,
  json: Record<string, unknown>,
  genesis: Genesis,
  account: Uint8Array,
  coin: Coin,
): void {
  const { encode } = chain.addresses;
  const pool = encode(moduleAddress(sha256, POOL));
  const accounts = listAt(json, "app_state", "auth", "accounts") as { base_account?: Record<string, unknown> }[];
  if (!accounts.some(({ base_account }) => base_account?.["address"] === pool)) {
    const number = String(nextNumber((genesis.sections.get("auth") as AuthGenesis).accounts));
    const base_account = { address: pool, pub_key: null, account_number: number, sequence: "0" };
    const permissions = ["burner", "staking"];
    accounts.push({
      ...{ "@type": "/cosmos.auth.v1beta1.ModuleAccount" },
      base_account,
      ...{ name: POOL, permissions },
    });
  }
  const balances = balancesOf(json);
  setBalance(balances, encode(account), [{ ...coin, amount: -coin.amount }]);
  setBalance(balances, pool, [coin]);
}

const balancesOf = (json: Record<string, unknown>) => listAt(json, "app_state", "bank", "balances") as Balance[];

function heldOf(balances: readonly Balance[], address: string, denom: string): bigint {
  const coins = balances.find((balance) => balance.address === address)?.coins ?? [];
  return BigInt(coins.find((coin) => coin.denom === denom)?.amount ?? 0);
}
