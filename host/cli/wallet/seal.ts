/**
 * A secret sealed with a password: scrypt makes a key of it, XChaCha20-Poly1305 seals. What the seal must stay with (the
 * key's name and address) is authenticated too, so sealed keys cannot be swapped between files.
 */
import { randomBytes, scryptSync } from "node:crypto";
import { xchacha20poly1305 } from "@noble/ciphers/chacha.js";
import { isUpgradeError, UpgradeError } from "../../base/errors/errors.js";
import { fromBase64, toBase64, utf8 } from "../../base/text/bytes.js";

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

export function seal(secret: Uint8Array, password: string, bound: string): Sealed {
  const salt = randomBytes(SALT_BYTES);
  const nonce = randomBytes(NONCE_BYTES);
  const text = xchacha20poly1305(stretched(password, salt, COST), nonce, utf8(bound)).encrypt(secret);
  const parts = { salt: toBase64(salt), nonce: toBase64(nonce), text: toBase64(text) };
  return { kdf: "scrypt", ...COST, cipher: "xchacha20-poly1305", ...parts };
}

/** @throws UpgradeError UPG_INVALID_ARGUMENT for a wrong password, UPG_STORE_CORRUPT for what was never sealed so */
export function unseal(sealed: unknown, password: string, bound: string): Uint8Array {
  const { n, r, p, salt, nonce, text } = checkSealed(sealed);
  const key = stretched(password, salt, { n, r, p });
  try {
    return xchacha20poly1305(key, nonce, utf8(bound)).decrypt(text);
  } catch (cause) {
    throw new UpgradeError("UPG_INVALID_ARGUMENT", "wrong password, or the file of the key was changed", { cause });
  }
}

/** Is it the password of what was sealed? @throws UpgradeError UPG_STORE_CORRUPT */
export function opens(sealed: unknown, password: string, bound: string): boolean {
  try {
    unseal(sealed, password, bound);
    return true;
  } catch (error) {
    if (isUpgradeError(error) && error.code === "UPG_INVALID_ARGUMENT") return false;
    throw error;
  }
}

function stretched(password: string, salt: Uint8Array, { n, r, p }: { n: number; r: number; p: number }): Uint8Array {
  const options = { N: n, r, p, maxmem: 2 ** 31 };
  // A copy: a Buffer may be a part of memory that others use.
  return Uint8Array.from(scryptSync(utf8(password.normalize("NFKC")), salt, KEY_BYTES, options));
}

/** The numbers, and the bytes of the texts. */
function checkSealed(value: unknown) {
  const sealed = (typeof value === "object" && value !== null ? value : {}) as Partial<Sealed>;
  const { n = 0, r = 0, p = 0 } = sealed;
  const isWork = Number.isSafeInteger(n) && n >= 2 && n <= COST_MAX.n && Number.isInteger(Math.log2(n));
  const isShape = r >= 1 && r <= COST_MAX.r && p >= 1 && p <= COST_MAX.p && Number.isInteger(r) && Number.isInteger(p);
  const [salt, nonce, text] = [sealed.salt, sealed.nonce, sealed.text].map(bytesOf);
  const isKind = sealed.kdf === "scrypt" && sealed.cipher === "xchacha20-poly1305";
  if (!isKind || !isWork || !isShape || !salt || nonce?.length !== NONCE_BYTES || !text || text.length < TAG_BYTES) {
    throw new UpgradeError("UPG_STORE_CORRUPT", "the sealed part of the key is not what this program writes");
  }
  return { n, r, p, salt, nonce, text };
}

/** Undefined for what is no text in base64. */
export function bytesOf(text: unknown): Uint8Array | undefined {
  try {
    return typeof text === "string" ? fromBase64(text) : undefined;
  } catch {
    return undefined;
  }
}
