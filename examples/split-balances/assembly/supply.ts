// Sums by denomination, in 128 bits. A chain has few denominations, so a list is searched from its front.
import { Amount, Bytes, fail, Writer } from "chain-upgrade/handler";

export class Sum {
  readonly denom: Writer;
  readonly total: Amount = new Amount();

  constructor(denom: Bytes) {
    this.denom = new Writer(denom.length).bytes(denom);
  }
}

export const sums: Sum[] = [];
const amount = new Amount();

function sumOf(denom: Bytes): Sum {
  for (let i = 0; i < sums.length; i++) if (sums[i].denom.equals(denom)) return sums[i];
  const added = new Sum(denom);
  sums.push(added);
  return added;
}

function parse(text: Bytes): void {
  if (!amount.tryParse(text)) fail(2, "an amount is not a decimal number of at most 128 bits");
}

export function add(denom: Bytes, text: Bytes): void {
  parse(text);
  if (!sumOf(denom).total.tryAdd(amount)) fail(3, "a supply has more than 128 bits");
}

/** Takes an amount off its sum; false when the sum does not hold it. */
export function take(denom: Bytes, text: Bytes): bool {
  parse(text);
  return sumOf(denom).total.trySub(amount);
}

export function isNothingLeft(): bool {
  for (let i = 0; i < sums.length; i++) if (!sums[i].total.isZero) return false;
  return true;
}
