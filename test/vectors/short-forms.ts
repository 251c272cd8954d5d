/**
 * Texts as vectors write them (README.md): plainly, or in one of three short forms. Every text of every file, given or
 * expected, is read here, so that any of them may take any form.
 */
import { createHash } from "node:crypto";
import { fromHex, toHex } from "../../host/base/text/bytes.js";

/** Bytes that are not UTF-8 as lower-case hex. */
interface HexText {
  readonly hex: string;
}

interface RepeatedText {
  readonly repeat: string;
  readonly times: number;
}

/** An output that is too long to be written out. */
interface TextDigest {
  readonly len: number;
  readonly sha256: string;
}

/** A text that can be written out. */
export type GivenText = string | HexText | RepeatedText;
/** A text to compare with. */
export type ExpectedText = GivenText | TextDigest;

const FORMS: readonly string[] = ["hex", "repeat,times", "len,sha256"];

/** Is it one of the short forms? */
export function isShortForm(value: unknown): value is Exclude<ExpectedText, string> {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  return FORMS.includes(Object.keys(value).sort().join());
}

/** @throws Error for a digest, of which no text can be made */
export function textBytes(text: ExpectedText): Uint8Array {
  if (typeof text === "string") return new TextEncoder().encode(text);
  if ("hex" in text) return fromHex(text.hex);
  if ("repeat" in text) return new TextEncoder().encode(text.repeat.repeat(text.times));
  throw new Error(`a text of ${text.len} bytes is known by its SHA-256 alone`);
}

/** The text, with U+FFFD where bytes are not UTF-8. @throws Error for a digest */
export function textOf(text: ExpectedText): string {
  return typeof text === "string" ? text : new TextDecoder("utf-8", { ignoreBOM: true }).decode(textBytes(text));
}

/** A text without U+FFFD; undefined when the bytes are not UTF-8. @throws Error for a digest */
export function strictTextOf(text: GivenText): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(textBytes(text));
  } catch {
    return undefined;
  }
}

/** Bytes: hex, or a repetition of hex. */
export function hexBytes(hex: GivenText): Uint8Array {
  if (typeof hex === "string") return fromHex(hex);
  return "hex" in hex ? fromHex(hex.hex) : fromHex(hex.repeat.repeat(hex.times));
}

/**
 * Is the text the expected one? Where the source prints bytes that are not UTF-8 ours has U+FFFD, and how many of them
 * represent a run of such bytes differs from decoder to decoder: a run counts as one.
 */
export function isText(actual: string, expected: ExpectedText): boolean {
  if (typeof expected === "string") return actual === expected;
  if ("len" in expected) return isDigestOf(new TextEncoder().encode(actual), expected);
  return "hex" in expected ? oneMark(actual) === oneMark(textOf(expected)) : actual === textOf(expected);
}

const oneMark = (text: string) => text.replace(/\ufffd+/g, "\ufffd");

function isDigestOf(bytes: Uint8Array, { len, sha256 }: TextDigest): boolean {
  return bytes.length === len && createHash("sha256").update(bytes).digest("hex") === sha256;
}

/** Bytes as hex, or as a digest when that is what they are compared with. */
export function printedBytes(bytes: Uint8Array, expected: ExpectedText): unknown {
  if (typeof expected === "string" || !("len" in expected)) return toHex(bytes);
  return { len: bytes.length, sha256: createHash("sha256").update(bytes).digest("hex") };
}

/** `expected` as `actual` has it where a short form represents just that text; the rest as it is. */
export function readAs(expected: unknown, actual: unknown): unknown {
  if (isShortForm(expected)) return typeof actual === "string" && isText(actual, expected) ? actual : expected;
  if (Array.isArray(expected)) {
    return Array.isArray(actual) ? expected.map((part, index) => readAs(part, actual[index])) : expected;
  }
  if (typeof expected !== "object" || expected === null || expected instanceof Map) return expected;
  if (typeof actual !== "object" || actual === null) return expected;
  const parts = actual as Readonly<Record<string, unknown>>;
  return Object.fromEntries(Object.entries(expected).map(([name, part]) => [name, readAs(part, parts[name])]));
}
