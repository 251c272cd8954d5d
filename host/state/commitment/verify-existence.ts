/**
 * Verifies ICS-23 existence proofs, up to the app hash: that a key has a value in a store's IAVL+ tree, and that the
 * tree's root is in the app hash. The rules are those of the two proof specifications, strictly.
 */

import { UpgradeError } from "../../base/errors/errors.js";
import { equalBytes, utf8 } from "../../base/text/bytes.js";
import type { Sha256 } from "../../base/types/types.js";
import { decodePresence, IAVL, malformed, type ProofSpec, rootOfExistence, SIMPLE } from "./existence.js";

export interface StoreProof {
  readonly store: string;
  readonly key: Uint8Array;
  readonly value: Uint8Array;
  /** What the proof must lead to: the next header's app hash. */
  readonly appHash: Uint8Array;
  /** Bytes of two CommitmentProofs: of the key in the store, of the store in the app hash. */
  readonly proofs: readonly Uint8Array[];
}

/** @throws UpgradeError UPG_PROOF_MALFORMED, UPG_PROOF_KEY, UPG_PROOF_VALUE, UPG_PROOF_ROOT, UPG_PROOF_EMPTY_VALUE */
export function verifyStoreProof(sha256: Sha256, { store, key, value, appHash, proofs }: StoreProof): void {
  const [ofKey, ofStore] = bothProofs(proofs);
  const root = existenceRoot(sha256, IAVL, ofKey, key, value);
  verifyStoreRoot(sha256, store, root, ofStore, appHash);
}

/** @throws UpgradeError UPG_PROOF_MALFORMED unless there are two. */
export function bothProofs([ofKey, ofStore, ...more]: readonly Uint8Array[]): [ofKey: Uint8Array, ofStore: Uint8Array] {
  if (!ofKey || !ofStore || more.length > 0) throw malformed("expected two proofs, of the key and of the store");
  return [ofKey, ofStore];
}

/** That a store with this root is in the app hash. @throws UpgradeError as {@link verifyStoreProof} */
export function verifyStoreRoot(
  sha256: Sha256,
  store: string,
  root: Uint8Array,
  proof: Uint8Array,
  appHash: Uint8Array,
): void {
  const found = existenceRoot(sha256, SIMPLE, proof, utf8(store), root);
  if (!equalBytes(found, appHash)) throw new UpgradeError("UPG_PROOF_ROOT", "the proof leads to another app hash");
}

function existenceRoot(
  sha256: Sha256,
  spec: ProofSpec,
  bytes: Uint8Array,
  key: Uint8Array,
  value: Uint8Array,
): Uint8Array {
  const existence = decodePresence(bytes);
  if (!equalBytes(existence.provenKey, key)) {
    throw new UpgradeError("UPG_PROOF_KEY", `the ${spec.name} proof is for another key`);
  }
  if (!equalBytes(existence.provenValue, value)) {
    throw new UpgradeError("UPG_PROOF_VALUE", `the ${spec.name} proof is for another value`);
  }
  return rootOfExistence(sha256, spec, existence);
}
