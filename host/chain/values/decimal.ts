/**
 * Decimals with 18 places, as governance counts with them. A decimal is a bigint: its value times 10^18. Products and
 * quotients are rounded half to even at the 18th place; a quotient is cut at the 36th place first, as the Cosmos SDK does.
 */
import { UpgradeError } from "../../base/errors/errors.js";

export type Decimal = bigint;

const PLACES = 18;
export const ONE: Decimal = 10n ** BigInt(PLACES);
const HALF = ONE / 2n;

const DECIMAL = /^(-?)([0-9]+)(?:\.([0-9]{1,18}))?$/;

/** `0.334`, `12`, `-1.5`: at most 18 places; a digit before the point. Undefined when it is anything else. */
export function readDecimal(text: string): Decimal | undefined {
  const match = DECIMAL.exec(text);
  if (!match) return undefined;
  const [, sign, whole = "", places = ""] = match;
  const value = BigInt(whole + places.padEnd(PLACES, "0"));
  return sign === "-" ? -value : value;
}

/** @throws UpgradeError UPG_INVALID_ARGUMENT */
export function parseDecimal(text: string): Decimal {
  const value = readDecimal(text);
  if (value === undefined) {
    throw new UpgradeError(
      "UPG_INVALID_ARGUMENT",
      `expected a decimal with at most 18 places, got "${text.slice(0, 60)}"`,
    );
  }
  return value;
}

/** With all 18 places. */
export function formatDecimal(value: Decimal): string {
  const digits = (value < 0n ? -value : value).toString().padStart(PLACES + 1, "0");
  return `${value < 0n ? "-" : ""}${digits.slice(0, -PLACES)}.${digits.slice(-PLACES)}`;
}

export function fromInteger(value: bigint): Decimal {
  return value * ONE;
}

export function multiply(a: Decimal, b: Decimal): Decimal {
  return dropPlaces(a * b);
}

/** `b` is not zero. */
export function divide(a: Decimal, b: Decimal): Decimal {
  return dropPlaces((a * ONE * ONE) / b);
}

/** The whole part, towards zero. */
export function truncate(value: Decimal): bigint {
  return value / ONE;
}

/** The nearest integer, halves to the even one. */
export function round(value: Decimal): bigint {
  return dropPlaces(value);
}

/** Divides by 10^18, halves to the even neighbour. */
function dropPlaces(value: bigint): bigint {
  if (value < 0n) return -dropPlaces(-value);
  const whole = value / ONE;
  const rest = value % ONE;
  if (rest < HALF || (rest === HALF && whole % 2n === 0n)) return whole;
  return whole + 1n;
}
