/** Searches by events. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { isUpgradeError } from "../../host/errors.js";
import { eventValues, matchesAll, parseEventQuery } from "../../host/event-query.js";

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

const fits = (query: string) => matchesAll(parseEventQuery(query), values);

describe("parseEventQuery()", () => {
  test.each([
    ["tx.height=5", [{ key: "tx.height", operator: "=", value: "5" }]],
    ["tx.hash='AB'", [{ key: "tx.hash", operator: "=", value: "AB" }]],
    ['a.b="x y"', [{ key: "a.b", operator: "=", value: "x y" }]],
    ["a.b='it\\'s'", [{ key: "a.b", operator: "=", value: "it's" }]],
    [
      " a.b >= 3  AND c.d EXISTS ",
      [
        { key: "a.b", operator: ">=", value: "3" },
        { key: "c.d", operator: "EXISTS", value: "" },
      ],
    ],
    ["a.b CONTAINS 'x AND y'", [{ key: "a.b", operator: "CONTAINS", value: "x AND y" }]],
    ["a.b=''", [{ key: "a.b", operator: "=", value: "" }]],
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

describe("matchesAll()", () => {
  test.each([
    ["message.sender='a'", true],
    ["message.sender='b' AND tx.height=10", true],
    ["message.sender='c'", false],
    ["tx.height=010", true],
    ["tx.height>9 AND tx.height<=10", true],
    ["tx.height<10", false],
    ["message.sender>'a'", false],
    ["message.sender EXISTS", true],
    ["message.nobody EXISTS", false],
    ["message.sender CONTAINS ''", true],
    ["tx.height CONTAINS '0'", true],
  ])("%s → %s", (query, expected) => {
    expect(fits(query)).toBe(expected);
  });
});
