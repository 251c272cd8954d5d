/** The staking part of a genesis document: validators and what is delegated to them. */
import { concatBytes } from "../bytes.js";
import { decodeAddress, OPERATOR_PREFIX } from "./address.js";
import { parseAmount } from "./coins.js";
import { listOnce } from "./genesis-list.js";
import type { JsonReader } from "./json-reader.js";

export interface GenesisValidator {
  readonly operator: Uint8Array;
  readonly consensusKey: Uint8Array;
  readonly moniker: string;
  readonly tokens: bigint;
  readonly shares: string;
  readonly jailed: boolean;
  /** The field's names: BOND_STATUS_BONDED and so on. */
  readonly status: string;
}

export interface GenesisDelegation {
  readonly delegator: Uint8Array;
  readonly operator: Uint8Array;
  readonly shares: string;
}

const STATUSES = new Set(["BOND_STATUS_UNBONDED", "BOND_STATUS_UNBONDING", "BOND_STATUS_BONDED"]);

const DECIMAL = /^[0-9]+(\.[0-9]{1,18})?$/;

function readDecimal(field: JsonReader): string {
  const text = field.text();
  if (!DECIMAL.test(text)) throw field.wrong(`expected a decimal with at most 18 places, got "${text}"`);
  return text;
}

export function readStaking(staking: JsonReader) {
  const stakingParams = staking.get("params");
  return {
    stakingParams,
    bondDenom: stakingParams.isSet ? stakingParams.get("bond_denom").text("stake") : "stake",
    validators: [...listOnce(staking.get("validators").items(), readValidator, ({ operator }) => operator)],
  };
}

function readValidator(validator: JsonReader): GenesisValidator {
  const key = validator.get("consensus_pubkey").get("key");
  const consensusKey = key.base64();
  if (consensusKey.length !== 32) throw key.wrong(`an ed25519 key has 32 bytes, got ${consensusKey.length}`);
  return {
    operator: validator.get("operator_address").parse((text) => decodeAddress(text, OPERATOR_PREFIX)),
    consensusKey,
    moniker: validator.get("description").get("moniker").text(""),
    tokens: validator.get("tokens").parse(parseAmount),
    shares: readDecimal(validator.get("delegator_shares")),
    jailed: validator.get("jailed").boolean(false),
    status: readStatus(validator.get("status")),
  };
}

function readStatus(field: JsonReader): string {
  const status = field.text("BOND_STATUS_BONDED");
  if (!STATUSES.has(status)) throw field.wrong(`expected one of ${[...STATUSES].join(", ")}, got "${status}"`);
  return status;
}

export function readDelegation(delegation: JsonReader): GenesisDelegation {
  return {
    delegator: delegation.get("delegator_address").parse(decodeAddress),
    operator: delegation.get("validator_address").parse((text) => decodeAddress(text, OPERATOR_PREFIX)),
    shares: readDecimal(delegation.get("shares")),
  };
}

export const keyOfDelegation = ({ delegator, operator }: GenesisDelegation) => concatBytes(delegator, operator);
