/**
 * Validator keys: ed25519 (verified by the rules of ZIP 215, as CometBFT does) and secp256k1 (ECDSA over sha256 of
 * the message, 64 bytes r ‖ s, low s only). Addresses have 20 bytes.
 */
import { ed25519 } from "@noble/curves/ed25519.js";
import { secp256k1 } from "@noble/curves/secp256k1.js";
import { ripemd160 } from "@noble/hashes/legacy.js";
import { assert } from "../../base/errors/errors.js";
import { ADDRESS_BYTES, SIGNATURE_BYTES } from "../../base/text/bytes.js";
import type { Sha256 } from "../../base/types/types.js";
import { invalid } from "../../base/wire/wire-fields.js";
import { checkPublicKey, type KeyType, PUBLIC_KEY_BYTES, type PublicKey, type VerifySignature } from "./public-key.js";

export type { KeyType, PublicKey, VerifySignature } from "./public-key.js";

const curveOf = (type: KeyType) => ({ ed25519, secp256k1 })[type];

/** A program loads the curves when they are first used. Never in a block: what is loaded there runs on the block's stack. */
export function loadCurves(): void {
  for (const type of ["ed25519", "secp256k1"] as const) assert(curveOf(type), `no curve ${type}`);
}

/** ed25519: first 20 bytes of sha256(key); secp256k1: ripemd160(sha256(key)). @throws UpgradeError UPG_INVALID_ARGUMENT */
export function addressOf(sha256: Sha256, key: PublicKey): Uint8Array {
  checkPublicKey(key);
  const hash = sha256(key.bytes);
  return key.type === "ed25519" ? new Uint8Array(hash.subarray(0, ADDRESS_BYTES)) : ripemd160(hash);
}

/** `privateKey`: 32 bytes (for ed25519 the seed). @throws UpgradeError UPG_INVALID_ARGUMENT */
export function publicKeyOf(type: KeyType, privateKey: Uint8Array): PublicKey {
  return { type, bytes: withPrivateKey(type, () => curveOf(type).getPublicKey(privateKey)) };
}

/** Deterministic signature of 64 bytes. @throws UpgradeError UPG_INVALID_ARGUMENT when it is not a private key. */
export function sign(type: KeyType, privateKey: Uint8Array, message: Uint8Array): Uint8Array {
  return withPrivateKey(type, () => curveOf(type).sign(message, privateKey));
}

export const verifySignature: VerifySignature = (key, message, signature) => {
  if (signature.length !== SIGNATURE_BYTES || key.bytes.length !== PUBLIC_KEY_BYTES[key.type]) return false;
  return curveOf(key.type).verify(signature, message, key.bytes);
};

/** `verifySignature` with another implementation of secp256k1, which must give the same verdicts. */
export function verifierWith(
  secp256k1: (publicKey: Uint8Array, message: Uint8Array, signature: Uint8Array) => boolean,
): VerifySignature {
  return (key, message, signature) =>
    key.type === "secp256k1" ? secp256k1(key.bytes, message, signature) : verifySignature(key, message, signature);
}

/** The library's own errors never carry the key, but their texts are not ours. */
function withPrivateKey<T>(type: KeyType, use: () => T): T {
  try {
    return use();
  } catch (cause) {
    throw invalid(`not a private key of ${type}: it must be 32 bytes in the curve's range`, cause);
  }
}
