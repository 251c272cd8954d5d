/** What module bank holds to be always true of its own store: the supply is what all balances sum up to. */
import { toHex } from "../../bytes.js";
import type { Invariant, ReadableStores } from "../../chain/module.js";
import { decodeText } from "../../text.js";
import { parseAmount } from "../../values/coins.js";
import { BANK_STORE, balanceRange, storeBank } from "./bank.js";

/** Amounts of so many digits are added up as numbers, which is exact until the sum passes 2^53. */
const NUMBER_DIGITS = 15;

/** Checked in the block of an upgrade; in version 1 the supply is the sum by definition. */
export const soundSupply: Invariant = {
  name: "supply",
  check(stores: ReadableStores): string | undefined {
    const sums = new Map<string, Sum>();
    for (const [key, value] of stores.store(BANK_STORE).iterate(balanceRange())) {
      const denomAt = 2 + (key[1] ?? 0);
      const denom = decodeText(key.subarray(denomAt));
      const sum = sums.get(denom) ?? new Sum();
      if (!sum.hasAdded(decodeText(value))) return `the balance under ${toHex(key)} is no amount`;
      sums.set(denom, sum);
    }
    const supply = new Map(storeBank.supply(stores).map(({ denom, amount }) => [denom, amount]));
    for (const denom of new Set([...sums.keys(), ...supply.keys()])) {
      const [held, said] = [sums.get(denom)?.total ?? 0n, supply.get(denom) ?? 0n];
      if (held !== said) return `accounts hold ${held}${denom}, and the supply is ${said}${denom}`;
    }
    return undefined;
  },
};

class Sum {
  #large = 0n;
  #small = 0;

  /** False: it is no amount. */
  hasAdded(text: string): boolean {
    if (text.length > NUMBER_DIGITS || !/^[1-9][0-9]*$/.test(text)) return this.#hasAddedLarge(text);
    this.#small += Number(text);
    if (this.#small > Number.MAX_SAFE_INTEGER / 2) this.#flush();
    return true;
  }

  get total(): bigint {
    this.#flush();
    return this.#large;
  }

  #hasAddedLarge(text: string): boolean {
    try {
      this.#large += parseAmount(text);
      return true;
    } catch {
      return false;
    }
  }

  #flush(): void {
    this.#large += BigInt(this.#small);
    this.#small = 0;
  }
}
