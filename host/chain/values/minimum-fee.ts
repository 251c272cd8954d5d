/**
 * The least fee for which a node takes a transaction into its mempool: gas prices times the gas limit, rounded up, in one
 * of the denominations. It is the operator's setting and no rule of the chain: blocks of others may hold cheaper ones.
 */

import { UpgradeError } from "../../base/errors/errors.js";
import type { Fee } from "../../base/gen/cosmos/tx/v1beta1/tx_pb.js";
import { compareText } from "../../base/text/bytes.js";
import { amountOf, formatCoins, isDenom } from "./coins.js";
import { type Decimal, formatDecimal, ONE, readDecimal } from "./decimal.js";
import { readMessageCoins } from "./message-coins.js";
import { SDK, TxError } from "./tx-error.js";

export interface GasPrice {
  readonly denom: string;
  readonly price: Decimal;
}

/**
 * `0.001stake,0.02uatom`; the empty text: none, so all fees are taken.
 *
 * @throws UpgradeError UPG_INVALID_ARGUMENT for anything else, a denomination twice included
 */
export function parseGasPrices(text: string): GasPrice[] {
  if (text.trim() === "") return [];
  const prices = text.split(",").map((part) => {
    const match = /^([0-9]+(?:\.[0-9]+)?)\s*([a-zA-Z].*)$/.exec(part.trim());
    const [, amount = "", denom = ""] = match ?? [];
    const price = readDecimal(amount);
    if (price === undefined || !isDenom(denom))
      throw new UpgradeError("UPG_INVALID_ARGUMENT", `"${part.slice(0, 60)}" is no gas price such as 0.001stake`);
    return { denom, price };
  });
  prices.sort((a, b) => compareText(a.denom, b.denom));
  const twice = prices.find(({ denom }, index) => prices[index - 1]?.denom === denom);
  if (twice) throw new UpgradeError("UPG_INVALID_ARGUMENT", `the gas price of ${twice.denom} is given twice`);
  return prices;
}

/** As the Cosmos SDK prints them: all 18 places. */
export function formatGasPrices(prices: readonly GasPrice[]): string {
  return prices.map(({ denom, price }) => `${formatDecimal(price)}${denom}`).join(",");
}

/** @throws TxError sdk 13 when the fee is below all prices */
export function checkMinimumFee(prices: readonly GasPrice[], fee: Fee | undefined): void {
  const gas = fee?.gasLimit ?? 0n;
  // A transaction without gas is refused for that.
  if (gas === 0n || prices.every(({ price }) => price === 0n)) return;
  const { coins, text } = readMessageCoins(fee?.amount ?? []);
  const required = prices.map(({ denom, price }) => ({ denom, amount: roundUp(price * gas) }));
  if (required.some(({ denom, amount }) => amount === 0n || amountOf(coins, denom) >= amount)) return;
  throw new TxError(SDK.INSUFFICIENT_FEE, `insufficient fees; got: ${text} required: ${formatCoins(required)}`);
}

const roundUp = (value: Decimal): bigint => (value + ONE - 1n) / ONE;
