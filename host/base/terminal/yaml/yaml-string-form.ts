/** Which of YAML's forms a text needs so that it is read back as that text: plain if possible. */

export type YamlStringForm = "plain" | "single" | "double" | "literal";

/** Words that mean null, a truth value or a number. */
const OTHER_WORD =
  /^(~|null|Null|NULL|[yYnN]|yes|Yes|YES|no|No|NO|true|True|TRUE|false|False|FALSE|on|On|ON|off|Off|OFF|\.(nan|NaN|NAN)|[-+]?\.(inf|Inf|INF))$/;

const FLOAT = /^[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?$/;
/** An underscore that does not part two digits: allowed anywhere in numbers, except in those that begin with a point. */
const LOOSE_UNDERSCORE = /(?<![0-9])_|_(?![0-9])/;
const INTEGER = /^([-+]?)0(?:[xX]([0-9a-fA-F]+)|[oO]([0-7]+)|[bB]([01]+))$/;
/** Binary digits with a sign after the prefix, which the Cosmos SDK's parser lets through. */
const SIGNED_BINARY = /^0b([-+])([01]+)$/;
/** Sexagesimal numbers of YAML 1.1. */
const BASE_60 = /^[-+]?[0-9][0-9_]*(:[0-5]?[0-9])+(\.[0-9_]*)?$/;
const TIMESTAMP =
  /^(\d{4})-(\d{1,2})-(\d{1,2})(?:(?:[Tt]| +)(\d{1,2}):(\d{1,2}):(\d{1,2})(?:[.,]\d+)?(Z|[-+](\d{2}):(\d{2}))?)?$/;

const INT64_LIMIT = 2n ** 63n;
const UINT64_LIMIT = 2n ** 64n;

/** The emitter counts what lies outside the basic plane as not printable. */
export function isYamlPrintable(text: string): boolean {
  return /^[\n\x20-\x7e\xa0-\ud7ff\ue000-\ufefe\uff00-\ufffd]*$/u.test(text);
}

/** The form of a text on its own or in a block collection. */
export function yamlStringForm(text: string): YamlStringForm {
  if (!isYamlPrintable(text)) return "double";
  const isSpaceBeforeBreak = / [\n\u2028\u2029]/.test(text);
  if (text.includes("\n")) return isSpaceBeforeBreak || text.endsWith(" ") ? "double" : "literal";
  if (readsAsOtherType(text)) return "double";
  if (canBePlain(text)) return "plain";
  return isSpaceBeforeBreak || /[\u2028\u2029] /.test(text) ? "double" : "single";
}

function canBePlain(text: string): boolean {
  if (/[\u2028\u2029]/.test(text) || text.startsWith(" ") || text.endsWith(" ")) return false;
  return !/^(---|\.\.\.|[#,[\]{}&*!|>'"%@`]|[-?]( |$))|:( |$)| #/.test(text);
}

/** Null, a truth value, a number or a time when read without quotes. */
function readsAsOtherType(text: string): boolean {
  if (text === "" || OTHER_WORD.test(text)) return true;
  if (!/^[-+.0-9]/.test(text)) return false;
  const digits = text.replaceAll("_", "");
  const isFloat = FLOAT.test(digits) && Number.isFinite(Number(digits));
  if (text.startsWith(".")) return isFloat && !LOOSE_UNDERSCORE.test(text);
  if (isFloat) return true;
  return isPrefixedInteger(digits) || isTimestamp(text) || BASE_60.test(text);
}

/** Hexadecimal, octal or binary digits that fit in 64 bits: signed ones as int64, others as uint64 too. */
function isPrefixedInteger(text: string): boolean {
  const signedBinary = SIGNED_BINARY.exec(text);
  if (signedBinary !== null) return fits(signedBinary[1] as string, BigInt(`0b${signedBinary[2]}`));
  const match = INTEGER.exec(text);
  if (match === null) return false;
  const sign = match[1] as string;
  return fits(sign, BigInt(text.slice(sign.length).toLowerCase()));
}

function fits(sign: string, value: bigint): boolean {
  if (sign === "-") return value <= INT64_LIMIT;
  return value < (sign === "+" ? INT64_LIMIT : UINT64_LIMIT);
}

/** A day, or a day and a time: after `T` with a zone, after spaces without. */
function isTimestamp(text: string): boolean {
  const match = TIMESTAMP.exec(text);
  if (match === null) return false;
  const [year, month, day, hour, minute, second] = match.slice(1, 7).map((part) => Number(part ?? 0));
  const hasZone = match[7] !== undefined;
  const hasTime = match[4] !== undefined;
  if (hasTime && hasZone !== /[Tt]/.test(text)) return false;
  if (Number(hour) > 23 || Number(minute) > 59 || Number(second) > 59) return false;
  if (Number(match[8] ?? 0) > 24 || Number(match[9] ?? 0) > 60) return false;
  return (
    Number(month) >= 1 && Number(month) <= 12 && Number(day) >= 1 && Number(day) <= daysIn(Number(year), Number(month))
  );
}

function daysIn(year: number, month: number): number {
  if (month === 2) return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28;
  return [4, 6, 9, 11].includes(month) ? 30 : 31;
}
