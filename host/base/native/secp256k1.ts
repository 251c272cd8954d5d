/**
 * Signatures by OpenSSL, several times as fast as in JavaScript. It takes signatures with a high s, which are refused
 * first.
 */
import { createPublicKey, verify } from "node:crypto";
import { fromHex } from "../text/bytes.js";

/** SubjectPublicKeyInfo of a compressed secp256k1 key, up to the key. */
const KEY_HEADER = fromHex("3036301006072a8648ce3d020106052b8104000a032200");
const KEY_BYTES = 33;
const SIGNATURE_BYTES = 64;
/** Half of the group's order: the greatest low s. */
const LOW_S_MAX = fromHex("7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0");

/** ECDSA over SHA-256 of the message: `publicKey` of 33 bytes, `signature` r ‖ s. False for anything malformed. */
export function verifySecp256k1(publicKey: Uint8Array, message: Uint8Array, signature: Uint8Array): boolean {
  if (publicKey.length !== KEY_BYTES || signature.length !== SIGNATURE_BYTES) return false;
  if (Buffer.compare(signature.subarray(SIGNATURE_BYTES / 2), LOW_S_MAX) > 0) return false;
  try {
    const key = createPublicKey({ key: Buffer.concat([KEY_HEADER, publicKey]), format: "der", type: "spki" });
    return verify("sha256", message, { key, dsaEncoding: "ieee-p1363" }, signature);
  } catch {
    return false; // no point of the curve
  }
}
