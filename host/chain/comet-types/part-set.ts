/** The parts in which a block is sent, and the root that names them. */

import { UpgradeError } from "../../base/errors/errors.js";
import type { Sha256 } from "../../base/types/types.js";
import { type MerkleProof, merkleProofs, verifyMerkleProof } from "../../state/commitment/merkle.js";
import type { PartSetHeader } from "./block-id.js";

/** Size of every part but the last. */
export const PART_BYTES = 65_536;

export interface Part {
  readonly index: number;
  /** A view of the whole. */
  readonly bytes: Uint8Array;
  readonly proof: MerkleProof;
}

export interface PartSet {
  readonly header: PartSetHeader;
  readonly parts: readonly Part[];
}

/** Cuts an encoded block into parts. */
export function makePartSet(sha256: Sha256, bytes: Uint8Array): PartSet {
  const pieces: Uint8Array[] = [];
  for (let at = 0; at < bytes.length; at += PART_BYTES) pieces.push(bytes.subarray(at, at + PART_BYTES));
  const { root, proofs } = merkleProofs(sha256, pieces);
  const parts = proofs.map((proof, index) => ({ index, bytes: pieces[index] as Uint8Array, proof }));
  return { header: { total: pieces.length, hash: root }, parts };
}

/** Checks that a part belongs to the set that `header` names. @throws UpgradeError UPG_PROOF_* */
export function verifyPart(sha256: Sha256, header: PartSetHeader, part: Part): void {
  const { index, bytes, proof } = part;
  const isLast = index === header.total - 1;
  const isSized = isLast ? bytes.length > 0 && bytes.length <= PART_BYTES : bytes.length === PART_BYTES;
  if (proof.total !== header.total || proof.index !== index || !isSized) {
    throw new UpgradeError("UPG_PROOF_MALFORMED", `part ${index} of ${header.total} has another place or size`);
  }
  verifyMerkleProof(sha256, header.hash, bytes, proof);
}
