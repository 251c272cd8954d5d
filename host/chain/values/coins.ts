/** Amounts of coins: bigint by denomination, always positive, ascending by denomination when listed. */
import { create } from "@bufbuild/protobuf";
import { UpgradeError } from "../../base/errors/errors.js";
import { type Coin as CoinMessage, CoinSchema } from "../../base/gen/cosmos/base/v1beta1/coin_pb.js";

export interface Coin {
  readonly denom: string;
  readonly amount: bigint;
}

export type Coins = readonly Coin[];

const DENOM = /^[a-zA-Z][a-zA-Z0-9/:._-]{2,127}$/;
const AMOUNT = /^(0|[1-9][0-9]*)$/;
/** 256 bits, as the Cosmos SDK's integers. */
export const AMOUNT_MAX = 2n ** 256n - 1n;

function wrong(what: string): UpgradeError {
  return new UpgradeError("UPG_INVALID_ARGUMENT", what);
}

export function isDenom(text: string): boolean {
  return DENOM.test(text);
}

export function parseAmount(text: string): bigint {
  if (!AMOUNT.test(text)) throw wrong(`an amount is a decimal integer, got "${text.slice(0, 100)}"`);
  const amount = BigInt(text);
  if (amount > AMOUNT_MAX) throw wrong("an amount has at most 256 bits");
  return amount;
}

/** Sorted, denominations once each, zero amounts left out. @throws UpgradeError UPG_INVALID_ARGUMENT */
export function normalCoins(coins: Coins): Coin[] {
  const sums = new Map<string, bigint>();
  for (const { denom, amount } of coins) {
    if (!isDenom(denom)) throw wrong(`"${denom.slice(0, 100)}" is not a denomination`);
    if (amount < 0n) throw wrong(`an amount cannot be negative: ${amount}${denom}`);
    sums.set(denom, (sums.get(denom) ?? 0n) + amount);
  }
  return [...sums]
    .filter(([, amount]) => amount > 0n)
    .map(([denom, amount]) => ({ denom, amount }))
    .sort((a, b) => (a.denom < b.denom ? -1 : 1)); // denominations are ASCII: code units order them as bytes do
}

/** `1000stake,5uatom`; the empty text is no coins. @throws UpgradeError UPG_INVALID_ARGUMENT */
export function parseCoins(text: string): Coin[] {
  if (text.trim() === "") return [];
  const coins = text.split(",").map((part) => {
    const match = /^\s*([0-9]+)\s*([a-zA-Z][a-zA-Z0-9/:._-]{2,127})\s*$/.exec(part);
    if (!match) throw wrong(`invalid decimal coin expression: ${part.trim()}`);
    return { amount: parseAmount(match[1] as string), denom: match[2] as string };
  });
  return normalCoins(coins);
}

export function formatCoins(coins: Coins): string {
  return coins.map(({ amount, denom }) => `${amount}${denom}`).join(",");
}

export function addCoins(a: Coins, b: Coins): Coin[] {
  return normalCoins([...a, ...b]);
}

export function amountOf(coins: Coins, denom: string): bigint {
  return coins.find((coin) => coin.denom === denom)?.amount ?? 0n;
}

/** Undefined when `a` does not hold all of `b`. */
export function subtractCoins(a: Coins, b: Coins): Coin[] | undefined {
  const rest = new Map(a.map(({ denom, amount }) => [denom, amount]));
  for (const { denom, amount } of b) {
    const left = (rest.get(denom) ?? 0n) - amount;
    if (left < 0n) return undefined;
    rest.set(denom, left);
  }
  return normalCoins([...rest].map(([denom, amount]) => ({ denom, amount })));
}

export function coinsToMessages(coins: Coins): CoinMessage[] {
  return coins.map(({ denom, amount }) => create(CoinSchema, { denom, amount: amount.toString() }));
}

export function coinsFromMessages(messages: readonly { denom: string; amount: string }[]): Coin[] {
  return messages.map(({ denom, amount }) => ({ denom, amount: parseAmount(amount) }));
}
