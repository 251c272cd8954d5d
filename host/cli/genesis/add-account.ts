/** `chaind genesis add-account`: an account with coins, and optionally the power of this node's validator. */

import { usage } from "../../base/terminal/usage.js";
import { equalBytes } from "../../base/text/bytes.js";
import type { Chain } from "../../chain/app/chain.js";
import type { AuthGenesis } from "../../chain/modules/auth/genesis.js";
import { formatCoins, parseCoins } from "../../chain/values/coins.js";
import { readConsensusKey } from "../../node/home/consensus-key.js";
import { Home } from "../../node/home/home.js";
import { type KeyringFlags, withKeyring } from "../client/keyring-options.js";
import type { Context } from "../flags/context.js";
import { type Balance, nextNumber, setBalance } from "./balances.js";
import { listAt, readDocument, requireNoChain, writeDocument } from "./document.js";
import { POWER_TOKENS, putValidator } from "./put-validator.js";

export interface AddAccountFlags extends KeyringFlags {
  readonly validator?: string | true;
  readonly append?: boolean;
}

export interface AddedAccount {
  readonly address: string;
  readonly coins: string;
  /** Power of its validator, when it has one. */
  readonly validator?: { readonly operator_address: string; readonly power: string };
}

const POWER_DEFAULT = "100";
const POWER_MAX = 10n ** 15n;

/** @throws UpgradeError UPG_INVALID_ARGUMENT, UPG_NOT_FOUND_KEY, UPG_INVALID_CONFIG, UPG_INVALID_GENESIS; nothing is written then */
export async function addAccount(
  context: Context,
  path: string,
  key: string,
  coins: string,
  flags: AddAccountFlags,
): Promise<AddedAccount> {
  const { chain } = context;
  const home = new Home(path);
  requireNoChain(home);
  const { json, genesis } = readDocument(chain, home);
  const given = parseCoins(coins);
  const address = await addressOf(context, path, key, flags);
  const bytes = chain.addresses.decode(address);
  const accounts = [...(genesis.sections.get("auth") as AuthGenesis).accounts];
  const isKnown = accounts.some((account) => equalBytes(account.address, bytes));
  if (isKnown && !flags.append) {
    throw usage(`${address} is in the genesis document already; --append adds to its coins`);
  }
  if (!isKnown) listAt(json, "app_state", "auth", "accounts").push(baseAccount(address, nextNumber(accounts)));
  const total = setBalance(listAt(json, "app_state", "bank", "balances") as Balance[], address, given);
  const validator =
    flags.validator === undefined ? undefined : addValidator(chain, home, json, bytes, key, flags.validator);
  writeDocument(chain, home.genesisFile, json);
  return { address, coins: formatCoins(total), ...(validator ? { validator } : {}) };
}

export async function addressOf(context: Context, home: string, key: string, flags: KeyringFlags): Promise<string> {
  return withKeyring(context, flags, home, (keyring) => keyring.addressOf(key));
}

function baseAccount(address: string, number: bigint) {
  const type = "/cosmos.auth.v1beta1.BaseAccount";
  return { "@type": type, address, pub_key: null, account_number: String(number), sequence: "0" };
}

function addValidator(
  chain: Chain,
  home: Home,
  json: Record<string, unknown>,
  account: Uint8Array,
  moniker: string,
  power: string | true,
) {
  const text = power === true ? POWER_DEFAULT : power;
  if (!/^[1-9][0-9]{0,15}$/.test(text) || BigInt(text) > POWER_MAX) {
    throw usage(`invalid argument "${text}" for "--validator" flag: a power is a whole number from 1 to ${POWER_MAX}`);
  }
  const consensusKey = readConsensusKey(home.validatorKeyFile).publicKey.bytes;
  const tokens = BigInt(text) * POWER_TOKENS;
  const operator_address = putValidator(chain, json, { account, consensusKey, tokens, description: { moniker } });
  return { operator_address, power: text };
}
