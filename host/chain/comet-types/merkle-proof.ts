/** Merkle proofs in protobuf form. */

import { WireWriter } from "../../base/wire/wire.js";
import { Fields } from "../../base/wire/wire-fields.js";
import { checkMerkleProof, type MerkleProof } from "../../state/commitment/merkle.js";

/** `tendermint.crypto.Proof` */
export function encodeMerkleProof(proof: MerkleProof): Uint8Array {
  const writer = new WireWriter().int(1, proof.total).int(2, proof.index).bytes(3, proof.leafHash);
  for (const aunt of proof.aunts) writer.message(4, aunt);
  return writer.finish();
}

/** @throws UpgradeError UPG_INVALID_ARGUMENT, UPG_PROOF_MALFORMED */
export function decodeMerkleProof(bytes: Uint8Array): MerkleProof {
  const fields = new Fields(bytes, "Proof", ["varint", "varint", "bytes", "list"]);
  const proof: MerkleProof = {
    total: Number(fields.int64(1)),
    index: Number(fields.int64(2)),
    leafHash: fields.bytes(3),
    aunts: fields.list(4),
  };
  checkMerkleProof(proof);
  return proof;
}
