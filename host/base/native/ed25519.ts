/**
 * Keys and signatures of ed25519 by OpenSSL. In JavaScript the first of them costs 100 ms of CPU in each thread, for tables that
 * a node uses a few times. RFC 8032 leaves no choice: the bytes are the same.
 */
import { createPrivateKey, createPublicKey, type KeyObject, sign } from "node:crypto";
import { UpgradeError } from "../errors/errors.js";
import { fromHex } from "../text/bytes.js";

/** PKCS #8 of a seed, up to the seed. */
const SEED_HEADER = fromHex("302e020100300506032b657004220420");
const SEED_BYTES = 32;
const PUBLIC_KEY_BYTES = 32;

/** The public key of a seed, 32 bytes. @throws UpgradeError UPG_INVALID_ARGUMENT for a seed of another length */
export function ed25519PublicKey(seed: Uint8Array): Uint8Array {
  const spki = createPublicKey(keyOf(seed)).export({ format: "der", type: "spki" });
  return new Uint8Array(spki.subarray(-PUBLIC_KEY_BYTES));
}

/** The signature of `message`, 64 bytes. @throws UpgradeError UPG_INVALID_ARGUMENT for a seed of another length */
export function signEd25519(seed: Uint8Array, message: Uint8Array): Uint8Array {
  return new Uint8Array(sign(null, message, keyOf(seed)));
}

function keyOf(seed: Uint8Array): KeyObject {
  if (seed.length !== SEED_BYTES) {
    throw new UpgradeError("UPG_INVALID_ARGUMENT", `a seed of ed25519 has ${SEED_BYTES} bytes, got ${seed.length}`);
  }
  const key = Buffer.concat([SEED_HEADER, seed]);
  try {
    return createPrivateKey({ key, format: "der", type: "pkcs8" });
  } finally {
    key.fill(0);
  }
}
