/**
 * The order of an object's members in the Cosmos SDK's YAML: `item2` before `item10`, what is no letter before letters.
 *
 * It is no order of everything: `015` < `0b` < `2-` < `015`. Keys that are in such a circle come out in the Cosmos SDK as
 * chance will have it; no command prints any.
 */
import { codePointOf } from "../../text/checked-index.js";

/** Below zero when `a` comes first, 0 only for equal keys. */
export function compareYamlKeys(a: string, b: string): number {
  const left = [...a];
  const right = [...b];
  const shared = Math.min(left.length, right.length);
  let at = 0;
  while (at < shared && left[at] === right[at]) at++;
  if (at === shared) return left.length - right.length;
  const [one, other] = [left[at] as string, right[at] as string];
  const [oneLetter, otherLetter] = [isLetter(one), isLetter(other)];
  if (oneLetter !== otherLetter) return otherLetter ? -1 : 1;
  return (oneLetter ? 0 : compareNumbers(left, right, at)) || codeOf(one) - codeOf(other);
}

/** Compares the numbers that begin where the keys part; a zero that only continues a number is no leading zero. */
function compareNumbers(left: readonly string[], right: readonly string[], at: number): number {
  const isInNumber = (left[at] === "0" || right[at] === "0") && continuesNumber(left, at);
  const one = digitsFrom(left, at);
  const other = digitsFrom(right, at);
  const prefix = isInNumber ? 1n : 0n;
  const difference = numberIn(prefix, one) - numberIn(prefix, other);
  if (difference !== 0n) return difference < 0n ? -1 : 1;
  return one.length - other.length;
}

function continuesNumber(characters: readonly string[], at: number): boolean {
  for (let i = at - 1; i >= 0 && isDigit(characters[i] as string); i--) if (characters[i] !== "0") return true;
  return false;
}

function digitsFrom(characters: readonly string[], at: number): readonly string[] {
  let end = at;
  while (end < characters.length && isDigit(characters[end] as string)) end++;
  return characters.slice(at, end);
}

/** In 64 bits, which long numbers overflow, and with any script's digit counted from `0`, as the Cosmos SDK does. */
function numberIn(prefix: bigint, digits: readonly string[]): bigint {
  return digits.reduce((value, digit) => BigInt.asIntN(64, value * 10n + BigInt(codeOf(digit) - 0x30)), prefix);
}

function isLetter(character: string): boolean {
  return /^\p{L}$/u.test(character);
}

function isDigit(character: string): boolean {
  return /^\p{Nd}$/u.test(character);
}

function codeOf(character: string): number {
  return codePointOf(character);
}
