/**
 * Merkle trees of RFC 6962 with SHA-256, as CometBFT hashes lists and the multistore its stores:
 *   empty  sha256("")      leaf  sha256( 0x00 ‖ item )      inner  sha256( 0x01 ‖ left ‖ right )
 * The left subtree takes the largest power of two below the count. Level by level that is: hash in pairs, and a node
 * without a partner moves up unchanged.
 */

import { UpgradeError } from "../../base/errors/errors.js";
import { EMPTY, equalBytes } from "../../base/text/bytes.js";
import type { Sha256 } from "../../base/types/types.js";

const HASH_BYTES = 32;
const LEAF_PREFIX = 0;
const INNER_PREFIX = 1;
/** CometBFT's bound on a proof's length; no real tree comes near it. */
export const MERKLE_AUNTS_MAX = 100;

/** Proof that an item is at `index` of `total` items. */
export interface MerkleProof {
  readonly total: number;
  readonly index: number;
  /** Hash of the leaf, 32 bytes. */
  readonly leafHash: Uint8Array;
  /** Hashes of the siblings on the way up, the leaf's own first; 32 bytes each. */
  readonly aunts: readonly Uint8Array[];
}

/** Root of the tree over `items`, in the order given; 32 bytes. */
export function merkleRoot(sha256: Sha256, items: readonly Uint8Array[]): Uint8Array {
  if (items.length === 0) return sha256(EMPTY);
  let level = leafLevel(sha256, items);
  while (level.length > HASH_BYTES) level = levelAbove(sha256, level);
  return level;
}

/** The root and one proof per item. Proofs share their aunts' bytes: do not change them. */
export function merkleProofs(
  sha256: Sha256,
  items: readonly Uint8Array[],
): { root: Uint8Array; proofs: MerkleProof[] } {
  if (items.length === 0) return { root: sha256(EMPTY), proofs: [] };
  const levels: Uint8Array[][] = [];
  let level = leafLevel(sha256, items);
  for (; level.length > HASH_BYTES; level = levelAbove(sha256, level)) levels.push(nodesOf(level));
  const leaves = levels[0] ?? [level];
  const proofs = leaves.map((leafHash, index) => ({
    total: items.length,
    index,
    leafHash,
    aunts: aunts(levels, index),
  }));
  return { root: level, proofs };
}

/**
 * Checks that `leaf` (the item, not its hash) is at the proof's index under `root`. The root does not hold the
 * number of items, so other totals with the same way up pass too: who needs `total` compares it with a known one.
 *
 * @throws UpgradeError UPG_PROOF_MALFORMED, UPG_PROOF_VALUE when it is another item, UPG_PROOF_ROOT
 */
export function verifyMerkleProof(sha256: Sha256, root: Uint8Array, leaf: Uint8Array, proof: MerkleProof): void {
  checkMerkleProof(proof);
  const leafHash = hashLeaf(sha256, leaf);
  if (!equalBytes(leafHash, proof.leafHash)) {
    throw new UpgradeError("UPG_PROOF_VALUE", "the Merkle proof speaks of another item: leaf hashes differ");
  }
  if (!equalBytes(rootOf(sha256, proof), root)) {
    throw new UpgradeError("UPG_PROOF_ROOT", "the Merkle proof leads to another root");
  }
}

/** The rules that need neither item nor root. @throws UpgradeError UPG_PROOF_MALFORMED */
export function checkMerkleProof(proof: MerkleProof): void {
  const { total, index, leafHash } = proof;
  if (!Number.isSafeInteger(total) || !Number.isSafeInteger(index) || index < 0 || index >= total) {
    throw malformed(`there is no index ${index} among ${total} items`);
  }
  if (leafHash.length !== HASH_BYTES) throw malformed(`a leaf hash has 32 bytes, got ${leafHash.length}`);
  if (proof.aunts.length > MERKLE_AUNTS_MAX) throw malformed(`more than ${MERKLE_AUNTS_MAX} aunts`);
  for (const aunt of proof.aunts) {
    if (aunt.length !== HASH_BYTES) throw malformed(`an aunt has 32 bytes, got ${aunt.length}`);
  }
}

function rootOf(sha256: Sha256, proof: MerkleProof): Uint8Array {
  let hash = proof.leafHash;
  let { index, total } = proof;
  let used = 0;
  for (; total > 1; total = Math.ceil(total / 2), index = Math.floor(index / 2)) {
    const isRight = index % 2 === 1;
    if (!isRight && index === total - 1) continue;
    const aunt = proof.aunts[used++];
    if (!aunt) throw malformed("too few aunts");
    hash = isRight ? hashInner(sha256, aunt, hash) : hashInner(sha256, hash, aunt);
  }
  if (used !== proof.aunts.length) throw malformed("too many aunts");
  return hash;
}

function aunts(levels: readonly (readonly Uint8Array[])[], index: number): Uint8Array[] {
  const found: Uint8Array[] = [];
  for (const nodes of levels) {
    const sibling = nodes[index % 2 === 1 ? index - 1 : index + 1];
    if (sibling) found.push(sibling);
    index = Math.floor(index / 2);
  }
  return found;
}

/** Hashes of a level are one after the other, so that a large tree is a few buffers and not many objects. */
function leafLevel(sha256: Sha256, items: readonly Uint8Array[]): Uint8Array {
  const level = new Uint8Array(items.length * HASH_BYTES);
  items.forEach((item, index) => {
    level.set(hashLeaf(sha256, item), index * HASH_BYTES);
  });
  return level;
}

function levelAbove(sha256: Sha256, level: Uint8Array): Uint8Array {
  const pairs = Math.floor(level.length / (2 * HASH_BYTES));
  const above = new Uint8Array(Math.ceil(level.length / (2 * HASH_BYTES)) * HASH_BYTES);
  const preimage = new Uint8Array(1 + 2 * HASH_BYTES);
  preimage[0] = INNER_PREFIX;
  for (let pair = 0; pair < pairs; pair++) {
    const at = pair * 2 * HASH_BYTES;
    preimage.set(level.subarray(at, at + 2 * HASH_BYTES), 1);
    above.set(sha256(preimage), pair * HASH_BYTES);
  }
  above.set(level.subarray(pairs * 2 * HASH_BYTES), pairs * HASH_BYTES);
  return above;
}

function nodesOf(level: Uint8Array): Uint8Array[] {
  const nodes: Uint8Array[] = [];
  for (let at = 0; at < level.length; at += HASH_BYTES) nodes.push(level.subarray(at, at + HASH_BYTES));
  return nodes;
}

function hashLeaf(sha256: Sha256, item: Uint8Array): Uint8Array {
  const preimage = new Uint8Array(1 + item.length);
  preimage[0] = LEAF_PREFIX;
  preimage.set(item, 1);
  return sha256(preimage);
}

function hashInner(sha256: Sha256, left: Uint8Array, right: Uint8Array): Uint8Array {
  const preimage = new Uint8Array(1 + 2 * HASH_BYTES);
  preimage[0] = INNER_PREFIX;
  preimage.set(left, 1);
  preimage.set(right, 1 + HASH_BYTES);
  return sha256(preimage);
}

function malformed(what: string): UpgradeError {
  return new UpgradeError("UPG_PROOF_MALFORMED", `malformed Merkle proof: ${what}`);
}
