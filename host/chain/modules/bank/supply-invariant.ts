/** What module bank holds to be always true of its own store: the supply is what all balances sum up to. */

import { rethrowEngineLimit } from "../../../base/errors/engine-limit.js";
import { isUpgradeError } from "../../../base/errors/errors.js";
import { equalBytes, toHex } from "../../../base/text/bytes.js";
import { decodeText } from "../../../base/text/text.js";
import type { Invariant, ReadableStores } from "../../app/module.js";
import { isDenom, parseAmount } from "../../values/coins.js";
import { BANK_STORE, balanceRange, supplyRange } from "./bank.js";

/** Amounts of so many digits are added up as numbers, which is exact until the sum passes 2^53. */
const NUMBER_DIGITS = 15;
/** Of 256 bits. */
const AMOUNT_DIGITS_MAX = 78;
const DIGIT_0 = 0x30;

/**
 * Checked in the block of an upgrade; in version 1 the supply is the sum by definition. One walk over the balances, of which it
 * keeps one sum for each denomination. Entries that are no coins are what is wrong, as a sum that differs is.
 */
export const soundSupply: Invariant = {
  name: "supply",
  check(stores: ReadableStores): string | undefined {
    const store = stores.store(BANK_STORE);
    const sums = new Sums();
    for (const [key, value] of store.iterate(balanceRange())) {
      if ((key[1] ?? 0) === 0) return noCoin("balance", key);
      const sum = sums.of(key.subarray(2 + (key[1] ?? 0)));
      if (!sum?.hasAdded(value)) return noCoin("balance", key);
    }
    for (const [key, value] of store.iterate(supplyRange())) {
      const [sum, said] = [sums.of(key.subarray(1)), amountOf(value)];
      if (!sum || said === undefined) return noCoin("supply", key);
      if (sum.total !== said) return differ(sum, said);
      sum.isSaid = true;
    }
    const unsaid = sums.all.find(({ isSaid, total }) => !isSaid && total !== 0n);
    return unsaid && differ(unsaid, 0n);
  },
};

const noCoin = (what: string, key: Uint8Array) => `the record of a ${what} under ${toHex(key)} is no coin`;

const differ = ({ denom, total }: Sum, said: bigint) =>
  `accounts hold ${total}${denom}, and the supply is ${said}${denom}`;

/** One for each denomination; most balances after one another are of the same few. */
class Sums {
  readonly #sums = new Map<string, Sum>();
  #last: { readonly bytes: Uint8Array; readonly sum: Sum } | undefined;

  get all(): Sum[] {
    return [...this.#sums.values()];
  }

  /** Undefined: it is no denomination. */
  of(bytes: Uint8Array): Sum | undefined {
    if (this.#last && equalBytes(this.#last.bytes, bytes)) return this.#last.sum;
    const denom = textOf(bytes);
    if (denom === undefined || !isDenom(denom)) return undefined;
    const sum = this.#sums.get(denom) ?? new Sum(denom);
    this.#sums.set(denom, sum);
    this.#last = { bytes: bytes.slice(), sum };
    return sum;
  }
}

class Sum {
  isSaid = false;
  #large = 0n;
  #small = 0;

  constructor(readonly denom: string) {}

  /** False: it is no amount. */
  hasAdded(value: Uint8Array): boolean {
    const small = smallAmount(value);
    if (small === undefined) {
      const amount = amountOf(value);
      this.#large += amount ?? 0n;
      return amount !== undefined;
    }
    this.#small += small;
    if (this.#small > Number.MAX_SAFE_INTEGER / 2) this.#flush();
    return true;
  }

  get total(): bigint {
    this.#flush();
    return this.#large;
  }

  #flush(): void {
    this.#large += BigInt(this.#small);
    this.#small = 0;
  }
}

/** Undefined: it has more digits, or none, or a zero first. */
function smallAmount(value: Uint8Array): number | undefined {
  if (value.length > NUMBER_DIGITS || (value[0] ?? DIGIT_0) === DIGIT_0) return undefined;
  let amount = 0;
  for (const byte of value) {
    const digit = byte - DIGIT_0;
    if (digit < 0 || digit > 9) return undefined;
    amount = amount * 10 + digit;
  }
  return amount;
}

/** Undefined: it is none. */
function amountOf(value: Uint8Array): bigint | undefined {
  const text = value.length > AMOUNT_DIGITS_MAX ? undefined : textOf(value);
  try {
    return text === undefined ? undefined : parseAmount(text);
  } catch (error) {
    if (!isUpgradeError(error)) throw error;
    return undefined;
  }
}

function textOf(bytes: Uint8Array): string | undefined {
  try {
    return decodeText(bytes);
  } catch (error) {
    rethrowEngineLimit(error);
    return undefined;
  }
}
