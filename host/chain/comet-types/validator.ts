/** One validator: who it is, its voting power, and its place in the rotation of proposers. */

import { ADDRESS_BYTES } from "../../base/text/bytes.js";
import type { Sha256 } from "../../base/types/types.js";
import { WireWriter } from "../../base/wire/wire.js";
import { Fields, invalid, rule } from "../../base/wire/wire-fields.js";
import { addressOf } from "./keys.js";
import { decodePublicKey, encodePublicKey, type PublicKey } from "./public-key.js";

export interface Validator {
  /** 20 bytes, derived from the key. */
  readonly address: Uint8Array;
  readonly publicKey: PublicKey;
  /** int64, not negative. */
  readonly power: bigint;
  /** int64; the one with the greatest proposes next. No part of any hash. */
  readonly priority: bigint;
}

/** A validator that has not proposed yet. @throws UpgradeError UPG_INVALID_ARGUMENT */
export function newValidator(sha256: Sha256, publicKey: PublicKey, power: bigint): Validator {
  return { address: addressOf(sha256, publicKey), publicKey, power, priority: 0n };
}

/** `tendermint.types.SimpleValidator`: the leaf in the hash of a validator set. */
export function validatorLeaf(validator: Validator): Uint8Array {
  return new WireWriter().message(1, encodePublicKey(validator.publicKey)).int(2, validator.power).finish();
}

/** `tendermint.types.Validator` */
export function encodeValidator(validator: Validator): Uint8Array {
  return new WireWriter()
    .bytes(1, validator.address)
    .message(2, encodePublicKey(validator.publicKey))
    .int(3, validator.power)
    .int(4, validator.priority)
    .finish();
}

/** Whether the address is that of the key needs a hash: `validateValidatorSet`. @throws UpgradeError UPG_INVALID_ARGUMENT */
export function decodeValidator(bytes: Uint8Array): Validator {
  const fields = new Fields(bytes, "Validator", ["bytes", "bytes", "varint", "varint"]);
  const address = fields.bytes(1);
  rule(address.length === ADDRESS_BYTES, "malformed Validator: an address has 20 bytes");
  const power = fields.int64(3);
  if (power < 0n) throw invalid(`malformed Validator: power ${power} is negative`);
  return { address, publicKey: decodePublicKey(fields.required(2)), power, priority: fields.int64(4) };
}
