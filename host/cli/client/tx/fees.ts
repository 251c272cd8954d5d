/** What a transaction pays. */

import { usage } from "../../../base/terminal/usage.js";
import { type Coin, normalCoins, parseCoins } from "../../../chain/values/coins.js";
import { ONE, readDecimal } from "../../../chain/values/decimal.js";

/** Fees as they were given, or prices times gas, rounded up. @throws UpgradeError UPG_INVALID_ARGUMENT */
export function feeFor(gasLimit: bigint, flags: { readonly fees: string; readonly gasPrices: string }): Coin[] {
  if (flags.fees !== "" && flags.gasPrices !== "") throw usage("cannot provide both fees and gas prices");
  if (flags.gasPrices === "") return parseCoins(flags.fees);
  const coins = flags.gasPrices.split(",").map((part) => {
    const [, price = "", denom = ""] = /^\s*([0-9.]+)\s*([a-zA-Z][a-zA-Z0-9/:._-]{2,127})\s*$/.exec(part) ?? [];
    const decimal = readDecimal(price);
    if (decimal === undefined) throw usage(`invalid decimal coin expression: ${part.trim()}`);
    return { denom, amount: (decimal * gasLimit + ONE - 1n) / ONE };
  });
  return normalCoins(coins);
}

/** Gas used times the factor, rounded up. */
export function adjustedGas(used: bigint, adjustment: number): bigint {
  const factor = BigInt(Math.round(adjustment * 1_000));
  return (used * factor + 999n) / 1_000n;
}
