/**
 * Reads keys that programs of the Cosmos SDK wrote: the `NAME.info` files of keyring backends `test` and `file`, and the
 * armor of `keys export`.
 */

import { readdirSync } from "node:fs";
import { join } from "node:path";
import { aeskw, gcm } from "@noble/ciphers/aes.js";
import { chacha20poly1305 } from "@noble/ciphers/chacha.js";
import { argon2id } from "@noble/hashes/argon2.js";
import { pbkdf2 } from "@noble/hashes/pbkdf2.js";
import { sha256 } from "@noble/hashes/sha2.js";
import { base64, base64urlnopad } from "@scure/base";
import { isUpgradeError, messageOf, UpgradeError } from "../../base/errors/errors.js";
import { readFileIfThere } from "../../base/files/atomic-file.js";
import { concatBytes, equalBytes, fromHex, utf8 } from "../../base/text/bytes.js";
import { decodeText } from "../../base/text/text.js";
import { Fields } from "../../base/wire/wire-fields.js";
import { readKey, type SigningKey } from "../../chain/values/account-key.js";
import { type AccountKey, accountKey } from "./derive.js";

/** What the Cosmos SDK's backend `test` seals its keys with. */
export const SDK_TEST_PASSWORD = "test";

const SUFFIX = ".info";
const PRIVATE_KEY_BYTES = 32;
const SECP256K1_PRIVATE_URL = "/cosmos.crypto.secp256k1.PrivKey";
/** Amino's prefix of a secp256k1 private key, with the length of the key. */
const AMINO_PRIVATE = fromHex("e1b0f79b20");
/** A file may not ask for more work than this; the Cosmos SDK's keyring asks for 8,192. */
const ROUNDS_MAX = 2 ** 20;
const ARGON2 = { t: 1, m: 64 * 1024, p: 4, dkLen: 32 } as const;
const ZERO_NONCE = new Uint8Array(12);

/** A key of the Cosmos SDK's keyring: one that signs, or a public key (`--pubkey`, multisig, Ledger). */
type SdkKey = { readonly local: AccountKey } | { readonly publicKey: SigningKey };

/** Names of the keys that a program of the Cosmos SDK wrote into `folder`, ascending. Empty if the folder is missing. */
export function sdkKeyNames(folder: string): string[] {
  try {
    const files = readdirSync(folder).filter((file) => file.endsWith(SUFFIX));
    return files.map((file) => file.slice(0, -SUFFIX.length)).sort();
  } catch (cause) {
    if (["ENOENT", "ENOTDIR"].includes((cause as NodeJS.ErrnoException).code ?? "")) return [];
    throw new UpgradeError("UPG_STORE_IO", `cannot read the keyring: ${messageOf(cause)}`, { cause });
  }
}

/** Undefined if the folder has no such key. @throws UpgradeError UPG_INVALID_ARGUMENT (wrong password), UPG_STORE_CORRUPT */
export function readSdkKey(folder: string, name: string, password: string): SdkKey | undefined {
  const path = join(folder, name + SUFFIX);
  const bytes = readFileIfThere(path);
  if (!bytes) return undefined;
  const corrupt = (cause: unknown) =>
    new UpgradeError("UPG_STORE_CORRUPT", `${path} is not a key of the Cosmos SDK 0.46 or later: ${messageOf(cause)}`, {
      cause,
    });
  try {
    return readRecord(itemData(openJwe(decodeText(bytes), password)));
  } catch (cause) {
    throw isUpgradeError(cause) && cause.message.startsWith("wrong password") ? cause : corrupt(cause);
  }
}

interface JweHeader {
  readonly alg?: unknown;
  readonly enc?: unknown;
  readonly p2c?: unknown;
  readonly p2s?: unknown;
}

/** Opens a compact JWE (RFC 7516) with PBES2-HS256+A128KW and A256GCM (RFC 7518), which is what these files are. */
function openJwe(text: string, password: string): Uint8Array {
  const parts = text.trim().split(".");
  const [header = "", wrapped = "", nonce = "", sealed = "", tag = ""] = parts;
  const { alg, enc, p2c, p2s } = JSON.parse(decodeText(base64urlnopad.decode(header))) as JweHeader;
  if (parts.length !== 5 || alg !== "PBES2-HS256+A128KW" || enc !== "A256GCM") throw new Error("unknown encryption");
  if (typeof p2c !== "number" || !Number.isInteger(p2c) || p2c < 1 || p2c > ROUNDS_MAX || typeof p2s !== "string") {
    throw new Error("its number of rounds or its salt is out of range");
  }
  const salt = concatBytes(utf8(alg), Uint8Array.of(0), base64urlnopad.decode(p2s));
  const wrappingKey = pbkdf2(sha256, utf8(password), salt, { c: p2c, dkLen: 16 });
  const bytes = concatBytes(base64urlnopad.decode(sealed), base64urlnopad.decode(tag));
  try {
    const key = aeskw(wrappingKey).decrypt(base64urlnopad.decode(wrapped));
    return gcm(key, base64urlnopad.decode(nonce), utf8(header)).decrypt(bytes);
  } catch (cause) {
    throw wrongPassword(cause);
  }
}

/** The record within the keyring's item, which is JSON: `Key`, `Data` (base64), labels. */
function itemData(item: Uint8Array): Uint8Array {
  const { Data } = JSON.parse(decodeText(item)) as { readonly Data?: unknown };
  if (typeof Data !== "string") throw new Error("it has no Data");
  return base64.decode(Data);
}

/** `cosmos.crypto.keyring.v1.Record`: name, public key, then one of local, ledger, multi and offline. */
function readRecord(bytes: Uint8Array): SdkKey {
  const record = new Fields(bytes, "key record", ["bytes", "bytes", "bytes", "bytes", "bytes", "bytes"]);
  if (record.has(3)) {
    const local = new Fields(record.bytes(3), "local key", ["bytes"]);
    const { typeUrl, value } = readAny(local.required(1));
    if (typeUrl !== SECP256K1_PRIVATE_URL) throw new Error(`keys of type ${typeUrl} are not supported`);
    return { local: privateKey(new Fields(value, "private key", ["bytes"]).bytes(1)) };
  }
  const any = readAny(record.required(2));
  const publicKey = readKey(any);
  if (!publicKey) throw new Error(`keys of type ${any.typeUrl} are not supported`);
  return { publicKey };
}

function readAny(bytes: Uint8Array): { typeUrl: string; value: Uint8Array } {
  const any = new Fields(bytes, "key", ["bytes", "bytes"]);
  return { typeUrl: any.text(1), value: any.bytes(2) };
}

function privateKey(bytes: Uint8Array): AccountKey {
  if (bytes.length !== PRIVATE_KEY_BYTES) throw new Error(`its private key has ${bytes.length} bytes, not 32`);
  return accountKey(bytes.slice());
}

const BEGIN = "-----BEGIN TENDERMINT PRIVATE KEY-----";
const END = "-----END TENDERMINT PRIVATE KEY-----";

/** Is the text armor as `keys export` of the Cosmos SDK prints it? Other lines around it are allowed. */
export function isArmor(text: string): boolean {
  return text.includes(BEGIN);
}

/**
 * Opens the armor of the Cosmos SDK's `keys export`: OpenPGP's text form, argon2id, ChaCha20-Poly1305.
 *
 * @throws UpgradeError UPG_INVALID_ARGUMENT when it is malformed, or the password is wrong
 */
export function openArmor(text: string, password: string): AccountKey {
  const { headers, bytes } = readArmor(text);
  const kdf = headers.get("kdf");
  if (kdf !== "argon2") {
    throw wrong(
      `its key derivation is "${(kdf ?? "").slice(0, 40)}" and only argon2 (Cosmos SDK 0.50 and later) is supported. Export the key with --unarmored-hex --unsafe, and pass the hex to \`keys import-hex\``,
    );
  }
  const type = headers.get("type") ?? "secp256k1";
  if (type !== "secp256k1") throw wrong(`keys of type "${type.slice(0, 40)}" are not supported`);
  const salt = headers.get("salt") ?? "";
  if (!/^[0-9A-Fa-f]{32}$/.test(salt)) throw wrong("its salt is not 32 hex digits");
  const key = argon2id(utf8(password), fromHex(salt.toLowerCase()), ARGON2);
  let amino: Uint8Array;
  try {
    amino = chacha20poly1305(key, ZERO_NONCE).decrypt(bytes);
  } catch (cause) {
    throw wrongPassword(cause);
  }
  const isKey = equalBytes(amino.subarray(0, AMINO_PRIVATE.length), AMINO_PRIVATE);
  if (!isKey || amino.length !== AMINO_PRIVATE.length + PRIVATE_KEY_BYTES)
    throw wrong("it does not hold a secp256k1 key");
  return privateKey(amino.subarray(AMINO_PRIVATE.length));
}

/** Headers and body. The checksum line is not compared: the seal of the body authenticates it. */
function readArmor(text: string): { headers: ReadonlyMap<string, string>; bytes: Uint8Array } {
  const lines = text.split("\n").map((line) => line.trim());
  const [begin, end] = [lines.indexOf(BEGIN), lines.indexOf(END)];
  const blank = lines.indexOf("", begin);
  if (begin < 0 || end < begin || blank < 0 || blank > end) throw wrong("it is cut off");
  const headers = lines.slice(begin + 1, blank).map((line): [string, string] => {
    const colon = line.indexOf(":");
    return [line.slice(0, colon), line.slice(colon + 1).trim()];
  });
  const body = lines.slice(blank + 1, end).filter((line) => !line.startsWith("="));
  try {
    return { headers: new Map(headers), bytes: base64.decode(body.join("")) };
  } catch (cause) {
    throw wrong("its body is not base64", cause);
  }
}

const wrong = (what: string, cause?: unknown) =>
  new UpgradeError("UPG_INVALID_ARGUMENT", `cannot read the armored key: ${what}`, { cause });

const wrongPassword = (cause: unknown) =>
  new UpgradeError("UPG_INVALID_ARGUMENT", "wrong password, or the key was changed", { cause });
