/**
 * Addresses: written in bech32 with the chain's prefix; a module's account is named, not keyed. Accounts of keys and of
 * modules have 20 bytes; other chains' tools know up to 255. A refusal has the field's words.
 */
import { bech32 } from "@scure/base";
import { utf8 } from "../bytes.js";
import { UpgradeError } from "../errors.js";
import type { Sha256 } from "../types.js";

export const ADDRESS_PREFIX = "cosmos";
export const OPERATOR_PREFIX = "cosmosvaloper";
const ADDRESS_BYTES = 20;
const ADDRESS_BYTES_MAX = 255;

/** Characters of the whole text that the field reads. */
const BECH32_LENGTH_MAX = 1_023;
const BECH32_LENGTH_MIN = 8;
const CHECKSUM_LENGTH = 6;
const CHARSET = "qpzry9x8gf2tvdw0s3jn54khce6mua7l";
const GENERATORS = [0x3b6a57b2, 0x26508e6d, 0x1ea119fa, 0x3d4233dd, 0x2a1462b3];

export function encodeAddress(bytes: Uint8Array, prefix: string = ADDRESS_PREFIX): string {
  return bech32.encode(prefix, bech32.toWords(bytes), BECH32_LENGTH_MAX);
}

/** An address of 20 bytes. @throws UpgradeError UPG_INVALID_ARGUMENT */
export function decodeAddress(text: string, prefix: string = ADDRESS_PREFIX): Uint8Array {
  const bytes = decodeAnyAddress(text, prefix);
  if (bytes.length !== ADDRESS_BYTES) {
    throw new UpgradeError(
      "UPG_INVALID_ARGUMENT",
      `"${text.slice(0, 100)}" is no address of this chain: expected ${ADDRESS_BYTES} bytes, got ${bytes.length}`,
    );
  }
  return bytes;
}

/** An address of 1 to 255 bytes. @throws UpgradeError UPG_INVALID_ARGUMENT with the field's text */
export function decodeAnyAddress(text: string, prefix: string = ADDRESS_PREFIX): Uint8Array {
  const failure = addressFailure(text, prefix);
  if (failure !== undefined) throw new UpgradeError("UPG_INVALID_ARGUMENT", failure);
  return bytesOf(text);
}

/** The field's words for what is wrong with an address; undefined: nothing. */
export function addressFailure(text: string, prefix: string = ADDRESS_PREFIX): string | undefined {
  if (text.trim() === "") return "empty address string is not allowed";
  const failure = bech32Failure(text);
  if (failure !== undefined) return `decoding bech32 failed: ${failure}`;
  const given = text.slice(0, text.lastIndexOf("1")).toLowerCase();
  if (given !== prefix) return `invalid Bech32 prefix; expected ${prefix}, got ${given}`;
  const { length } = bytesOf(text);
  if (length === 0) return "addresses cannot be empty: unknown address";
  if (length > ADDRESS_BYTES_MAX) return `address max length is ${ADDRESS_BYTES_MAX}, got ${length}: unknown address`;
  return undefined;
}

function bytesOf(text: string): Uint8Array {
  return bech32.fromWords(bech32.decode(text as `${string}1${string}`, BECH32_LENGTH_MAX).words);
}

function bech32Failure(text: string): string | undefined {
  if (text.length < BECH32_LENGTH_MIN || text.length > BECH32_LENGTH_MAX) {
    return `invalid bech32 string length ${text.length}`;
  }
  for (const character of text) {
    if (character < "!" || character > "~") return `invalid character in string: '${character}'`;
  }
  const lower = text.toLowerCase();
  if (text !== lower && text !== text.toUpperCase()) return "string not all lowercase or all uppercase";
  const separator = lower.lastIndexOf("1");
  if (separator < 1 || separator + CHECKSUM_LENGTH + 1 > lower.length) return `invalid separator index ${separator}`;
  const data = lower.slice(separator + 1);
  const words: number[] = [];
  for (const character of data) {
    const word = CHARSET.indexOf(character);
    if (word < 0) return `invalid character not part of charset: ${character.charCodeAt(0)}`;
    words.push(word);
  }
  const expected = checksum(lower.slice(0, separator), words.slice(0, -CHECKSUM_LENGTH));
  const got = data.slice(-CHECKSUM_LENGTH);
  if (expected !== got) return `invalid checksum (expected ${expected} got ${got})`;
  return paddingFailure(words.slice(0, -CHECKSUM_LENGTH));
}

/** What is left of the last word must be less than a word, and zero. */
function paddingFailure(words: readonly number[]): string | undefined {
  const bits = (words.length * 5) % 8;
  const last = words.at(-1) ?? 0;
  return bits >= 5 || (last & ((1 << bits) - 1)) !== 0 ? "invalid incomplete group" : undefined;
}

function checksum(prefix: string, words: readonly number[]): string {
  const codes = Array.from(prefix, (character) => character.charCodeAt(0));
  const values = [...codes.map((code) => code >> 5), 0, ...codes.map((code) => code & 31), ...words, 0, 0, 0, 0, 0, 0];
  let sum = 1;
  for (const value of values) {
    const top = sum >>> 25;
    sum = ((sum & 0x1ffffff) << 5) ^ value;
    GENERATORS.forEach((generator, bit) => {
      if ((top >>> bit) & 1) sum ^= generator;
    });
  }
  sum ^= 1;
  let text = "";
  for (let shift = 25; shift >= 0; shift -= 5) text += CHARSET.charAt((sum >>> shift) & 31);
  return text;
}

/** Account of a module: the first 20 bytes of sha256(name). */
export function moduleAddress(sha256: Sha256, module: string): Uint8Array {
  return sha256(utf8(module)).slice(0, ADDRESS_BYTES);
}
