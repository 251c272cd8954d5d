/**
 * Verifies ICS-23 proofs that a key is absent from a store's IAVL+ tree: its neighbours are in the tree, on both sides
 * of the key, and no leaf is between them. The rules are those of ICS-23's reference verifiers.
 */

import { UpgradeError } from "../../base/errors/errors.js";
import { compareBytes, equalBytes } from "../../base/text/bytes.js";
import type { KeyValue, Sha256 } from "../../base/types/types.js";
import { decodeAbsence, type Existence, IAVL, malformed, type ProofStep, rootOfExistence } from "./existence.js";
import { bothProofs, verifyStoreRoot } from "./verify-existence.js";

export interface AbsenceProof {
  readonly store: string;
  readonly key: Uint8Array;
  /** What the proof must lead to: the next header's app hash. */
  readonly appHash: Uint8Array;
  /** Bytes of two CommitmentProofs: of the key's neighbours in the store, of the store in the app hash. */
  readonly proofs: readonly Uint8Array[];
}

/** The pairs next to a key that is absent, proven to be in the tree; undefined where the tree ends. */
export interface Neighbours {
  readonly left: KeyValue | undefined;
  readonly right: KeyValue | undefined;
}

/**
 * The neighbours of a key that is proven to be absent. A tree without keys has no such proof.
 *
 * @throws UpgradeError UPG_PROOF_MALFORMED, UPG_PROOF_KEY, UPG_PROOF_ROOT, UPG_PROOF_EMPTY_VALUE
 */
export function verifyStoreAbsence(sha256: Sha256, { store, key, appHash, proofs }: AbsenceProof): Neighbours {
  const [ofKey, ofStore] = bothProofs(proofs);
  const { left, right } = decodeAbsence(ofKey);
  if (!left && !right) throw malformed("a proof of absence names at least one neighbour");
  if (key.length === 0) throw new UpgradeError("UPG_PROOF_EMPTY_VALUE", "no ICS-23 verifier accepts an empty key");
  const isBetween =
    (!left || compareBytes(left.provenKey, key) < 0) && (!right || compareBytes(key, right.provenKey) < 0);
  if (!isBetween) throw new UpgradeError("UPG_PROOF_KEY", "the key is not between the neighbours of the proof");
  checkNothingBetween(left, right);
  const [root = undefined, other = root] = [left, right].flatMap((each) =>
    each ? [rootOfExistence(sha256, IAVL, each)] : [],
  );
  if (!root || !other || !equalBytes(root, other)) throw malformed("the neighbours are of different trees");
  verifyStoreRoot(sha256, store, root, ofStore, appHash);
  return { left: left && [left.provenKey, left.provenValue], right: right && [right.provenKey, right.provenValue] };
}

/** Up to where the ways part, left goes one way and right the other; below, each keeps to the other's side. */
function checkNothingBetween(left: Existence | undefined, right: Existence | undefined): void {
  const [toLeft, toRight] = [left?.path ?? [], right?.path ?? []];
  let [leftEnd, rightEnd] = [toLeft.length, toRight.length];
  if (left && right) {
    do {
      leftEnd--;
      rightEnd--;
    } while (isSameStep(toLeft[leftEnd], toRight[rightEnd]));
    if (sideOf(toLeft[leftEnd]) !== 0 || sideOf(toRight[rightEnd]) !== 1) throw apart();
  }
  for (const step of toLeft.slice(0, leftEnd)) if (sideOf(step) !== 1) throw apart();
  for (const step of toRight.slice(0, rightEnd)) if (sideOf(step) !== 0) throw apart();
}

function isSameStep(a: ProofStep | undefined, b: ProofStep | undefined): boolean {
  return a !== undefined && b !== undefined && equalBytes(a.prefix, b.prefix) && equalBytes(a.suffix, b.suffix);
}

/** Is the child the left (0) or the right (1) one? The other's hash comes after it, or before. */
function sideOf(step: ProofStep | undefined): 0 | 1 | undefined {
  if (!step || !IAVL.innerPrefix(step.prefix)) return undefined;
  const hasLeft = step.prefix.length > IAVL.suffixUnit;
  if (step.suffix.length === (hasLeft ? 0 : IAVL.suffixUnit)) return hasLeft ? 1 : 0;
  return undefined;
}

function apart(): UpgradeError {
  return malformed("the neighbours of the proof are not next to each other");
}
