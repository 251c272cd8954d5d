/**
 * What `gentx` and `add-validator` make a validator of: a `MsgCreateValidator`, as the Cosmos SDK signs it. No transaction
 * of a chain creates validators here, so `collect-gentxs` puts them into `staking.validators` itself, where the Cosmos SDK
 * leaves them in `genutil.gen_txs` for the first block.
 */
import { create, createRegistry, type Registry } from "@bufbuild/protobuf";
import { filesOf } from "../chain/define-chain.js";
import { PubKeySchema } from "../gen/cosmos/crypto/ed25519/keys_pb.js";
import {
  file_cosmos_staking_v1beta1_tx,
  type MsgCreateValidator,
  MsgCreateValidatorSchema,
} from "../gen/cosmos/staking/v1beta1/tx_pb.js";
import { programChain } from "../shell/program-chain.js";
import { usage } from "../usage.js";
import { packAny } from "../values/any.js";
import type { Coin } from "../values/coins.js";
import { formatDecimal, ONE, readDecimal } from "../values/decimal.js";

/** Flags of both commands, with the Cosmos SDK's names and defaults. */
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
export function createValidatorMessage(facts: CreateFacts, flags: ValidatorFlags): MsgCreateValidator {
  const { account, consensusKey, coin, moniker } = facts;
  const { identity, website, securityContact, details, minSelfDelegation } = flags;
  const rate = rateOf("commission-rate", flags.commissionRate);
  const maxRate = rateOf("commission-max-rate", flags.commissionMaxRate);
  const maxChangeRate = rateOf("commission-max-change-rate", flags.commissionMaxChangeRate);
  requireTerms({ rate, maxRate, maxChangeRate, minSelfDelegation }, coin);
  return create(MsgCreateValidatorSchema, {
    description: { moniker, identity, website, securityContact, details },
    commission: { rate: String(rate), maxRate: String(maxRate), maxChangeRate: String(maxChangeRate) },
    minSelfDelegation,
    validatorAddress: programChain().addresses.operators.encode(account),
    pubkey: packAny(PubKeySchema, { key: consensusKey }),
    value: { denom: coin.denom, amount: String(coin.amount) },
  });
}

interface Terms {
  /** Of 10^18. */
  readonly rate: bigint;
  readonly maxRate: bigint;
  readonly maxChangeRate: bigint;
  readonly minSelfDelegation: string;
}

/** What the Cosmos SDK asks of a new validator. @throws UpgradeError UPG_INVALID_ARGUMENT */
function requireTerms({ rate, maxRate, maxChangeRate, minSelfDelegation }: Terms, coin: Coin): void {
  if ([rate, maxRate, maxChangeRate].some((each) => each < 0n || each > ONE)) throw usage("commission is from 0 to 1");
  if (rate > maxRate) throw usage("commission cannot be more than the max rate");
  if (maxChangeRate > maxRate) throw usage("commission change rate cannot be more than the max rate");
  if (!/^[1-9][0-9]{0,76}$/.test(minSelfDelegation)) throw usage("minimum self delegation must be a positive integer");
  if (BigInt(minSelfDelegation) > coin.amount) {
    throw usage(`${coin.amount}${coin.denom} is below --min-self-delegation ${minSelfDelegation}`);
  }
}

/** The same of a message that another program may have signed. @throws UpgradeError UPG_INVALID_ARGUMENT */
export function requireMessageTerms({ commission, minSelfDelegation }: MsgCreateValidator, coin: Coin): void {
  const rate = (text: string | undefined) => BigInt(text || "0");
  const rates = {
    rate: rate(commission?.rate),
    maxRate: rate(commission?.maxRate),
    maxChangeRate: rate(commission?.maxChangeRate),
  };
  requireTerms({ ...rates, minSelfDelegation }, coin);
}

function rateOf(flag: string, text: string): bigint {
  const rate = readDecimal(text);
  if (rate !== undefined && rate >= 0n && rate <= ONE) return rate;
  throw usage(`invalid argument "${text}" for "--${flag}" flag: expected a decimal from 0 to 1 with at most 18 places`);
}

/** What the genesis document has of a validator besides its key and tokens. */
export function documentFields({ description, commission, minSelfDelegation }: MsgCreateValidator) {
  const { moniker = "", identity = "", website = "", securityContact = "", details = "" } = description ?? {};
  const rate = (atomics: string | undefined) => formatDecimal(BigInt(atomics || "0"));
  const commission_rates = {
    rate: rate(commission?.rate),
    max_rate: rate(commission?.maxRate),
    max_change_rate: rate(commission?.maxChangeRate),
  };
  return {
    description: { moniker, identity, website, security_contact: securityContact, details },
    more: {
      ...{ unbonding_height: "0", unbonding_time: "1970-01-01T00:00:00Z" },
      commission: { commission_rates, update_time: "1970-01-01T00:00:00Z" },
      min_self_delegation: minSelfDelegation,
    },
  };
}

/** What may be packed in a transaction of genesis. */
export function genesisRegistry(): Registry {
  const chain = programChain();
  return createRegistry(...filesOf(chain, []), file_cosmos_staking_v1beta1_tx);
}
