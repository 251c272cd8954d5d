/**
 * Checks the signatures of commits against a home's own key, by OpenSSL: the embedded engine's blocks are decided by that
 * key alone. Blocks whose header names another set of validators were signed by a key that this home no longer has.
 */
import { createPublicKey, type KeyObject, verify } from "node:crypto";
import { equalBytes, fromHex } from "../../bytes.js";
import { commitSignBytes, FLAG_COMMIT } from "../../comet/commit.js";
import { addressOf, type PublicKey } from "../../comet/keys.js";
import { validatorSetHash } from "../../comet/validator-set.js";
import type { Sha256 } from "../../types.js";
import { soleValidator } from "./block-maker.js";
import type { StoredBlock } from "./block-store.js";

/** SubjectPublicKeyInfo of an ed25519 key, up to the key (RFC 8410). */
const KEY_HEADER = fromHex("302a300506032b6570032100");

export class CommitAudit {
  readonly #key: KeyObject;
  readonly #address: Uint8Array;
  readonly #setHash: Uint8Array;

  constructor(sha256: Sha256, key: PublicKey) {
    this.#key = createPublicKey({ key: Buffer.concat([KEY_HEADER, key.bytes]), format: "der", type: "spki" });
    this.#address = addressOf(sha256, key);
    this.#setHash = validatorSetHash(sha256, soleValidator(sha256, key));
  }

  /** Is it of this key? Only then it can be checked. */
  isOurs({ header }: StoredBlock): boolean {
    return equalBytes(header.validatorsHash, this.#setHash);
  }

  /** Is there one signature in its commit, of this key, for this block? */
  isSigned({ header, commit }: StoredBlock): boolean {
    const [signature, ...others] = commit.signatures;
    if (!signature || others.length > 0 || commit.height !== header.height) return false;
    if (signature.flag !== FLAG_COMMIT || !equalBytes(signature.validatorAddress, this.#address)) return false;
    return verify(null, commitSignBytes(header.chainId, commit, signature), this.#key, signature.signature);
  }
}
