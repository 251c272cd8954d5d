/** Durations as Go reads and prints them (`time.ParseDuration`, `Duration.String`), in nanoseconds. */
import { goQuote } from "../../../upgrade/plan-info/go-quote.js";

const UNITS: Readonly<Record<string, bigint>> = {
  ns: 1n,
  us: 1_000n,
  "\u00b5s": 1_000n, // micro sign
  "\u03bcs": 1_000n, // Greek letter mu
  ms: 1_000_000n,
  s: 1_000_000_000n,
  m: 60_000_000_000n,
  h: 3_600_000_000_000n,
};
const NANOS_MAX = 2n ** 63n - 1n;
const NANOS_PER_MILLI = 1e6;

/** `300ms`, `1h15m`, `1.5s`, `-3m`, `0`. @throws Error in Go's words */
export function parseGoDuration(text: string): bigint {
  const sign = /^[-+]/.test(text) ? text[0] : "";
  let rest = sign ? text.slice(1) : text;
  if (rest === "0") return 0n;
  if (rest === "") throw invalid(text);
  let nanos = 0n;
  while (rest !== "") {
    const [part, length] = onePart(rest, text);
    nanos += part;
    if (nanos > NANOS_MAX) throw invalid(text);
    rest = rest.slice(length);
  }
  return sign === "-" ? -nanos : nanos;
}

/** A number and its unit at the beginning of `rest`: its nanoseconds and its length. */
function onePart(rest: string, text: string): [bigint, number] {
  const [number = "", whole = "", fraction = ""] = /^([0-9]*)(?:\.([0-9]*))?/.exec(rest) ?? [];
  if (whole === "" && fraction === "") throw invalid(text);
  const [unit = ""] = /^[^0-9.]*/.exec(rest.slice(number.length)) ?? [];
  if (unit === "") throw new Error(`time: missing unit in duration ${goQuote(text)}`);
  const size = Object.hasOwn(UNITS, unit) ? UNITS[unit] : undefined;
  if (size === undefined) throw new Error(`time: unknown unit ${goQuote(unit)} in duration ${goQuote(text)}`);
  const parts = (BigInt(fraction || "0") * size) / 10n ** BigInt(fraction.length);
  return [BigInt(whole || "0") * size + parts, number.length + unit.length];
}

const invalid = (text: string) => new Error(`time: invalid duration ${goQuote(text)}`);

/** `300ms`, `1s`, `1m0s`, `2h0m0s`, `0s`. @param millis may have a part below one */
export function goDurationText(millis: number): string {
  const nanos = Math.round(millis * NANOS_PER_MILLI);
  if (nanos === 0) return "0s";
  if (nanos < 1e3) return `${nanos}ns`;
  if (nanos < 1e6) return `${nanos / 1e3}\u00b5s`;
  if (nanos < 1e9) return `${nanos / 1e6}ms`;
  const seconds = Math.floor(nanos / 1e9);
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
  const rest = `${(nanos - (hours * 3600 + minutes * 60) * 1e9) / 1e9}s`;
  if (hours > 0) return `${hours}h${minutes}m${rest}`;
  return minutes > 0 ? `${minutes}m${rest}` : rest;
}

export const millisOf = (nanos: bigint) => Number(nanos) / NANOS_PER_MILLI;
