/** MsgCreateValidator: what the Cosmos SDK asks of a new validator, in its order and words. */
import { create, fromBinary } from "@bufbuild/protobuf";
import { TimestampSchema } from "@bufbuild/protobuf/wkt";
import { BondStatus, CommissionSchema, ValidatorSchema } from "../../../base/gen/chain/staking/v1/staking_pb.js";
import { PubKeySchema } from "../../../base/gen/cosmos/crypto/ed25519/keys_pb.js";
import type { CommissionRates, Description } from "../../../base/gen/cosmos/staking/v1beta1/staking_pb.js";
import type { MsgCreateValidator } from "../../../base/gen/cosmos/staking/v1beta1/tx_pb.js";
import { equalBytes, utf8 } from "../../../base/text/bytes.js";
import type { ModuleContext } from "../../app/context.js";
import { readAddress } from "../../app/tx/read-address.js";
import { type Decimal, formatDecimal, ONE } from "../../values/decimal.js";
import { readMessageCoins } from "../../values/message-coins.js";
import { SDK, STAKING, TxError } from "../../values/tx-error.js";
import { delegate } from "./delegate.js";
import { readValidator, STAKING_STORE, setValidator, validators } from "./records.js";
import { paramsOf } from "./status.js";

/** Bytes, as the Cosmos SDK counts them. */
const DESCRIPTION_MAX = Object.freeze({
  moniker: ["moniker", 70],
  identity: ["identity", 3_000],
  website: ["website", 140],
  securityContact: ["security contact", 140],
  details: ["details", 280],
} as const);
const DESCRIPTION_FIELDS = Object.keys(DESCRIPTION_MAX) as (keyof typeof DESCRIPTION_MAX)[];
const KEY_BYTES = 32;
/** A decimal of the Cosmos SDK has at most 315 bits. */
const DIGITS_MAX = 95;
const INTEGER = /^-?[0-9]+$/;

/** What its decoding refuses: numbers that are none, a key that is none. @throws TxError sdk 2 */
export function decodeCreateValidator({ commission, minSelfDelegation, pubkey }: MsgCreateValidator): void {
  const { rate = "", maxRate = "", maxChangeRate = "" } = commission ?? {};
  for (const text of [rate, maxRate, maxChangeRate, minSelfDelegation]) {
    if (text === "" || (INTEGER.test(text) && text.length <= DIGITS_MAX)) continue;
    throw new TxError(SDK.TX_DECODE, `math/big: cannot unmarshal "${text.slice(0, 100)}" into a *big.Int`);
  }
  if (
    !pubkey ||
    /^\/cosmos\.crypto\.(ed25519\.PubKey|secp256k1\.PubKey|multisig\.LegacyAminoPubKey)$/.test(pubkey.typeUrl)
  )
    return;
  const what = `no concrete type registered for type URL ${pubkey.typeUrl} against interface *types.PubKey`;
  throw new TxError(SDK.TX_DECODE, what);
}

/** @throws TxError */
export function createValidator(context: ModuleContext, message: MsgCreateValidator): undefined {
  const { validatorAddress, description, value } = message;
  const operator = readAddress(context.addresses.operators, validatorAddress, "invalid validator address");
  const rates = checkForm(message);
  const { minCommissionRate } = paramsOf(context);
  if (rates.rate < BigInt(minCommissionRate)) {
    const least = formatDecimal(BigInt(minCommissionRate));
    throw new TxError(
      STAKING.COMMISSION_BELOW_MIN,
      `cannot set validator commission to less than minimum rate of ${least}`,
    );
  }
  const store = context.store(STAKING_STORE);
  if (readValidator(store, operator)) throw new TxError(STAKING.OWNER_EXISTS);
  const consensusKey = readConsensusKey(message);
  for (const each of validators(store)) {
    if (equalBytes(each.consensusKey, consensusKey)) throw new TxError(STAKING.PUBKEY_EXISTS);
  }
  requireBondDenom(context, value?.denom ?? "");
  checkLengths(description as Description);
  const { moniker = "", identity = "", website = "", securityContact = "", details = "" } = description ?? {};
  const commission = create(CommissionSchema, {
    rate: formatDecimal(rates.rate),
    maxRate: formatDecimal(rates.maxRate),
    maxChangeRate: formatDecimal(rates.maxChangeRate),
    updateTime: create(TimestampSchema, context.time),
  });
  const record = create(ValidatorSchema, {
    ...{ operator, consensusKey, moniker, identity, website, securityContact, details, commission },
    ...{ tokens: "0", delegatorShares: formatDecimal(0n), status: BondStatus.UNBONDED },
    minSelfDelegation: String(BigInt(message.minSelfDelegation)),
  });
  setValidator(store, record);
  const amount = BigInt(value?.amount ?? "0");
  delegate(context, { delegator: operator, operator }, amount);
  context.emit("create_validator", ["validator", validatorAddress], ["amount", `${amount}${value?.denom}`]);
}

interface Rates {
  readonly rate: Decimal;
  readonly maxRate: Decimal;
  readonly maxChangeRate: Decimal;
}

/** What needs no state. */
function checkForm({ pubkey, value, description, commission, minSelfDelegation }: MsgCreateValidator): Rates {
  const invalid = (what: string) => new TxError(SDK.INVALID_REQUEST, what);
  if (!pubkey) throw new TxError(STAKING.NO_PUBKEY);
  if (!value || !readMessageCoins([value]).isValid) throw invalid("invalid delegation amount");
  if (!description || DESCRIPTION_FIELDS.every((name) => description[name] === "")) throw invalid("empty description");
  if (!commission || (commission.rate === "" && commission.maxRate === "" && commission.maxChangeRate === ""))
    throw invalid("empty commission");
  const rates = readRates(commission);
  if (BigInt(minSelfDelegation || "0") <= 0n) throw invalid("minimum self delegation must be a positive integer");
  if (BigInt(value.amount) < BigInt(minSelfDelegation)) throw new TxError(STAKING.SELF_DELEGATION);
  return rates;
}

function readRates(commission: CommissionRates): Rates {
  const [rate, maxRate, maxChangeRate] = [commission.rate, commission.maxRate, commission.maxChangeRate].map((text) =>
    BigInt(text || "0"),
  ) as [bigint, bigint, bigint];
  if (maxRate < 0n) throw new TxError(STAKING.COMMISSION_NEGATIVE);
  if (maxRate > ONE) throw new TxError(STAKING.COMMISSION_HUGE);
  if (rate < 0n) throw new TxError(STAKING.COMMISSION_NEGATIVE);
  if (rate > maxRate) throw new TxError(STAKING.COMMISSION_ABOVE_MAX);
  if (maxChangeRate < 0n) throw new TxError(STAKING.CHANGE_RATE_NEGATIVE);
  if (maxChangeRate > maxRate) throw new TxError(STAKING.CHANGE_RATE_ABOVE_MAX);
  return { rate, maxRate, maxChangeRate };
}

/** Ed25519 alone: what consensus takes here, whatever a document's `pub_key_types` say. */
function readConsensusKey({ pubkey }: MsgCreateValidator): Uint8Array {
  const url = pubkey?.typeUrl ?? "";
  if (url !== `/${PubKeySchema.typeName}`) {
    const type = url.includes("multisig") ? "PubKeyMultisigThreshold" : "secp256k1";
    throw new TxError(STAKING.PUBKEY_TYPE, `got: ${type}, expected: [ed25519]`);
  }
  const { key } = fromBinary(PubKeySchema, pubkey?.value ?? new Uint8Array(0));
  if (key.length === KEY_BYTES) return key;
  throw new TxError(SDK.INVALID_PUBKEY, `invalid ed25519 key size; expected ${KEY_BYTES}, got ${key.length}`);
}

/** @throws TxError sdk 18 */
export function requireBondDenom({ constants }: ModuleContext, denom: string): void {
  if (denom === constants.bondDenom) return;
  const what = `invalid coin denomination: got ${denom}, expected ${constants.bondDenom}`;
  throw new TxError(SDK.INVALID_REQUEST, what);
}

function checkLengths(description: Description): void {
  for (const field of DESCRIPTION_FIELDS) {
    const [name, max] = DESCRIPTION_MAX[field];
    const { length } = utf8(description[field]);
    if (length > max) throw new TxError(SDK.INVALID_REQUEST, `invalid ${name} length; got: ${length}, max: ${max}`);
  }
}
