/** Coins as they are in messages: what a client wrote is judged by the Cosmos SDK's rules and shown as it was written. */
import { compareText } from "../../base/text/bytes.js";
import { type Coin, isDenom } from "./coins.js";

export interface MessageCoins {
  /** As written: order, repetitions and signs included. */
  readonly coins: readonly Coin[];
  /** As the Cosmos SDK prints them: `1atom,2stake`; nothing for none. */
  readonly text: string;
  /** Ascending by denomination, each once and well-formed, amounts positive; no coins are fine. */
  readonly isValid: boolean;
  readonly isAnyNegative: boolean;
}

/** Amounts were found to be integers when the bytes were checked; one that is left out counts as zero. */
export function readMessageCoins(messages: readonly { denom: string; amount: string }[]): MessageCoins {
  const coins = messages.map(({ denom, amount }) => ({ denom, amount: amount === "" ? 0n : BigInt(amount) }));
  const isValid = coins.every(({ denom, amount }, index) => {
    const before = coins[index - 1];
    return isDenom(denom) && amount > 0n && (!before || compareText(before.denom, denom) < 0);
  });
  return {
    coins,
    text: coins.map(({ denom, amount }) => `${amount}${denom}`).join(","),
    isValid,
    isAnyNegative: coins.some(({ amount }) => amount < 0n),
  };
}
