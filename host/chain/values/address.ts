/**
 * Addresses: written in bech32 with the prefix that a chain chooses; a module's account is named, not keyed. Accounts of
 * keys and of modules have 20 bytes; other chains' tools know up to 255. A refusal has the Cosmos SDK's words.
 */
import { bech32 } from "@scure/base";
import { UpgradeError } from "../../base/errors/errors.js";
import { utf8 } from "../../base/text/bytes.js";
import type { Sha256 } from "../../base/types/types.js";

/** Of a chain that chooses none. */
const ADDRESS_PREFIX_DEFAULT = "cosmos";
const ADDRESS_PREFIX = /^[a-z][a-z0-9]{0,39}$/;
const ADDRESS_LIKE = /^[a-z][a-z0-9]*1[a-z0-9]{20,}$/;
const OPERATORS = "valoper";
const CONSENSUS = "valcons";
const ADDRESS_BYTES = 20;
const ADDRESS_BYTES_MAX = 255;

/** Characters of the whole text that the Cosmos SDK reads. */
const BECH32_LENGTH_MAX = 1_023;
const BECH32_LENGTH_MIN = 8;
const CHECKSUM_LENGTH = 6;
const CHARSET = "qpzry9x8gf2tvdw0s3jn54khce6mua7l";
const NO_WORD = 0xff;
/** The word of each character by its code. */
const WORDS = Uint8Array.from({ length: 128 }, (_, code) => {
  const word = CHARSET.indexOf(String.fromCharCode(code));
  return word < 0 ? NO_WORD : word;
});
const GENERATORS = [0x3b6a57b2, 0x26508e6d, 0x1ea119fa, 0x3d4233dd, 0x2a1462b3];

/** Addresses with one prefix. Its functions may be passed on without it. */
export interface AddressCodec {
  readonly prefix: string;
  readonly encode: (bytes: Uint8Array) => string;
  /** An address of 20 bytes. @throws UpgradeError UPG_INVALID_ARGUMENT */
  readonly decode: (text: string) => Uint8Array;
  /** An address of 1 to 255 bytes. @throws UpgradeError UPG_INVALID_ARGUMENT with the Cosmos SDK's text */
  readonly decodeAny: (text: string) => Uint8Array;
  /** The Cosmos SDK's words for what is wrong with an address; undefined: nothing. */
  readonly failure: (text: string) => string | undefined;
}

/** How a chain writes addresses: those of accounts, of validators' operators, and of validators' consensus keys. */
export interface Addresses extends AddressCodec {
  readonly operators: AddressCodec;
  readonly consensus: AddressCodec;
}

/**
 * @param prefix of accounts; operators have `<prefix>valoper`, consensus keys `<prefix>valcons`
 * @throws UpgradeError UPG_INVALID_ARGUMENT
 */
export function addressesOf(prefix: string = ADDRESS_PREFIX_DEFAULT): Addresses {
  if (!ADDRESS_PREFIX.test(prefix)) {
    throw new UpgradeError(
      "UPG_INVALID_ARGUMENT",
      `"${prefix}" is no prefix of addresses: a-z and 0-9, a letter first, at most 40 characters`,
    );
  }
  return Object.freeze({
    ...codecOf(prefix),
    operators: Object.freeze(codecOf(prefix + OPERATORS)),
    consensus: Object.freeze(codecOf(prefix + CONSENSUS)),
  });
}

function codecOf(prefix: string): AddressCodec {
  return {
    prefix,
    encode: (bytes) => bech32.encode(prefix, bech32.toWords(bytes), BECH32_LENGTH_MAX),
    decode: (text) => decodeAddress(text, prefix),
    decodeAny: (text) => decodeAnyAddress(text, prefix),
    failure: (text) => {
      const read = readAddress(text, prefix);
      return typeof read === "string" ? read : undefined;
    },
  };
}

/** What is wrong with a text that no chain reads as an address, in the Cosmos SDK's words; undefined: nothing. */
export function addressTextFailure(text: string): string | undefined {
  if (text.trim() === "") return "empty address string is not allowed";
  const shape = shapeFailure(text);
  return shape === undefined ? undefined : `decoding bech32 failed: ${shape}`;
}

/** Is this meant as an address rather than as a name, be it right or wrong, of this chain or another? */
export function isMeantAsAddress(text: string): boolean {
  return ADDRESS_LIKE.test(text);
}

/** Of an address that was checked before: it was read out of a store. Its prefix is not looked at. */
export function checkedAddress(text: string): Uint8Array {
  return decodeAnyAddress(text, text.slice(0, text.lastIndexOf("1")).toLowerCase());
}

function decodeAddress(text: string, prefix: string): Uint8Array {
  const bytes = decodeAnyAddress(text, prefix);
  if (bytes.length !== ADDRESS_BYTES) {
    throw new UpgradeError(
      "UPG_INVALID_ARGUMENT",
      `"${text.slice(0, 100)}" is no address of this chain: expected ${ADDRESS_BYTES} bytes, got ${bytes.length}`,
    );
  }
  return bytes;
}

function decodeAnyAddress(text: string, prefix: string): Uint8Array {
  const read = readAddress(text, prefix);
  if (typeof read === "string") throw new UpgradeError("UPG_INVALID_ARGUMENT", read);
  return read;
}

/** The bytes of an address, or what is wrong with it. A genesis document has millions: the text is walked over once. */
function readAddress(text: string, prefix: string): Uint8Array | string {
  const malformed = addressTextFailure(text);
  if (malformed !== undefined) return malformed;
  const lower = text.toLowerCase();
  const separator = lower.lastIndexOf("1");
  const words = new Uint8Array(lower.length - separator - 1);
  for (let i = 0; i < words.length; i++) {
    const code = lower.charCodeAt(separator + 1 + i);
    const word = WORDS[code] as number;
    if (word === NO_WORD) return `decoding bech32 failed: invalid character not part of charset: ${code}`;
    words[i] = word;
  }
  const data = words.subarray(0, -CHECKSUM_LENGTH);
  const failure = checksumFailure(lower, separator, data) ?? paddingFailure(data);
  if (failure !== undefined) return `decoding bech32 failed: ${failure}`;
  const given = lower.slice(0, separator);
  if (given !== prefix) return `invalid Bech32 prefix; expected ${prefix}, got ${given}`;
  const length = (data.length * 5) >>> 3;
  if (length === 0) return "addresses cannot be empty: unknown address";
  if (length > ADDRESS_BYTES_MAX) return `address max length is ${ADDRESS_BYTES_MAX}, got ${length}: unknown address`;
  return bytesOf(data, length);
}

/** Words of five bits as bytes; what is left of the last word was found to be zero. */
function bytesOf(words: Uint8Array, length: number): Uint8Array {
  const bytes = new Uint8Array(length);
  let held = 0;
  let bits = 0;
  let at = 0;
  for (let i = 0; i < words.length; i++) {
    held = ((held << 5) | (words[i] as number)) & 0xfff;
    bits += 5;
    if (bits < 8) continue;
    bits -= 8;
    bytes[at++] = (held >>> bits) & 0xff;
  }
  return bytes;
}

/** What is wrong with a text before its characters are words; undefined: nothing. */
function shapeFailure(text: string): string | undefined {
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
  return undefined;
}

function checksumFailure(lower: string, separator: number, data: Uint8Array): string | undefined {
  const expected = checksum(lower, separator, data);
  const got = lower.slice(-CHECKSUM_LENGTH);
  return expected === got ? undefined : `invalid checksum (expected ${expected} got ${got})`;
}

/** What is left of the last word must be less than a word, and zero. */
function paddingFailure(words: Uint8Array): string | undefined {
  const bits = (words.length * 5) % 8;
  const last = words.at(-1) ?? 0;
  return bits >= 5 || (last & ((1 << bits) - 1)) !== 0 ? "invalid incomplete group" : undefined;
}

/** Of the prefix, which ends at `separator`, and the words. */
function checksum(lower: string, separator: number, words: Uint8Array): string {
  let sum = 1;
  for (let i = 0; i < separator; i++) sum = step(sum, lower.charCodeAt(i) >>> 5);
  sum = step(sum, 0);
  for (let i = 0; i < separator; i++) sum = step(sum, lower.charCodeAt(i) & 31);
  for (let i = 0; i < words.length; i++) sum = step(sum, words[i] as number);
  for (let i = 0; i < CHECKSUM_LENGTH; i++) sum = step(sum, 0);
  sum ^= 1;
  let text = "";
  for (let shift = 25; shift >= 0; shift -= 5) text += CHARSET.charAt((sum >>> shift) & 31);
  return text;
}

function step(sum: number, value: number): number {
  const top = sum >>> 25;
  let next = ((sum & 0x1ffffff) << 5) ^ value;
  for (let bit = 0; bit < GENERATORS.length; bit++) if ((top >>> bit) & 1) next ^= GENERATORS[bit] as number;
  return next;
}

/** Account of a module: the first 20 bytes of sha256(name). */
export function moduleAddress(sha256: Sha256, module: string): Uint8Array {
  return sha256(utf8(module)).slice(0, ADDRESS_BYTES);
}
