/** Text that a guest wrote. It ends up in logs, on terminals and in error messages, so it is cut and made harmless. */

import { cutText, decodeLossy, decodeUtf16 } from "../../base/text/text.js";
import { hasHidden } from "../../base/text/visible.js";

const QUOTED_CHARACTERS_MAX = 100;

const BREAKS = new Set("\t\n\r\u2028\u2029");

/** Line breaks and tabs become spaces, other characters that do not show U+FFFD. Quick also when the text is nothing else. */
export function printable(text: string): string {
  if (!hasHidden(text)) return text;
  let clean = "";
  for (const character of text) {
    if (!hasHidden(character)) clean += character;
    else clean += BREAKS.has(character) ? " " : "\ufffd";
  }
  return clean;
}

/** A name that a file gave, for a message: in quotes, harmless, never long. */
export function quote(name: string): string {
  const isLong = name.length > QUOTED_CHARACTERS_MAX;
  return JSON.stringify(printable(isLong ? `${name.slice(0, QUOTED_CHARACTERS_MAX)}…` : name));
}

/** The first `bytesMax` bytes as text, never cut inside a character; bytes that are not UTF-8 become U+FFFD. */
export function guestText(bytes: Uint8Array, bytesMax: number): string {
  let end = Math.min(bytes.length, bytesMax);
  if (end < bytes.length) {
    for (let back = 0; back < 3 && isContinuation(bytes[end]); back++) end--;
  }
  return printable(decodeLossy(bytes.slice(0, end)));
}

/** The same with at most `bytesMax` bytes as UTF-8 too: U+FFFD takes three where it is put for one. */
export function guestLine(bytes: Uint8Array, bytesMax: number): string {
  return cutText(guestText(bytes, bytesMax), bytesMax);
}

function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80;
}

/** UTF-16, little-endian, as AssemblyScript keeps strings. */
export function guestText16(bytes: Uint8Array): string {
  return printable(decodeUtf16(bytes));
}
