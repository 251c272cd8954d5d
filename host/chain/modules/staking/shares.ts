/** Shares of a validator's tokens, by the Cosmos SDK's arithmetic: nobody gains by rounding but those who stay. */
import { type Decimal, divide, fromInteger, truncate } from "../../values/decimal.js";
import { STAKING, TxError } from "../../values/tx-error.js";

/** What is delegated to a validator. */
export interface Holding {
  /** Whole tokens. */
  readonly tokens: bigint;
  readonly shares: Decimal;
}

/** Shares for whole tokens, cut at the 18th place. @throws TxError staking 22 when there are no tokens to compare with */
export function sharesFromTokens({ tokens, shares }: Holding, amount: bigint): Decimal {
  if (tokens === 0n) throw new TxError(STAKING.INSUFFICIENT_SHARES);
  return (shares * amount) / tokens;
}

export function tokensFromShares({ tokens, shares }: Holding, part: Decimal): Decimal {
  return divide(part * tokens, shares);
}

/** Tokens come in; `issued` are the shares for them. @throws TxError staking 34: there are shares without tokens */
export function addTokens(holding: Holding, amount: bigint): Holding & { readonly issued: Decimal } {
  const { tokens, shares } = holding;
  if (tokens === 0n && shares > 0n) throw new TxError(STAKING.INVALID_RATE);
  const issued = shares === 0n ? fromInteger(amount) : sharesFromTokens(holding, amount);
  return { tokens: tokens + amount, shares: shares + issued, issued };
}

/** Shares go; `freed` are the whole tokens for them. The last shares take what is left. */
export function removeShares(holding: Holding, part: Decimal): Holding & { readonly freed: bigint } {
  const { tokens } = holding;
  const shares = holding.shares - part;
  const freed = shares === 0n ? tokens : truncate(tokensFromShares(holding, part));
  return { tokens: tokens - freed, shares, freed };
}
