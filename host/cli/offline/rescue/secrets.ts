/** What of a home nobody else may see, looked for in all that leaves it: it is taken out, whatever file it has come into. */
import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { bech32 } from "@scure/base";
import { readFileIfThere } from "../../../base/files/atomic-file.js";
import { fromBase64, fromHex, toBase64, toHex, toUpperHex } from "../../../base/text/bytes.js";
import { decodeLossy } from "../../../base/text/text.js";
import { Home } from "../../../node/home/home.js";
import { REMOVED, withoutSecretWords } from "./secret-words.js";

/** Shorter ones are found everywhere: they would make a report that says nothing. */
const SECRET_LENGTH_MIN = 16;
const SEED_BYTES = 32;

export class Secrets {
  /** Entries that had one. */
  count = 0;
  readonly #texts: readonly string[];
  readonly #patterns: readonly RegExp[];

  constructor(texts: Iterable<string>) {
    const all = [...new Set(texts)].filter(({ length }) => length >= SECRET_LENGTH_MIN);
    this.#texts = all.sort((a, b) => b.length - a.length);
    this.#patterns = this.#texts.map(pattern);
  }

  /** Of the validator's key, the node's key and whatever a keyring of the home has. */
  static of(path: string): Secrets {
    const home = new Home(path);
    const keys = [home.validatorKeyFile, home.nodeKeyFile].flatMap(stringsOf).flatMap(formsOf);
    const rings = existsSync(path) ? readdirSync(path).filter((name) => name.startsWith("keyring")) : [];
    return new Secrets([...keys, ...rings.flatMap((name) => stringsBelow(join(path, name))).flatMap(formsOf)]);
  }

  /** Is one of them in these bytes? */
  isIn(bytes: Uint8Array): boolean {
    const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
    return this.#texts.some((text) => buffer.includes(text));
  }

  /** The text without them, and without what looks like one. */
  without(text: string): string {
    const cleaned = withoutSecretWords(this.#patterns.reduce((rest, secret) => rest.replace(secret, REMOVED), text));
    if (cleaned !== text) this.count++;
    return cleaned;
  }
}

/** The values of a file of JSON, or its lines. */
function stringsOf(file: string): string[] {
  const bytes = readFileIfThere(file);
  if (!bytes) return [];
  const text = decodeLossy(bytes);
  try {
    const found: string[] = [];
    JSON.parse(text, (name, value: unknown) => {
      // Others may know what a key is called, its public half and its address.
      if (typeof value === "string" && !/^(address|type|name|pub|@type|version)/.test(name)) found.push(value);
      return name.startsWith("pub") ? undefined : value;
    });
    return found.filter((value) => !isPublic(text, value));
  } catch {
    return text.split("\n").map((line) => line.trim());
  }
}

/** A key's file names its public half as `pub_key: {type, value}`. */
function isPublic(text: string, value: string): boolean {
  const { pub_key: key } = JSON.parse(text) as { pub_key?: { value?: unknown } };
  return key?.value === value;
}

function stringsBelow(path: string): string[] {
  if (!statSync(path).isDirectory()) return stringsOf(path);
  return readdirSync(path).flatMap((name) => stringsBelow(join(path, name)));
}

/** The same key as others write it: base64, base64url and hex, with and without padding, bech32; whole, and its seed alone. */
function formsOf(text: string): string[] {
  const parts = decodings(text).flatMap((bytes) =>
    bytes.length > SEED_BYTES ? [bytes, bytes.subarray(0, SEED_BYTES), bytes.subarray(-SEED_BYTES)] : [bytes],
  );
  return [text, ...parts.flatMap(writings)];
}

/** A file does not name the encoding of its key, and hex can be read as base64 too: every reading counts. */
function decodings(text: string): Uint8Array[] {
  const found: Uint8Array[] = [];
  if (/^(?:[0-9a-f]{2})+$/i.test(text)) found.push(fromHex(text));
  const standard = text.replace(/=+$/, "").replaceAll("-", "+").replaceAll("_", "/");
  if (/^[A-Za-z0-9+/]+$/.test(standard) && standard.length % 4 !== 1) {
    found.push(fromBase64(standard.padEnd(Math.ceil(standard.length / 4) * 4, "=")));
  }
  return found;
}

function writings(bytes: Uint8Array): string[] {
  const padded = toBase64(bytes);
  const url = padded.replace(/=+$/, "").replaceAll("+", "-").replaceAll("/", "_");
  // Of bech32 the part between the prefix, which may be any, and the checksum.
  const words = bech32.encode("x", bech32.toWords(bytes), false).slice("x1".length, -BECH32_CHECKSUM);
  return [padded, padded.replace(/=+$/, ""), url, toHex(bytes), toUpperHex(bytes), words, words.toUpperCase()];
}

const BECH32_CHECKSUM = 6;

/** The secret in a text whose JSON, shell or URL wrote some characters otherwise, or broke the line. */
function pattern(secret: string): RegExp {
  const characters = [...secret].map((each) => OTHERWISE[each] ?? each.replace(/[^A-Za-z0-9]/, "\\$&"));
  return new RegExp(characters.join("(?:\\\\+[nrt]|\\s)*"), "gi");
}

const OTHERWISE: Readonly<Record<string, string>> = {
  "+": "(?:\\+|\\\\+u002b|%2b)",
  "/": "(?:\\\\*/|\\\\+u002f|%2f)",
  "=": "(?:=|\\\\+u003d|%3d)",
};
