/** Coins in genesis documents. */
import { messageOf } from "../../base/errors/errors.js";
import { type Coin, normalCoins, parseAmount } from "./coins.js";
import type { JsonReader } from "./json-reader.js";

/** Sorted, each denomination once, none of zero. @throws UpgradeError UPG_INVALID_GENESIS */
export function readCoins(field: JsonReader): Coin[] {
  const coins = field.items().map((coin) => ({
    denom: coin.only("denom", "amount").get("denom").text(),
    amount: coin.get("amount").parse(parseAmount),
  }));
  try {
    return normalCoins(coins);
  } catch (cause) {
    throw field.wrong(messageOf(cause));
  }
}
