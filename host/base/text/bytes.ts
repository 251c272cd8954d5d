/** Byte strings: order, equality, hex, base64. Order everywhere is bytewise; a prefix comes before what it begins. */

import { encodeUtf8 } from "./text.js";

export const EMPTY = new Uint8Array(0);

/** Below zero when `a` comes first, 0 when equal. */
export function compareBytes(a: Uint8Array, b: Uint8Array): number {
  return compareRanges(a, 0, a.length, b, 0, b.length);
}

/** The same for parts of larger buffers, so that bulk work needs no views. */
export function compareRanges(
  a: Uint8Array,
  aAt: number,
  aLen: number,
  b: Uint8Array,
  bAt: number,
  bLen: number,
): number {
  const shared = Math.min(aLen, bLen);
  if (shared > COMPARED_IN_LOOP) return compareLong(a.subarray(aAt, aAt + aLen), b.subarray(bAt, bAt + bLen));
  for (let i = 0; i < shared; i++) {
    const order = (a[aAt + i] as number) - (b[bAt + i] as number);
    if (order !== 0) return order;
  }
  return aLen - bLen;
}

/** The same for long ones. Handlers may write thousands of keys that begin with the same 64 KiB. */
function compareLong(a: Uint8Array, b: Uint8Array): number {
  // Most differ early.
  return compareRanges(a, 0, COMPARED_IN_LOOP, b, 0, COMPARED_IN_LOOP) || compareInMachineCode(a, b);
}

/** From here on a call into machine code costs less than a loop over the bytes. */
const COMPARED_IN_LOOP = 64;

/** Node has one; a browser compares few keys. */
const compareInMachineCode: (a: Uint8Array, b: Uint8Array) => number =
  (globalThis as { readonly Buffer?: { compare(a: Uint8Array, b: Uint8Array): number } }).Buffer?.compare ??
  ((a, b) => {
    const end = Math.min(a.length, b.length);
    let at = COMPARED_IN_LOOP;
    while (at < end && a[at] === b[at]) at++;
    return at < end ? compareRanges(a, at, 1, b, at, 1) : a.length - b.length;
  });

export function equalBytes(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && compareBytes(a, b) === 0;
}

/** From here on a view and its copy cost less than a loop over the bytes. */
const LOOP_BYTES_MAX = 40;

/** Copies a part of a larger buffer; returns the first byte after the copy. */
export function copyInto(out: Uint8Array, at: number, from: Uint8Array, fromAt: number, length: number): number {
  if (length > LOOP_BYTES_MAX) out.set(from.subarray(fromAt, fromAt + length), at);
  else for (let i = 0; i < length; i++) out[at + i] = from[fromAt + i] as number;
  return at + length;
}

export function concatBytes(...parts: readonly Uint8Array[]): Uint8Array {
  return joinBytes(parts);
}

/** The same of a list without a bound: as arguments of a call, a hundred thousand parts do not fit on the stack. */
export function joinBytes(parts: readonly Uint8Array[]): Uint8Array {
  const out = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    out.set(part, at);
    at += part.length;
  }
  return out;
}

/** The first key that does not begin with `prefix`; undefined when there is none (all bytes 0xff, or empty). */
export function prefixEnd(prefix: Uint8Array): Uint8Array | undefined {
  for (let i = prefix.length - 1; i >= 0; i--) {
    if ((prefix[i] as number) < 0xff) {
      const end = prefix.slice(0, i + 1);
      end[i] = (end[i] as number) + 1;
      return end;
    }
  }
  return undefined;
}

const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0"));

/**
 * Lower-case hex.
 *
 * @example
 * console.log(toHex(Uint8Array.of(0, 255))); // → 00ff
 */
export function toHex(bytes: Uint8Array): string {
  let text = "";
  for (const byte of bytes) text += HEX[byte];
  return text;
}

/** Upper-case hex: hashes and addresses of CometBFT. */
export function toUpperHex(bytes: Uint8Array): string {
  return toHex(bytes).toUpperCase();
}

/**
 * Bytes of hex digits in either case: a block hash, for example.
 *
 * @throws RangeError when the text is not an even number of hex digits.
 *
 * @example
 * console.log(fromHex("00FF").length); // → 2
 */
export function fromHex(text: string): Uint8Array {
  if (text.length % 2 !== 0 || !/^[0-9a-fA-F]*$/.test(text)) throw new RangeError(`not hex: "${text.slice(0, 40)}"`);
  const bytes = new Uint8Array(text.length / 2);
  for (let i = 0; i < bytes.length; i++) bytes[i] = (nibble(text, 2 * i) << 4) | nibble(text, 2 * i + 1);
  return bytes;
}

/** Of a digit of either case: core.wasm is hex too, and is read at every start. */
function nibble(text: string, at: number): number {
  const code = text.charCodeAt(at);
  return code < 58 ? code - 48 : (code | 32) - 87;
}

/** Unsigned 64-bit, big-endian: the form in which heights and versions are in state. */
export function bigEndian64(value: bigint): Uint8Array {
  const bytes = new Uint8Array(8);
  new DataView(bytes.buffer).setBigUint64(0, value);
  return bytes;
}

/** Order of two texts as their UTF-8 bytes: the one that stores and proofs use. */
export function compareText(a: string, b: string): number {
  return compareBytes(utf8(a), utf8(b));
}

/** The text's UTF-8; a lone surrogate becomes U+FFFD. */
export function utf8(text: string): Uint8Array {
  return encodeUtf8(text);
}

const BASE64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const PADDING = 0x3d;
/** Characters that are made at once: a call takes only so many arguments. */
const PIECE_CODES = 8_192;
/** The six bits that each ASCII character means in base64. */
const SIX_BITS = Uint8Array.from({ length: 128 }, (_, code) => Math.max(0, BASE64.indexOf(String.fromCharCode(code))));

/** RFC 4648's standard alphabet, padded. */
export function toBase64(bytes: Uint8Array): string {
  // Node's coder is five times as fast, which 16 MB of a genesis over RPC notice; browsers have none.
  if (globalThis.Buffer) return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("base64");
  const codes = new Uint8Array(4 * Math.ceil(bytes.length / 3));
  for (let at = 0, to = 0; at < bytes.length; at += 3, to += 4) {
    const bits = ((bytes[at] ?? 0) << 16) | ((bytes[at + 1] ?? 0) << 8) | (bytes[at + 2] ?? 0);
    for (let six = 0; six < 4; six++) codes[to + six] = BASE64.charCodeAt((bits >> (18 - 6 * six)) & 63);
  }
  const padding = (3 - (bytes.length % 3)) % 3;
  codes.fill(PADDING, codes.length - padding);
  let text = "";
  for (let at = 0; at < codes.length; at += PIECE_CODES) {
    text += String.fromCharCode(...codes.subarray(at, at + PIECE_CODES));
  }
  return text;
}

/** @throws RangeError when the text is not base64 of the standard alphabet, padded, without blanks. */
export function fromBase64(text: string): Uint8Array {
  const end = text.search(/[^A-Za-z0-9+/]/);
  const padding = end < 0 ? "" : text.slice(end);
  if (text.length % 4 !== 0 || !["", "=", "=="].includes(padding)) {
    throw new RangeError(`not base64: "${text.slice(0, 40)}"`);
  }
  if (globalThis.Buffer) return new Uint8Array(Buffer.from(text, "base64"));
  const bytes = new Uint8Array((text.length / 4) * 3 - padding.length);
  const six = (at: number) => SIX_BITS[text.charCodeAt(at)] ?? 0;
  // An Uint8Array ignores writes past its end, so the zero bytes of the padding are dropped.
  for (let at = 0, to = 0; at < text.length; at += 4, to += 3) {
    const bits = (six(at) << 18) | (six(at + 1) << 12) | (six(at + 2) << 6) | six(at + 3);
    bytes[to] = bits >> 16;
    bytes[to + 1] = bits >> 8;
    bytes[to + 2] = bits;
  }
  return bytes;
}

/** Lengths that the block protocol fixes, in bytes. */
export const HASH_BYTES = 32;
export const ADDRESS_BYTES = 20;
/** ed25519 and secp256k1 alike; nothing longer is a signature here. */
export const SIGNATURE_BYTES = 64;
