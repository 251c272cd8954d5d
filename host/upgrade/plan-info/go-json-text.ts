/** Strings of JSON as Go's encoders write them, so that what REST and the command line print is the Cosmos SDK's text. */
import { byteAt } from "../../base/text/checked-index.js";
import { decodeText, encodeText } from "../../base/text/text.js";

/**
 * The text in quotes; `< > & U+2028 U+2029` are escaped. Every byte that belongs to no UTF-8 sequence becomes `\ufffd`,
 * as do the three bytes of a lone surrogate.
 */
export function goJsonText(text: string | Uint8Array): string {
  if (typeof text === "string" && text.isWellFormed()) return `"${escapeJson(text)}"`;
  const pieces = utf8Pieces(typeof text === "string" ? encodeText(text) : text);
  return `"${pieces.map(escapeJson).join("\\ufffd")}"`;
}

function escapeJson(text: string): string {
  return JSON.stringify(text)
    .slice(1, -1)
    .replace(/[<>&\u2028\u2029]/g, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

/** The texts before, between and after the bytes that belong to no UTF-8 sequence. */
function utf8Pieces(bytes: Uint8Array): string[] {
  const pieces: string[] = [];
  let from = 0;
  for (let at = 0; at < bytes.length; ) {
    const length = sequenceLength(bytes, at);
    if (length === 0) {
      pieces.push(decodeText(bytes.subarray(from, at)));
      from = at + 1;
    }
    at += length || 1;
  }
  return [...pieces, decodeText(bytes.subarray(from))];
}

/** Bytes of the UTF-8 sequence that begins at `at`; 0 when none does (Unicode, table 3-7). */
function sequenceLength(bytes: Uint8Array, at: number): number {
  const first = byteAt(bytes, at);
  if (first < 0x80) return 1;
  if (first < 0xc2 || first > 0xf4) return 0;
  const length = first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
  const second = bytes[at + 1] ?? 0;
  const low = first === 0xe0 ? 0xa0 : first === 0xf0 ? 0x90 : 0x80;
  const high = first === 0xed ? 0x9f : first === 0xf4 ? 0x8f : 0xbf;
  if (second < low || second > high) return 0;
  for (let i = 2; i < length; i++) if (((bytes[at + i] ?? 0) & 0xc0) !== 0x80) return 0;
  return length;
}
