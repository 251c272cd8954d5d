/**
 * A secret sealed with a password: scrypt makes a key of it, XChaCha20-Poly1305 seals. What the seal must stay with (the
 * key's name and address) is authenticated too, so sealed keys cannot be swapped between files.
 */
import { randomBytes } from "node:crypto";
import { xchacha20poly1305 } from "@noble/ciphers/chacha.js";
import { scrypt } from "@noble/hashes/scrypt.js";
import { utf8 } from "../bytes.js";
import { UpgradeError } from "../errors.js";

export interface Sealed {
  readonly kdf: "scrypt";
  readonly n: number;
  readonly r: number;
  readonly p: number;
  readonly cipher: "xchacha20-poly1305";
  /** Base64, all three. */
  readonly salt: string;
  readonly nonce: string;
  readonly text: string;
}

const COST = { n: 2 ** 16, r: 8, p: 1 } as const;
/** A file may not ask for more work than this. */
const COST_MAX = { n: 2 ** 20, r: 16, p: 4 } as const;
const KEY_BYTES = 32;
const SALT_BYTES = 16;
const NONCE_BYTES = 24;
const TAG_BYTES = 16;

const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString("base64");
const fromBase64 = (text: string) => new Uint8Array(Buffer.from(text, "base64"));

export function seal(secret: Uint8Array, password: string, bound: string): Sealed {
  const salt = randomBytes(SALT_BYTES);
  const nonce = randomBytes(NONCE_BYTES);
  const text = xchacha20poly1305(stretched(password, salt, COST), nonce, utf8(bound)).encrypt(secret);
  const parts = { salt: base64(salt), nonce: base64(nonce), text: base64(text) };
  return { kdf: "scrypt", ...COST, cipher: "xchacha20-poly1305", ...parts };
}

/** @throws UpgradeError UPG_INVALID_ARGUMENT for a wrong password, UPG_STORE_CORRUPT for what was never sealed so */
export function unseal(sealed: unknown, password: string, bound: string): Uint8Array {
  const { n, r, p, salt, nonce, text } = checkSealed(sealed);
  const key = stretched(password, fromBase64(salt), { n, r, p });
  try {
    return xchacha20poly1305(key, fromBase64(nonce), utf8(bound)).decrypt(fromBase64(text));
  } catch (cause) {
    throw new UpgradeError("UPG_INVALID_ARGUMENT", "wrong password, or the file of the key was changed", { cause });
  }
}

function stretched(password: string, salt: Uint8Array, { n, r, p }: { n: number; r: number; p: number }): Uint8Array {
  return scrypt(utf8(password.normalize("NFKC")), salt, { N: n, r, p, dkLen: KEY_BYTES, maxmem: 2 ** 31 });
}

function checkSealed(value: unknown): Sealed {
  const sealed = (typeof value === "object" && value !== null ? value : {}) as Partial<Sealed>;
  const { n = 0, r = 0, p = 0, salt = "", nonce = "", text = "" } = sealed;
  const isWork = Number.isSafeInteger(n) && n >= 2 && n <= COST_MAX.n && Number.isInteger(Math.log2(n));
  const isShape = r >= 1 && r <= COST_MAX.r && p >= 1 && p <= COST_MAX.p && Number.isInteger(r) && Number.isInteger(p);
  const isText = [salt, nonce, text].every((each) => typeof each === "string");
  const isKind = sealed.kdf === "scrypt" && sealed.cipher === "xchacha20-poly1305";
  const isLong = isText && fromBase64(nonce).length === NONCE_BYTES && fromBase64(text).length >= TAG_BYTES;
  if (!isKind || !isWork || !isShape || !isLong) {
    throw new UpgradeError("UPG_STORE_CORRUPT", "the sealed part of the key is not what this program writes");
  }
  return sealed as Sealed;
}
