/** `tx staking`: a validator from a file in the Cosmos SDK's form; coins to a validator, and back. */

import { messageOf } from "../../../base/errors/errors.js";
import { usage } from "../../../base/terminal/usage.js";
import type { Chain } from "../../../chain/app/chain.js";
import { delegation, packNewValidator, undelegation } from "../../../chain/modules/staking/compose.js";
import { type Coin, parseCoins } from "../../../chain/values/coins.js";
import { JsonReader } from "../../../chain/values/json-reader.js";
import type { Context } from "../../flags/context.js";
import {
  consensusKeyFrom,
  createValidatorMessage,
  VALIDATOR_DEFAULTS,
  type ValidatorFlags,
} from "./create-validator.js";
import type { TxFlags } from "./flags.js";
import { send } from "./send.js";
import { readJsonFile } from "./stored.js";

/** @throws UpgradeError UPG_INVALID_ARGUMENT, UPG_NOT_FOUND_KEY, UPG_REMOTE_* */
export async function runCreateValidator(file: string, flags: TxFlags, context: Context): Promise<void> {
  const { chain } = context;
  const { fields, ...facts } = readValidatorFile(file);
  await send(flags, context, ({ address }) => {
    const account = chain.addresses.decode(address);
    return [packNewValidator(createValidatorMessage(chain, { ...facts, account }, fields))];
  });
}

const VALIDATOR_FILE_FIELDS = [
  ...["pubkey", "amount", "moniker", "identity", "website", "security", "details"],
  ...["commission-rate", "commission-max-rate", "commission-max-change-rate", "min-self-delegation"],
];

function readValidatorFile(file: string) {
  const json = new JsonReader(readJsonFile(file), file);
  try {
    json.only(...VALIDATOR_FILE_FIELDS);
    return {
      consensusKey: consensusKeyFrom(`${file}: pubkey`, () => json.get("pubkey").value),
      coin: coinOf(json.get("amount").text()),
      moniker: json.get("moniker").text(),
      fields: fieldsOf(json),
    };
  } catch (cause) {
    throw usage(messageOf(cause));
  }
}

/** Names of the Cosmos SDK's file; what is left out has the default of `gentx`. */
function fieldsOf(json: JsonReader): ValidatorFlags {
  const text = (name: string, fallback: string) => json.get(name).text(fallback);
  const defaults = VALIDATOR_DEFAULTS;
  return {
    identity: text("identity", defaults.identity),
    website: text("website", defaults.website),
    securityContact: text("security", defaults.securityContact),
    details: text("details", defaults.details),
    commissionRate: text("commission-rate", defaults.commissionRate),
    commissionMaxRate: text("commission-max-rate", defaults.commissionMaxRate),
    commissionMaxChangeRate: text("commission-max-change-rate", defaults.commissionMaxChangeRate),
    minSelfDelegation: text("min-self-delegation", defaults.minSelfDelegation),
  };
}

export async function runDelegate(validator: string, text: string, flags: TxFlags, context: Context): Promise<void> {
  const { chain } = context;
  const stake = stakeOf(chain, validator, text);
  await send(flags, context, ({ address }) => [delegation({ ...stake, delegatorAddress: address })]);
}

export async function runUndelegate(validator: string, text: string, flags: TxFlags, context: Context): Promise<void> {
  const { chain } = context;
  const stake = stakeOf(chain, validator, text);
  await send(flags, context, ({ address }) => [undelegation({ ...stake, delegatorAddress: address })]);
}

function stakeOf(chain: Chain, validatorAddress: string, text: string) {
  const failure = chain.addresses.operators.failure(validatorAddress);
  if (failure !== undefined) throw usage(`invalid validator address: ${failure}`);
  const { denom, amount } = coinOf(text);
  return { validatorAddress, amount: { denom, amount: String(amount) } };
}

function coinOf(text: string): Coin {
  const [coin, ...others] = parseCoins(text);
  if (coin && others.length === 0) return coin;
  throw usage(`invalid amount "${text.slice(0, 100)}": expected one coin, as 100000000ustake`);
}
