/**
 * Checks who decided blocks: a header names the set that is stored for its height, which is the one that the header before
 * it announced; and the commit holds one signature of the home's own key, checked by OpenSSL. Blocks from before sets were
 * stored are known by the key alone: where their header names another set, a key signed them that this home no longer has.
 */
import { createPublicKey, type KeyObject, verify } from "node:crypto";
import { equalBytes, fromHex } from "../../base/text/bytes.js";
import type { Height, Sha256 } from "../../base/types/types.js";
import { commitSignBytes, FLAG_ABSENT, FLAG_COMMIT } from "../../chain/comet-types/commit.js";
import type { Header } from "../../chain/comet-types/header.js";
import { addressOf, type PublicKey } from "../../chain/comet-types/keys.js";
import { type ValidatorSet, validatorSetHash } from "../../chain/comet-types/validator-set.js";
import type { StoredBlock } from "./block-store.js";
import { soleValidator } from "./deciding-sets.js";
import type { ValidatorStore } from "./validator-store.js";

/** SubjectPublicKeyInfo of an ed25519 key, up to the key (RFC 8410). */
const KEY_HEADER = fromHex("302a300506032b6570032100");

/** The sets that are stored, each read once while blocks are walked over in order. */
export class SetAudit {
  #known: { readonly from: Height; readonly set: ValidatorSet; readonly hash: Uint8Array } | undefined;

  constructor(
    private readonly sha256: Sha256,
    private readonly store: ValidatorStore,
  ) {}

  /** With the turns of some other height; undefined: none is stored for this one. */
  at(height: Height): { readonly set: ValidatorSet; readonly hash: Uint8Array } | undefined {
    const stored = this.store.storedFor(height);
    if (stored && stored.from !== this.#known?.from) {
      this.#known = { ...stored, hash: validatorSetHash(this.sha256, stored.set) };
    }
    return stored && this.#known;
  }

  /** What is wrong with the set that a header names; undefined: nothing. */
  problem(header: Header, before: Header | undefined): string | undefined {
    const stored = this.at(header.height);
    if (!stored) return undefined;
    if (!equalBytes(header.validatorsHash, stored.hash)) return "the header names another validator set than is stored";
    if (!before || equalBytes(header.validatorsHash, before.nextValidatorsHash)) return undefined;
    return "the header names another validator set than the block before announced";
  }
}

export class CommitAudit {
  readonly #key: KeyObject;
  readonly #address: Uint8Array;
  readonly #sole: ValidatorSet;
  readonly #soleHash: Uint8Array;

  constructor(
    sha256: Sha256,
    key: PublicKey,
    private readonly sets: SetAudit,
  ) {
    this.#key = createPublicKey({ key: Buffer.concat([KEY_HEADER, key.bytes]), format: "der", type: "spki" });
    this.#address = addressOf(sha256, key);
    this.#sole = soleValidator(sha256, key);
    this.#soleHash = validatorSetHash(sha256, this.#sole);
  }

  /** Is it of this key? Only then it can be checked. */
  isOurs({ header }: StoredBlock): boolean {
    return this.#placeIn(this.#setOf(header)) >= 0;
  }

  /** Is there one signature in its commit, of this key, for this block, in its place in the set? */
  isSigned({ header, commit }: StoredBlock): boolean {
    const set = this.#setOf(header);
    const own = this.#placeIn(set);
    const signature = commit.signatures[own];
    if (!signature || commit.signatures.length !== set?.validators.length) return false;
    if (commit.signatures.some(({ flag }, index) => index !== own && flag !== FLAG_ABSENT)) return false;
    if (commit.height !== header.height || signature.flag !== FLAG_COMMIT) return false;
    if (!equalBytes(signature.validatorAddress, this.#address)) return false;
    return verify(null, commitSignBytes(header.chainId, commit, signature), this.#key, signature.signature);
  }

  #placeIn(set: ValidatorSet | undefined): number {
    return set?.validators.findIndex(({ address }) => equalBytes(address, this.#address)) ?? -1;
  }

  /** Undefined: not known. */
  #setOf({ height, validatorsHash }: Header): ValidatorSet | undefined {
    const stored = this.sets.at(height);
    if (stored) return stored.set;
    return equalBytes(validatorsHash, this.#soleHash) ? this.#sole : undefined;
  }
}
