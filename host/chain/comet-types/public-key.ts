/** Public keys of validators as messages hold them. No curve is needed here, so light clients stay small. */
import { WireWriter } from "../../base/wire/wire.js";
import { Fields, rule } from "../../base/wire/wire-fields.js";

export type KeyType = "ed25519" | "secp256k1";

export interface PublicKey {
  readonly type: KeyType;
  /** ed25519: 32 bytes; secp256k1: 33 bytes, compressed. */
  readonly bytes: Uint8Array;
}

export const PUBLIC_KEY_BYTES = Object.freeze({ ed25519: 32, secp256k1: 33 });

/** Checks a signature; returns false to anything malformed. */
export type VerifySignature = (key: PublicKey, message: Uint8Array, signature: Uint8Array) => boolean;

/** `tendermint.crypto.PublicKey`, a oneof. */
export function encodePublicKey(key: PublicKey): Uint8Array {
  return new WireWriter().message(key.type === "ed25519" ? 1 : 2, key.bytes).finish();
}

/** @throws UpgradeError UPG_INVALID_ARGUMENT */
export function decodePublicKey(bytes: Uint8Array): PublicKey {
  const fields = new Fields(bytes, "PublicKey", ["bytes", "bytes"]);
  rule(fields.has(1) !== fields.has(2), "malformed PublicKey: it holds not exactly one key");
  const key: PublicKey = fields.has(1)
    ? { type: "ed25519", bytes: fields.bytes(1) }
    : { type: "secp256k1", bytes: fields.bytes(2) };
  checkPublicKey(key);
  return key;
}

/** @throws UpgradeError UPG_INVALID_ARGUMENT when it has another length than its type. */
export function checkPublicKey({ type, bytes }: PublicKey): void {
  const expected = PUBLIC_KEY_BYTES[type];
  rule(bytes.length === expected, `a public key of ${type} has ${expected} bytes, got ${bytes.length}`);
}
