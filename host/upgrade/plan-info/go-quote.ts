/** Quoted text as Go prints it (`strconv.Quote`), so that error texts read as operators search for them. */

import { toHex } from "../../base/text/bytes.js";
import { codePointOf } from "../../base/text/checked-index.js";

const PRINTABLE = /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]$/u;
const NAMED = new Map([
  ["\x07", "\\a"],
  ["\b", "\\b"],
  ["\f", "\\f"],
  ["\n", "\\n"],
  ["\r", "\\r"],
  ["\t", "\\t"],
  ["\v", "\\v"],
  ["\\", "\\\\"],
]);

/** The text in double quotes. */
export function goQuote(text: string): string {
  let quoted = "";
  for (const character of text) quoted += character === '"' ? '\\"' : escapeCharacter(character);
  return `"${quoted}"`;
}

function escapeCharacter(character: string): string {
  const named = NAMED.get(character);
  if (named !== undefined) return named;
  if (PRINTABLE.test(character)) return character;
  const code = codePointOf(character);
  if (code < 0x80) return `\\x${toHex(Uint8Array.of(code))}`;
  if (code < 0x10000) return `\\u${code.toString(16).padStart(4, "0")}`;
  return `\\U${code.toString(16).padStart(8, "0")}`;
}
