/**
 * `app_state.staking.params`: constants of a chain, from its genesis document. What the document leaves out has the Cosmos
 * SDK's default.
 */
import { readDecimal } from "../../values/decimal.js";
import type { JsonReader } from "../../values/json-reader.js";

const UNBONDING_SECONDS_DEFAULT = 1_814_400n;
const NANOS_PER_SECOND = 1_000_000_000n;
const MAX_VALIDATORS_DEFAULT = 100n;
const MAX_ENTRIES_DEFAULT = 7n;
const HISTORICAL_ENTRIES_DEFAULT = 10_000n;
/** The most that the Cosmos SDK's type of these parameters counts. */
const UINT32_MAX = 4_294_967_295n;

/** What a document's parameters may have. A chain that has begun keeps what its document had. */
export const STAKING_PARAMS =
  "unbonding_time max_validators max_entries historical_entries bond_denom min_commission_rate".split(" ");

/** As a `cosmos.staking.v1beta1.Params`, but for the denomination. */
export interface StakingParams {
  readonly unbondingTime: { readonly seconds: bigint; readonly nanos: number };
  /** The most validators that have power in consensus. */
  readonly maxValidators: number;
  readonly maxEntries: number;
  readonly historicalEntries: number;
  /** A decimal, times 10^18. */
  readonly minCommissionRate: string;
}

/** @throws UpgradeError UPG_INVALID_GENESIS */
export function readStakingParams(params: JsonReader): StakingParams {
  return {
    unbondingTime: readUnbondingTime(params.get("unbonding_time")),
    maxValidators: count(params.get("max_validators"), 1n, MAX_VALIDATORS_DEFAULT),
    maxEntries: count(params.get("max_entries"), 1n, MAX_ENTRIES_DEFAULT),
    historicalEntries: count(params.get("historical_entries"), 0n, HISTORICAL_ENTRIES_DEFAULT),
    minCommissionRate: readRate(params.get("min_commission_rate")),
  };
}

function count(field: JsonReader, least: bigint, fallback: bigint): number {
  const value = field.integer(fallback);
  if (value < least || value > UINT32_MAX) throw field.wrong(`must be from ${least} to ${UINT32_MAX}`);
  return Number(value);
}

/** `1814400s`, with up to 9 places; older documents have nanoseconds. */
function readUnbondingTime(field: JsonReader): StakingParams["unbondingTime"] {
  if (!field.isSet) return { seconds: UNBONDING_SECONDS_DEFAULT, nanos: 0 };
  const text = field.text();
  const [, whole, places = "", alone] = /^(?:([0-9]{1,12})(?:\.([0-9]{1,9}))?s|([0-9]{1,19}))$/.exec(text) ?? [];
  const nanos =
    alone === undefined ? whole && BigInt(whole) * NANOS_PER_SECOND + BigInt(places.padEnd(9, "0")) : BigInt(alone);
  if (typeof nanos !== "bigint" || nanos === 0n) throw field.wrong(`expected a duration, as 1814400s, got "${text}"`);
  return { seconds: nanos / NANOS_PER_SECOND, nanos: Number(nanos % NANOS_PER_SECOND) };
}

function readRate(field: JsonReader): string {
  const text = field.text("0");
  const rate = readDecimal(text);
  if (rate === undefined || rate < 0n) throw field.wrong(`expected a decimal with at most 18 places, got "${text}"`);
  return String(rate);
}
