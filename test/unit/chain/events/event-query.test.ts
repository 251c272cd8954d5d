/** Searches by events. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { isUpgradeError } from "../../../../host/base/errors/errors.js";
import { eventValues, searchMatcher, subscriptionMatcher } from "../../../../host/chain/events/event-query.js";
import { parseEventQuery } from "../../../../host/chain/events/event-query-text.js";

const values = eventValues([
  {
    type: "message",
    attributes: [
      { key: "sender", value: "a" },
      { key: "sender", value: "b" },
    ],
  },
  { type: "tx", attributes: [{ key: "height", value: "10" }] },
]);

describe("parseEventQuery()", () => {
  test.each([
    ["tx.height=5", [{ key: "tx.height", operator: "=", type: "number", value: "5" }]],
    ["tx.hash='AB'", [{ key: "tx.hash", operator: "=", type: "text", value: "AB" }]],
    ['a.b="x y"', [{ key: "a.b", operator: "=", type: "text", value: "x y" }]],
    ['a.b="it\'s \\"x\\""', [{ key: "a.b", operator: "=", type: "text", value: 'it\'s "x"' }]],
    ["a.b='x\\y'", [{ key: "a.b", operator: "=", type: "text", value: "x\\y" }]],
    ["a.b<3.50", [{ key: "a.b", operator: "<", type: "number", value: "3.50" }]],
    ["a.b>DATE 2026-01-31", [{ key: "a.b", operator: ">", type: "date", value: "2026-01-31" }]],
    ["a.b=TIME 2026-01-31T01:02:03Z", [{ key: "a.b", operator: "=", type: "time", value: "2026-01-31T01:02:03Z" }]],
    [
      " a.b >= 3  AND c.d EXISTS ",
      [
        { key: "a.b", operator: ">=", type: "number", value: "3" },
        { key: "c.d", operator: "EXISTS", type: "none", value: "" },
      ],
    ],
    ["a.b CONTAINS 'x AND y'", [{ key: "a.b", operator: "CONTAINS", type: "text", value: "x AND y" }]],
    ["a.b=''", [{ key: "a.b", operator: "=", type: "text", value: "" }]],
  ])("%s → its conditions", (query, conditions) => {
    expect(parseEventQuery(query)).toEqual(conditions);
  });

  test.each([
    "",
    " ",
    "a.b",
    "a.b=",
    "='x'",
    "a.b='x",
    "a.b='x' OR c='y'",
    "a.b='x'c='y'",
    "a.b='x' AND",
    "AND a.b=1",
    "a.b>>0",
    "a.b==1",
    "a.b=<1",
    "a.b='it\\'s'",
    "a.b>'a'",
    "a.b=x",
    "a.b<1e3",
    "a.b>0x1",
    "a.b>3abc",
    "a.b>=0&page=5",
    "a.b>-1",
    "a.b!=1",
    "a/b=1",
    "a.b=DATE 2026-02-30",
    "a.b=TIME 3000-01-01T00:00:00Z",
  ])("%j → refused", (query) => {
    expect(() => parseEventQuery(query)).toThrow(/failed to parse query/);
  });

  test("16 conditions and 8,192 characters at most", () => {
    const many = (count: number) => Array.from({ length: count }, () => "a.b=1").join(" AND ");
    expect(parseEventQuery(many(16)).length).toBe(16);
    expect(() => parseEventQuery(many(17))).toThrow(/more than 16/);
    expect(parseEventQuery(`a.b='${"x".repeat(8_192 - 6)}'`).length).toBe(1);
    expect(() => parseEventQuery(`a.b='${"x".repeat(8_192 - 5)}'`)).toThrow(/longer/);
  });

  test("a number of 512 digits → taken; of 513 → refused with the limit", () => {
    expect(parseEventQuery(`a.b>${"9".repeat(512)}`).length).toBe(1);
    expect(() => parseEventQuery(`a.b>${"9".repeat(513)}`)).toThrow(/more than 512 digits/);
    expect(() => parseEventQuery(`a.b>0.${"9".repeat(8_000)}`)).toThrow(/more than 512 digits/);
  });

  test("any text → conditions or a refusal, at once", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 300 }), (query) => {
        try {
          expect(parseEventQuery(query).length).toBeGreaterThan(0);
        } catch (error) {
          expect(isUpgradeError(error) && error.code).toBe("UPG_INVALID_ARGUMENT");
        }
      }),
    );
  });
});

describe("searchMatcher() and subscriptionMatcher()", () => {
  test.each([
    ["message.sender='a'", true, true],
    ["message.sender='b' AND tx.height=10", true, true],
    ["message.sender='c'", false, false],
    ["tx.height=010", false, true],
    ["tx.height>9 AND tx.height<=10", true, true],
    ["tx.height>9.5 AND tx.height<10.5", true, true],
    ["tx.height<10", false, false],
    ["message.sender>0", false, false],
    ["message.sender EXISTS", true, true],
    ["message.nobody EXISTS", false, false],
    ["message EXISTS", false, true],
    ["message='a'", false, false],
    ["mess EXISTS", false, false],
    ["message.sender CONTAINS ''", true, true],
    ["tx.height CONTAINS '0'", true, true],
  ])("%s → %s in a search, %s in a subscription", (query, isFound, isSent) => {
    const conditions = parseEventQuery(query);
    expect([searchMatcher(conditions)(values), subscriptionMatcher(conditions)(values)]).toEqual([isFound, isSent]);
  });

  const parts = fc.record({
    whole: fc.oneof(fc.nat(30).map(String), fc.bigInt({ min: 0n, max: 10n ** 60n }).map(String)),
    zeros: fc.nat(3),
    fraction: fc.oneof(fc.constant(""), fc.nat(50).map(String), fc.stringMatching(/^[0-9]{0,60}$/)),
  });
  const textOf = ({ whole, zeros, fraction }: { whole: string; zeros: number; fraction: string }) =>
    `${"0".repeat(zeros)}${whole}${fraction === "" ? "" : `.${fraction}`}`;
  const scaled = (text: string) => {
    const [whole = "", fraction = ""] = text.split(".");
    return BigInt(whole + fraction.padEnd(60, "0"));
  };

  test("decimals of any size → the order of the same numbers as scaled integers", () => {
    fc.assert(
      fc.property(parts.map(textOf), parts.map(textOf), (value, wanted) => {
        const has = eventValues([{ type: "a", attributes: [{ key: "b", value }] }]);
        const [a, b] = [scaled(value), scaled(wanted)];
        const orders = { "<": a < b, "<=": a <= b, ">": a > b, ">=": a >= b };
        for (const [sign, isSo] of Object.entries(orders)) {
          const conditions = parseEventQuery(`a.b${sign}${wanted}`);
          expect([searchMatcher(conditions)(has), subscriptionMatcher(conditions)(has)]).toEqual([isSo, isSo]);
        }
        expect(subscriptionMatcher(parseEventQuery(`a.b=${wanted}`))(has)).toBe(a === b);
      }),
    );
  });

  test.each([
    ["a million digits", "9".repeat(1_000_000), true],
    ["a million zeros between two digits", `1${"0".repeat(1_000_000)}1`, true],
    ["a million zeros after the point", `0.${"0".repeat(1_000_000)}1`, false],
    ["a great exponent", "1e999999999", true],
    ["a great exponent below zero", "-1e999999999", false],
    ["a small exponent", "1e-999999999", false],
    ["an exponent that no number has", `1e${"9".repeat(40)}`, false],
    ["a million digits and a letter", `${"9".repeat(1_000_000)}x`, false],
  ])("a value of %s → compared at once", (_what, value, isAbove) => {
    const has = eventValues([{ type: "a", attributes: [{ key: "b", value }] }]);
    const begun = performance.now();
    expect(searchMatcher(parseEventQuery(`a.b>5 AND a.b>${"9".repeat(500)}`))(has)).toBe(isAbove);
    expect(performance.now() - begun).toBeLessThan(1_000);
  });
});
