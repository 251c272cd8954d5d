/**
 * Text and its bytes, which are UTF-8. A JavaScript string may hold lone surrogates; `TextEncoder` would turn them silently into
 * U+FFFD, another text. `encodeText` makes of them the three bytes that no UTF-8 decoder accepts, so the core refuses them.
 */

import { LOG_BYTES_MAX, STORE_NAME_BYTES_MAX } from "../types/limits.js";
import { codePointOf, itemAt } from "./checked-index.js";

const LONE_SURROGATES = /[\ud800-\udfff]/gu;

/** Does the text hold no half of a surrogate pair? `String.prototype.isWellFormed` is younger than some browsers in use. */
export function isWellFormed(text: string): boolean {
  return text.search(LONE_SURROGATES) < 0;
}

/** Bytes of a character, by its code point. */
function utf8Length(code: number): number {
  return code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
}

type Encode = (text: string) => Uint8Array;
type Decode = (bytes: Uint8Array) => string;

/** A lone surrogate becomes U+FFFD. */
export const encodeUtf8: Encode = engineEncoder() ?? encodeByHand;
/** A byte order mark is a character like any other. Throws when the bytes are not UTF-8. */
const decodeUtf8: Decode = engineDecoder(true) ?? decodeByHand;
/** What is not UTF-8 becomes U+FFFD. */
const decodeUtf8Lossy: Decode = engineDecoder(false) ?? lossyByHand;

function engineEncoder(): Encode | undefined {
  if (typeof TextEncoder === "undefined") return undefined;
  const encoder = new TextEncoder();
  return (text) => encoder.encode(text);
}

/** Undefined: there is none, or it has no strict mode. */
function engineDecoder(fatal: boolean): Decode | undefined {
  if (typeof TextDecoder === "undefined") return undefined;
  try {
    const decoder = new TextDecoder("utf-8", { fatal, ignoreBOM: true });
    return decoder.fatal === fatal ? (bytes) => decoder.decode(bytes) : undefined;
  } catch {
    return undefined;
  }
}

/** By the rules of percent-encoding, for engines without coders of their own, as in React Native. */
export function encodeByHand(text: string): Uint8Array {
  const escaped = encodeURIComponent(text.replace(LONE_SURROGATES, "\ufffd"));
  const bytes: number[] = [];
  for (let at = 0; at < escaped.length; at++) {
    const isEscape = escaped.charAt(at) === "%";
    bytes.push(isEscape ? Number.parseInt(escaped.slice(at + 1, at + 3), 16) : escaped.charCodeAt(at));
    if (isEscape) at += 2;
  }
  return Uint8Array.from(bytes);
}

/** @throws URIError when the bytes are not UTF-8 */
export function decodeByHand(bytes: Uint8Array): string {
  let escaped = "";
  for (const byte of bytes) escaped += (byte < 16 ? "%0" : "%") + byte.toString(16);
  return decodeURIComponent(escaped);
}

function lossyByHand(bytes: Uint8Array): string {
  try {
    return decodeByHand(bytes);
  } catch {
    return Array.from(bytes, (byte) => (byte < 0x80 ? String.fromCharCode(byte) : "\ufffd")).join("");
  }
}

export function encodeText(text: string): Uint8Array {
  return isWellFormed(text) ? encodeUtf8(text) : encodeWithSurrogates(text);
}

function encodeWithSurrogates(text: string): Uint8Array {
  const bytes: number[] = [];
  for (const character of text) {
    const code = codePointOf(character);
    if (code >= 0xd800 && code <= 0xdfff) bytes.push(0xed, 0x80 | ((code >> 6) & 0x3f), 0x80 | (code & 0x3f));
    else bytes.push(...encodeUtf8(character));
  }
  return Uint8Array.from(bytes);
}

/**
 * Strict: bytes that are not UTF-8 are refused, and a byte order mark is a character like any other.
 *
 * @param refuse makes the error of the caller
 * @throws TypeError, or what `refuse` makes, when the bytes are not UTF-8
 */
export function decodeText(bytes: Uint8Array, refuse?: (cause: unknown) => Error): string {
  try {
    return decodeUtf8(bytes);
  } catch (cause) {
    throw refuse ? refuse(cause) : cause;
  }
}

/** For messages, and where the other side reads it that way: each byte that is not UTF-8 becomes U+FFFD. */
export function decodeLossy(bytes: Uint8Array): string {
  return decodeUtf8Lossy(bytes);
}

/** UTF-16, little-endian, as AssemblyScript keeps strings; half a surrogate pair becomes U+FFFD, half a unit is left out. */
export function decodeUtf16(bytes: Uint8Array): string {
  // Only handlers that are being run have such text, and every engine with WebAssembly has a decoder.
  return new TextDecoder("utf-16le", { ignoreBOM: true }).decode(bytes.subarray(0, bytes.length - (bytes.length % 2)));
}

/** The longest beginning of the text whose UTF-8 has at most `bytesMax` bytes; no character is cut. */
export function cutText(text: string, bytesMax: number): string {
  // Three bytes at most for each UTF-16 unit: most texts need no second look.
  if (3 * text.length <= bytesMax) return text;
  let [units, bytes] = [0, 0];
  for (const character of text) {
    bytes += utf8Length(codePointOf(character));
    if (bytes > bytesMax) break;
    units += character.length;
  }
  return text.slice(0, units);
}

/**
 * Which names a store may have when it comes from outside: a handler's manifest, the raw part of a genesis document. Names
 * look like nothing else in any writing, and none of them is a way out of a folder or an absolute path. No store's name is
 * ever made into a path here (spill files and receipts have names of their own), but exports go to programs that may.
 */
const STORE_NAME = /^[a-z0-9_./-]+$/;
const PARTS_REFUSED: ReadonlySet<string> = new Set(["", ".", ".."]);

/** What is wrong with a store's name, as a message; undefined when nothing is. */
export function storeNameProblem(name: string): string | undefined {
  if (!STORE_NAME.test(name)) return "a store's name consists of a to z, 0 to 9, _ . / and -";
  const { length } = name;
  if (length > STORE_NAME_BYTES_MAX) return `a store's name has at most ${STORE_NAME_BYTES_MAX} bytes, got ${length}`;
  if (name.split("/").some((part) => PARTS_REFUSED.has(part))) {
    return 'no part of a store\'s name between slashes is empty, "." or ".."';
  }
  return undefined;
}

/** Edits up to which two names count as alike. */
const NEAR = 2;
/** Longer words get no suggestion: comparing takes time. */
const WORD_MAX = 60;

/** Returns the name that `word` most likely meant: one that it begins, or one within two edits; undefined if there is none. */
export function nearest(word: string, names: readonly string[]): string | undefined {
  const ranked = names
    .map((name) => ({ name, distance: name.startsWith(word) ? 0 : distance(word, name) }))
    .sort((a, b) => a.distance - b.distance || a.name.length - b.name.length);
  const [best] = ranked;
  // Two words of which no letter is the same are not alike, however short they are.
  const isAlike = best && best.distance <= NEAR && best.distance < Math.max(word.length, best.name.length);
  return isAlike ? best.name : undefined;
}

/** Describes a wrong name: what is valid and, if one is close, what was probably meant. */
export function unknownName(word: string, names: readonly string[]): string {
  const near = word === "" || word.length > WORD_MAX ? undefined : nearest(word, names);
  return `${near === undefined ? "" : ` (did you mean "${near}"?)`}. Valid: ${names.length === 0 ? "none" : names.join(", ")}`;
}

/** Edits from one word to the other. */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, at) => at);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const swap = itemAt(row, j - 1) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(swap, itemAt(row, j) + 1, itemAt(next, j - 1) + 1));
    }
    row = next;
  }
  return itemAt(row, b.length);
}

/** `MsgAddNote` and `add_note` are `add-note`. */
export function kebab(name: string): string {
  return name
    .replaceAll("_", "-")
    .replaceAll(/([a-z0-9])([A-Z])/g, "$1-$2")
    .replaceAll(/([A-Z])([A-Z][a-z])/g, "$1-$2")
    .toLowerCase();
}

/** The message; cut where it is longer than a line of a handler's log. */
export function briefMessageOf(thrown: unknown): string {
  let text: unknown;
  try {
    text = thrown instanceof Error ? thrown.message : String(thrown);
  } catch {
    // Code of the object's own ran, and threw.
  }
  if (typeof text !== "string") return "no readable message";
  return cutText(text, LOG_BYTES_MAX);
}

const BYTE_UNITS = ["bytes", "KiB", "MiB", "GiB", "TiB", "PiB"] as const;

/** `12.3 MiB`, rounded down to a tenth of the unit. */
export function bytesText(bytes: number): string {
  let unit = 0;
  let value = bytes;
  for (; value >= 1_024 && unit < BYTE_UNITS.length - 1; unit++) value /= 1_024;
  return `${unit === 0 ? value : (Math.floor(value * 10) / 10).toFixed(1)} ${BYTE_UNITS[unit]}`;
}
