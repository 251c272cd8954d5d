/**
 * ed25519 signatures of validators, by the machine's WebCrypto where it has the curve, else in JavaScript. Verdicts are
 * those of ZIP 215, which CometBFT has: what WebCrypto accepts, ZIP 215 accepts too, and what it refuses is asked again.
 */
import { ed25519 } from "@noble/curves/ed25519.js";
import { SIGNATURE_BYTES } from "../base/text/bytes.js";
import { PUBLIC_KEY_BYTES } from "../chain/comet-types/public-key.js";

/** Is it the key's signature of the message? Never rejects: malformed input is false. */
export type VerifyEd25519 = (key: Uint8Array, message: Uint8Array, signature: Uint8Array) => boolean | Promise<boolean>;

/** The part of WebCrypto that is used: `globalThis.crypto.subtle`. Written out, since not every project has its declarations. */
export interface Subtle {
  importKey(
    format: "raw",
    key: Bytes,
    algorithm: Algorithm,
    isExtractable: boolean,
    usages: ["verify"],
  ): Promise<unknown>;
  verify(algorithm: Algorithm, key: unknown, signature: Bytes, message: Bytes): Promise<boolean>;
}
type Bytes = Uint8Array<ArrayBuffer>;
interface Algorithm {
  readonly name: "Ed25519";
}

/**
 * The verdict of ZIP 215, in JavaScript alone.
 *
 * @example
 * console.log(verifyByNoble(new Uint8Array(32), new Uint8Array(), new Uint8Array(63))); // → false
 */
export function verifyByNoble(key: Uint8Array, message: Uint8Array, signature: Uint8Array): boolean {
  try {
    if (key.length !== PUBLIC_KEY_BYTES.ed25519 || signature.length !== SIGNATURE_BYTES) return false;
    return ed25519.verify(signature, message, key);
  } catch {
    return false;
  }
}

/**
 * A verifier that asks WebCrypto first; without it, or where it does not know the curve, {@link verifyByNoble} alone.
 *
 * @example
 * const verify = verifierOf(undefined);
 * const [message, signature] = [new TextEncoder().encode("vote"), new Uint8Array(64)];
 * console.log(await verify(new Uint8Array(32).fill(7), message, signature)); // → false
 */
export function verifierOf(subtle: Subtle | undefined = globalThis.crypto?.subtle): VerifyEd25519 {
  if (!subtle) return verifyByNoble;
  return async (key, message, signature) =>
    (await acceptedBy(subtle, key, message, signature)) || verifyByNoble(key, message, signature);
}

async function acceptedBy(subtle: Subtle, key: Uint8Array, message: Uint8Array, signature: Uint8Array) {
  try {
    const imported = await subtle.importKey("raw", owned(key), { name: "Ed25519" }, false, ["verify"]);
    return await subtle.verify({ name: "Ed25519" }, imported, owned(signature), owned(message));
  } catch {
    return false;
  }
}

/** WebCrypto takes no view of memory that is shared. */
const owned = (bytes: Uint8Array) => new Uint8Array(bytes);
