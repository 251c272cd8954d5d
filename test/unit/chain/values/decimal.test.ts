/** Decimals of 18 places: read, written, multiplied and divided with halves to even. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  divide,
  formatDecimal,
  fromInteger,
  multiply,
  ONE,
  parseDecimal,
  readDecimal,
  round,
  truncate,
} from "../../../../host/chain/values/decimal.js";
import { failureOf } from "../../../scenario/chain.js";

describe("readDecimal()", () => {
  for (const [text, value] of [
    ["0", 0n],
    ["1", ONE],
    ["0.334000000000000000", 334_000_000_000_000_000n],
    ["-1.5", (-3n * ONE) / 2n],
    ["000.1", ONE / 10n],
    ["0.000000000000000001", 1n],
  ] as const) {
    test(`${text} → ${value}`, () => expect(readDecimal(text)).toBe(value));
  }

  for (const text of ["", ".5", "5.", "1.0000000000000000001", "1e3", "+1", "--1", " 1", "1 ", "0x1", "1.2.3", "NaN"]) {
    test(`"${text}" → none`, () => {
      expect(readDecimal(text)).toBeUndefined();
      expect(failureOf(() => parseDecimal(text))).toMatchObject({ code: "UPG_INVALID_ARGUMENT" });
    });
  }
});

test("formatDecimal() and readDecimal() → each other's inverse, 18 places always", () => {
  fc.assert(
    fc.property(fc.bigInt({ min: -(10n ** 40n), max: 10n ** 40n }), (value) => {
      const text = formatDecimal(value);
      expect(text).toMatch(/^-?\d+\.\d{18}$/);
      expect(readDecimal(text)).toBe(value);
    }),
  );
});

test("multiply() → the nearest, halves to the even neighbour", () => {
  const half = ONE / 2n;
  expect([1n, 2n, 3n, 5n, -1n, -3n].map((value) => multiply(value, half))).toEqual([0n, 1n, 2n, 2n, 0n, -2n]);
  expect(multiply(3n * ONE, 4n * ONE)).toBe(12n * ONE);
});

test("divide() → the nearest to 18 places", () => {
  expect(formatDecimal(divide(fromInteger(1n), fromInteger(3n)))).toBe("0.333333333333333333");
  expect(formatDecimal(divide(fromInteger(2n), fromInteger(3n)))).toBe("0.666666666666666667");
  expect(formatDecimal(divide(fromInteger(-2n), fromInteger(3n)))).toBe("-0.666666666666666667");
  expect(divide(1n, fromInteger(2n))).toBe(0n);
  expect(divide(3n, fromInteger(2n))).toBe(2n);
});

test("a quotient times its divisor → the dividend, up to the rounding of the last place", () => {
  const positive = fc.bigInt({ min: 1n, max: 10n ** 30n });
  fc.assert(
    fc.property(positive, positive, (a, b) => {
      const error = divide(a, b) * b - a * ONE;
      expect(2n * (error < 0n ? -error : error)).toBeLessThanOrEqual(b + 1n);
    }),
  );
});

test("truncate() towards zero, round() to the nearest, halves to even", () => {
  const texts = ["0.5", "1.5", "2.5", "-0.5", "-1.5", "2.499999999999999999"];
  expect(texts.map((text) => truncate(parseDecimal(text)))).toEqual([0n, 1n, 2n, 0n, -1n, 2n]);
  expect(texts.map((text) => round(parseDecimal(text)))).toEqual([0n, 2n, 2n, 0n, -2n, 2n]);
});
