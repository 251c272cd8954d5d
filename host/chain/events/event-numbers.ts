/**
 * Numbers in events and searches. They are compared by their digits, so any length is exact and costs no more than
 * reading it; a value of an event may be as long as a transaction.
 */

/** 0.`digits` times ten to the power `exponent`; no zeros at either end, and no digits at all for 0. */
export interface EventNumber {
  readonly isNegative: boolean;
  readonly digits: string;
  readonly exponent: number;
}

const WHOLE_TEXT = /^([+-]?)(?:([0-9]+)(?:\.([0-9]*))?|\.([0-9]+))(?:[eE]([+-]?[0-9]{1,9}))?$/;
const BEGINNING = /^([0-9]+)(?:\.([0-9]+))?/;
const HEIGHT = /^([0-9]+)(?:\.([0-9]*))?$/;
const ZERO = "0".charCodeAt(0);

/** The number that is the whole text: a sign, a fraction, an exponent may be part of it. */
export function readNumber(text: string): EventNumber | undefined {
  const match = WHOLE_TEXT.exec(text);
  if (!match) return undefined;
  const [, sign, whole = "", fraction = "", bare = "", exponent = "0"] = match;
  return numberOf(whole, fraction + bare, Number(exponent), sign === "-");
}

/** The number that the text begins with, without a sign: 6.5 of `6.5stake`. */
export function readLeadingNumber(text: string): EventNumber | undefined {
  const match = BEGINNING.exec(text);
  if (!match) return undefined;
  const [, whole = "", fraction = ""] = match;
  return numberOf(whole, fraction, 0, false);
}

function numberOf(whole: string, fraction: string, exponent: number, isNegative: boolean): EventNumber {
  const all = whole + fraction;
  let [start, end] = [0, all.length];
  while (start < end && all.charCodeAt(start) === ZERO) start++;
  while (end > start && all.charCodeAt(end - 1) === ZERO) end--;
  if (start === end) return { isNegative: false, digits: "", exponent: 0 };
  return { isNegative, digits: all.slice(start, end), exponent: whole.length - start + exponent };
}

/** Below zero when `a` is less, 0 when equal. */
export function compareNumbers(a: EventNumber, b: EventNumber): number {
  if (a.isNegative !== b.isNegative) return a.isNegative ? -1 : 1;
  const order = compareSizes(a, b);
  return a.isNegative ? -order : order;
}

function compareSizes(a: EventNumber, b: EventNumber): number {
  if (a.digits === "" || b.digits === "") return a.digits.length - b.digits.length;
  if (a.exponent !== b.exponent) return a.exponent - b.exponent;
  if (a.digits === b.digits) return 0;
  return a.digits < b.digits ? -1 : 1;
}

/** What bounds a height: the whole number at or below. Undefined: the text is no number without a sign. */
export function readHeightBound(text: string): { readonly floor: bigint; readonly isWhole: boolean } | undefined {
  const match = HEIGHT.exec(text);
  if (!match) return undefined;
  const [, whole = "", fraction = ""] = match;
  return { floor: BigInt(whole), isWhole: !/[1-9]/.test(fraction) };
}
