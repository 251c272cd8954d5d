/** UTF-8 in both directions, also where the engine has no `TextEncoder` or no strict `TextDecoder`, as in React Native. */

const LONE_SURROGATES = /[\ud800-\udfff]/gu;

/** Does the text hold no half of a surrogate pair? `String.prototype.isWellFormed` is of 2023. */
export function isWellFormed(text: string): boolean {
  return text.search(LONE_SURROGATES) < 0;
}

/** Bytes of a character, by its code point. */
export function utf8Length(code: number): number {
  return code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
}

type Encode = (text: string) => Uint8Array;
type Decode = (bytes: Uint8Array) => string;

/** A lone surrogate becomes U+FFFD. */
export const encodeUtf8: Encode = engineEncoder() ?? encodeByHand;
/** A byte order mark is a character like any other. Throws when the bytes are not UTF-8. */
export const decodeUtf8: Decode = engineDecoder(true) ?? decodeByHand;
/** What is not UTF-8 becomes U+FFFD. */
export const decodeUtf8Lossy: Decode = engineDecoder(false) ?? lossyByHand;

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

/** By the rules of percent-encoding, which every engine has. */
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
