/** A new validator as flags and files describe it: what `gentx`, `add-validator` and `tx staking create-validator` sign. */

import { usage } from "../../../base/terminal/usage.js";
import type { Chain } from "../../../chain/app/chain.js";
import { type NewValidatorMessage, newValidator } from "../../../chain/modules/staking/compose.js";
import type { Coin } from "../../../chain/values/coins.js";
import { ONE, readDecimal } from "../../../chain/values/decimal.js";
import { JsonReader } from "../../../chain/values/json-reader.js";

/** Flags of the commands, with the Cosmos SDK's names and defaults. */
export interface ValidatorFlags {
  readonly moniker?: string;
  readonly identity: string;
  readonly website: string;
  readonly securityContact: string;
  readonly details: string;
  readonly commissionRate: string;
  readonly commissionMaxRate: string;
  readonly commissionMaxChangeRate: string;
  readonly minSelfDelegation: string;
  readonly pubkey?: string;
}

/** Of the flags. */
export const VALIDATOR_DEFAULTS = Object.freeze({
  ...{ identity: "", website: "", securityContact: "", details: "", minSelfDelegation: "1" },
  ...{ commissionRate: "0.1", commissionMaxRate: "0.2", commissionMaxChangeRate: "0.01" },
});

export interface CreateFacts {
  readonly account: Uint8Array;
  readonly consensusKey: Uint8Array;
  readonly coin: Coin;
  readonly moniker: string;
}

/** @throws UpgradeError UPG_INVALID_ARGUMENT naming the flag */
export function createValidatorMessage(chain: Chain, facts: CreateFacts, flags: ValidatorFlags): NewValidatorMessage {
  const { account, consensusKey, coin, moniker } = facts;
  const { identity, website, securityContact, details, minSelfDelegation } = flags;
  const rate = rateOf("commission-rate", flags.commissionRate);
  const maxRate = rateOf("commission-max-rate", flags.commissionMaxRate);
  const maxChangeRate = rateOf("commission-max-change-rate", flags.commissionMaxChangeRate);
  requireTerms({ rate, maxRate, maxChangeRate, minSelfDelegation }, coin);
  return newValidator(consensusKey, {
    description: { moniker, identity, website, securityContact, details },
    commission: { rate: String(rate), maxRate: String(maxRate), maxChangeRate: String(maxChangeRate) },
    minSelfDelegation,
    validatorAddress: chain.addresses.operators.encode(account),
    value: { denom: coin.denom, amount: String(coin.amount) },
  });
}

const ED25519_BYTES = 32;

/** A key as `comet show-validator` prints it. @throws UpgradeError UPG_INVALID_ARGUMENT, `where` it is */
export function consensusKeyFrom(where: string, read: () => unknown): Uint8Array {
  try {
    const json = new JsonReader(read(), where);
    const bytes = json.get("key").base64();
    if (json.get("@type").text() === "/cosmos.crypto.ed25519.PubKey" && bytes.length === ED25519_BYTES) return bytes;
  } catch {
    // Reported below.
  }
  throw usage(`${where} is no consensus key: {"@type":"/cosmos.crypto.ed25519.PubKey","key":"<base64 of 32 bytes>"}`);
}

interface Terms {
  /** Of 10^18. */
  readonly rate: bigint;
  readonly maxRate: bigint;
  readonly maxChangeRate: bigint;
  readonly minSelfDelegation: string;
}

/** What the Cosmos SDK asks of a new validator. @throws UpgradeError UPG_INVALID_ARGUMENT */
export function requireTerms({ rate, maxRate, maxChangeRate, minSelfDelegation }: Terms, coin: Coin): void {
  if ([rate, maxRate, maxChangeRate].some((each) => each < 0n || each > ONE)) throw usage("commission is from 0 to 1");
  if (rate > maxRate) throw usage("commission cannot be more than the max rate");
  if (maxChangeRate > maxRate) throw usage("commission change rate cannot be more than the max rate");
  if (!/^[1-9][0-9]{0,76}$/.test(minSelfDelegation)) throw usage("minimum self delegation must be a positive integer");
  if (BigInt(minSelfDelegation) > coin.amount) {
    throw usage(`${coin.amount}${coin.denom} is below --min-self-delegation ${minSelfDelegation}`);
  }
}

function rateOf(flag: string, text: string): bigint {
  const rate = readDecimal(text);
  if (rate !== undefined && rate >= 0n && rate <= ONE) return rate;
  throw usage(`invalid argument "${text}" for "--${flag}" flag: expected a decimal from 0 to 1 with at most 18 places`);
}
