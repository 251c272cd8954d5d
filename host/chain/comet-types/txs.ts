/** Transactions of a block: their hash in the header, and proofs that a block holds one. */

import { UpgradeError } from "../../base/errors/errors.js";
import { equalBytes } from "../../base/text/bytes.js";
import type { Sha256 } from "../../base/types/types.js";
import { WireWriter } from "../../base/wire/wire.js";
import { Fields } from "../../base/wire/wire-fields.js";
import { type MerkleProof, merkleProofs, merkleRoot, verifyMerkleProof } from "../../state/commitment/merkle.js";
import { decodeMerkleProof, encodeMerkleProof } from "./merkle-proof.js";

/** Proof that a transaction is in a block. */
export interface TxProof {
  /** The header's `dataHash`. */
  readonly rootHash: Uint8Array;
  readonly tx: Uint8Array;
  readonly proof: MerkleProof;
}

/** Merkle root over the hashes of the transactions: a header's `dataHash`. */
export function txsHash(sha256: Sha256, txs: readonly Uint8Array[]): Uint8Array {
  return merkleRoot(
    sha256,
    txs.map((tx) => sha256(tx)),
  );
}

/** One proof per transaction. */
export function txProofs(sha256: Sha256, txs: readonly Uint8Array[]): TxProof[] {
  const { root, proofs } = merkleProofs(
    sha256,
    txs.map((tx) => sha256(tx)),
  );
  return txs.map((tx, index) => ({ rootHash: root, tx, proof: proofs[index] as MerkleProof }));
}

/** Checks a proof against a header's `dataHash`. @throws UpgradeError UPG_PROOF_* */
export function verifyTxProof(sha256: Sha256, dataHash: Uint8Array, proof: TxProof): void {
  if (!equalBytes(proof.rootHash, dataHash)) {
    throw new UpgradeError("UPG_PROOF_ROOT", "the transaction's proof is for another data hash");
  }
  verifyMerkleProof(sha256, dataHash, sha256(proof.tx), proof.proof);
}

/** `tendermint.types.TxProof` */
export function encodeTxProof({ rootHash, tx, proof }: TxProof): Uint8Array {
  return new WireWriter().bytes(1, rootHash).bytes(2, tx).message(3, encodeMerkleProof(proof)).finish();
}

/** @throws UpgradeError UPG_INVALID_ARGUMENT, UPG_PROOF_MALFORMED */
export function decodeTxProof(bytes: Uint8Array): TxProof {
  const fields = new Fields(bytes, "TxProof", ["bytes", "bytes", "bytes"]);
  return { rootHash: fields.hash(1), tx: fields.bytes(2), proof: decodeMerkleProof(fields.required(3)) };
}
