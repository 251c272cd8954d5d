/**
 * A JSON value as YAML: the text form of what the commands print, character for character what the Cosmos SDK's tools make
 * of the same value (sigs.k8s.io/yaml 1.4, whose reader and emitter are goyaml v2). Two-column block style, members
 * sorted, lists as deep as the member that holds them.
 */

import { UpgradeError } from "../../errors/errors.js";
import { utf8 } from "../../text/bytes.js";
import { compareYamlKeys } from "./yaml-key-order.js";
import { YamlWriter } from "./yaml-writer.js";

export type YamlValue =
  | null
  | boolean
  | number
  | bigint
  | string
  | readonly YamlValue[]
  | { readonly [name: string]: YamlValue };

/** Longer keys, and keys of several lines, are written as `? key` and `: value`. */
const SIMPLE_KEY_BYTES_MAX = 128;
/** What the reader takes as a key before it looks for the colon, the quotes included. */
const KEY_READ_MAX = 1_024;
const INT_MIN = -(2n ** 63n);
const INT_MAX = 2n ** 64n - 1n;
/** From this exponent on, and below -4, a float is written with one (Go's `%g` of the shortest digits). */
const FLOAT_EXPONENT_MAX = 6;

/**
 * The text ends with a line break. Lone surrogates become U+FFFD.
 *
 * The Cosmos SDK prints JSON first and reads that as YAML, where it meets the raw U+0085 as a line break: inside a text one is
 * folded to a space, n in a row to n - 1 line breaks.
 *
 * @throws UpgradeError UPG_INVALID_ARGUMENT for what the Cosmos SDK cannot print either: U+007F–0084, U+0086–009F, U+FFFE,
 * U+FFFF, a line of only `---` or `...` after U+0085, a key longer than 1,022 characters or with U+0085; and for
 * numbers that JSON does not have.
 */
export function jsonToYaml(value: YamlValue): string {
  const out = new YamlWriter();
  writeNode(out, value, -YamlWriter.INDENT, false);
  out.indent(0);
  return out.text;
}

/** `parent`: columns before the surrounding collection; one level less than none at the root. */
function writeNode(out: YamlWriter, value: YamlValue, parent: number, isMember: boolean): void {
  if (typeof value === "string") out.string(readAgain(value), parent);
  else if (typeof value === "number" || typeof value === "bigint") out.word(numberText(value));
  else if (value === null || typeof value === "boolean") out.word(String(value));
  else if (isList(value)) writeList(out, value, parent, isMember);
  else writeMembers(out, value, parent);
}

function isList(value: object): value is readonly YamlValue[] {
  return Array.isArray(value);
}

function writeList(out: YamlWriter, list: readonly YamlValue[], parent: number, isMember: boolean): void {
  if (list.length === 0) out.word("[]");
  const indent = isMember && !out.isFresh ? parent : parent + YamlWriter.INDENT;
  for (const value of list) {
    out.indent(indent);
    out.mark("-");
    writeNode(out, value, indent, false);
  }
}

function writeMembers(out: YamlWriter, members: { readonly [name: string]: YamlValue }, parent: number): void {
  const entries = Object.entries(members).map(([key, value]) => [checkKey(key), value] as const);
  // Sorted twice: `compareYamlKeys` has circles, in which the result would hang on the order of the object.
  entries.sort(([a], [b]) => (a < b ? -1 : 1)).sort(([a], [b]) => compareYamlKeys(a, b));
  if (entries.length === 0) out.word("{}");
  const indent = parent + YamlWriter.INDENT;
  for (const [key, value] of entries) {
    out.indent(indent);
    writeKey(out, key, indent);
    writeNode(out, value, indent, true);
  }
}

function writeKey(out: YamlWriter, key: string, indent: number): void {
  if (!/[\r\n\u2028\u2029]/.test(key) && utf8(key).length <= SIMPLE_KEY_BYTES_MAX) {
    out.key(key);
    return;
  }
  out.mark("?");
  out.string(key, indent);
  out.indent(indent);
  out.mark(":");
}

function checkKey(key: string): string {
  const read = readAgain(key);
  const written = JSON.stringify(read);
  if (key.includes("\u0085") || [...written].length > KEY_READ_MAX)
    throw unreadable("did not find expected ',' or '}'");
  return read;
}

/** The text as the Cosmos SDK's YAML reader takes it from its JSON form. */
function readAgain(text: string): string {
  if (/[\x7f-\x84\x86-\x9f\ufffe\uffff]/.test(text)) throw unreadable("control characters are not allowed");
  if (/\x85(---|\.\.\.)[ \x85]/.test(text)) throw unreadable("found unexpected document indicator");
  const folded = text.replace(/ *\x85[ \x85]*/g, (run) => "\n".repeat(run.replaceAll(" ", "").length - 1) || " ");
  return folded.toWellFormed();
}

/** Whole numbers that fit in 64 bits as they are, others as Go prints a float64. */
function numberText(value: number | bigint): string {
  const text = typeof value === "bigint" ? value.toString() : JSON.stringify(value);
  if (text === "null") throw new UpgradeError("UPG_INVALID_ARGUMENT", `JSON has no number ${value}`);
  if (/^-?[0-9]+$/.test(text) && BigInt(text) >= INT_MIN && BigInt(text) <= INT_MAX) return text;
  const float = Number(value);
  const [digits = "", power = ""] = float.toExponential().split("e");
  const exponent = Number(power);
  if (exponent >= -4 && exponent < FLOAT_EXPONENT_MAX) return String(float);
  const sign = exponent < 0 ? "-" : "+";
  return `${digits}e${sign}${String(Math.abs(exponent)).padStart(2, "0")}`;
}

function unreadable(problem: string): UpgradeError {
  return new UpgradeError("UPG_INVALID_ARGUMENT", `yaml: ${problem}`);
}
