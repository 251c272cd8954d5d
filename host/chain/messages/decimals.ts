/**
 * Decimals of the Cosmos SDK's older messages: on the wire a whole number of 10^-18, in JSON a number with 18 places. The
 * proto calls both a string (or bytes, the digits in ASCII), so the fields are listed.
 */
import { decodeLossy } from "../../base/text/text.js";

const PLACES = 18;

const DECIMAL_FIELDS: ReadonlySet<string> = new Set([
  "cosmos.gov.v1beta1.TallyParams.quorum",
  "cosmos.gov.v1beta1.TallyParams.threshold",
  "cosmos.gov.v1beta1.TallyParams.veto_threshold",
  "cosmos.gov.v1beta1.WeightedVoteOption.weight",
  "cosmos.staking.v1beta1.CommissionRates.rate",
  "cosmos.staking.v1beta1.CommissionRates.max_rate",
  "cosmos.staking.v1beta1.CommissionRates.max_change_rate",
  "cosmos.staking.v1beta1.Delegation.shares",
  "cosmos.staking.v1beta1.Params.min_commission_rate",
  "cosmos.staking.v1beta1.Validator.delegator_shares",
]);

export function isDecimal(message: string, field: string): boolean {
  return DECIMAL_FIELDS.has(`${message}.${field}`);
}

export function decimalText(atomics: string | Uint8Array): string {
  const text = typeof atomics === "string" ? atomics : decodeLossy(atomics);
  const digits = text.padStart(PLACES + 1, "0");
  return `${digits.slice(0, -PLACES)}.${digits.slice(-PLACES)}`;
}
