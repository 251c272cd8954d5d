/** The supply is the sum of all balances, whatever is in the store; a record that is no coin is what is wrong, and nothing is thrown. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { concatBytes, utf8 } from "../../../../host/base/text/bytes.js";
import { soundSupply } from "../../../../host/chain/modules/bank/supply-invariant.js";
import { AMOUNT_MAX } from "../../../../host/chain/values/coins.js";
import { MemoryKVStore } from "../../../../host/state/branch/kv/memory-kv.js";

type Pair = readonly [key: Uint8Array, value: Uint8Array];

function check(...pairs: readonly Pair[]): string | undefined {
  const store = new MemoryKVStore();
  for (const [key, value] of pairs) store.set(key, value);
  return soundSupply.check({ names: ["bank"], store: () => store });
}

const balance = (holder: number, denom: string | Uint8Array, amount: string): Pair => [
  concatBytes(Uint8Array.of(2, 2, holder >> 8, holder & 255), typeof denom === "string" ? utf8(denom) : denom),
  utf8(amount),
];
const supply = (denom: string | Uint8Array, amount: string): Pair => [
  concatBytes(Uint8Array.of(0), typeof denom === "string" ? utf8(denom) : denom),
  utf8(amount),
];

const amounts = fc.oneof(fc.bigInt(1n, 1_000n), fc.bigInt(2n ** 48n, 2n ** 60n), fc.bigInt(2n ** 180n, 2n ** 200n));

describe("soundSupply", () => {
  test("any balances with their sums → holds; a unit more or less of any → both numbers", () => {
    const held = fc.array(fc.tuple(fc.constantFrom("a/b", "ustake", "ugold"), amounts), {
      minLength: 1,
      maxLength: 60,
    });
    fc.assert(
      fc.property(held, fc.nat(), fc.constantFrom(1n, -1n), (balances, at, change) => {
        const sums = new Map<string, bigint>();
        for (const [denom, amount] of balances) sums.set(denom, (sums.get(denom) ?? 0n) + amount);
        const pairs = balances.map(([denom, amount], holder) => balance(holder, denom, String(amount)));
        const said = [...sums];
        expect(check(...pairs, ...said.map(([denom, sum]) => supply(denom, String(sum))))).toBeUndefined();
        const [denom, sum] = said[at % said.length] ?? ["", 0n];
        sums.set(denom, sum + change);
        expect(check(...pairs, ...[...sums].map(([each, amount]) => supply(each, String(amount))))).toBe(
          `accounts hold ${sum}${denom}, and the supply is ${sum + change}${denom}`,
        );
      }),
      { numRuns: 100 },
    );
  });

  test("nothing, zeros, the greatest amount → holds", () => {
    expect(check()).toBeUndefined();
    expect(check(balance(1, "ustake", "0"), supply("ugold", "0"))).toBeUndefined();
    expect(check(balance(1, "ustake", String(AMOUNT_MAX)), supply("ustake", String(AMOUNT_MAX)))).toBeUndefined();
  });

  test.each<[string, Pair[], string]>([
    ["a supply of nobody's coins", [supply("ustake", "7")], "accounts hold 0ustake, and the supply is 7ustake"],
    ["coins without a supply", [balance(1, "ustake", "7")], "accounts hold 7ustake, and the supply is 0ustake"],
    [
      "a balance of letters",
      [balance(1, "ustake", "seven")],
      "the record of a balance under 02020001757374616b65 is no coin",
    ],
    ["an empty balance", [balance(1, "ustake", "")], "is no coin"],
    ["a zero in front", [balance(1, "ustake", "07"), supply("ustake", "7")], "is no coin"],
    ["a million digits", [balance(1, "ustake", "9".repeat(1_000_000))], "is no coin"],
    ["more than 256 bits", [balance(1, "ustake", String(AMOUNT_MAX + 1n))], "is no coin"],
    ["a denomination that is no text", [balance(1, Uint8Array.of(0xff, 0xfe), "7")], "is no coin"],
    ["a key without a holder", [[Uint8Array.of(2), utf8("7")]], "the record of a balance under 02 is no coin"],
    ["a balance of nobody", [[Uint8Array.of(2, 0, 97, 98, 99), utf8("7")]], "is no coin"],
    ["a supply of letters", [supply("ustake", "many")], "the record of a supply under 00757374616b65 is no coin"],
    ["a supply of no text", [supply(Uint8Array.of(0xc0), "7")], "is no coin"],
  ])("%s → what is wrong", (_, pairs, words) => {
    expect(check(...pairs)).toContain(words);
  });
});
