/**
 * The app hash: a Merkle tree over the stores of a version, ascending by name, whose items are
 * `uvarint(len name) ‖ name ‖ 0x20 ‖ sha256(root of the store)`.
 */

import { assert } from "../../base/errors/errors.js";
import { compareBytes, concatBytes, utf8 } from "../../base/text/bytes.js";
import type { Sha256 } from "../../base/types/types.js";
import { HASH_BYTES, putUvarint } from "./iavl-hash.js";
import { merkleProofs, merkleRoot } from "./merkle.js";
import { commitmentProof, existenceProof, innerOp, leafOp } from "./proof.js";

/** Root hash of a store's tree, by name. */
export interface StoreRoot {
  readonly name: string;
  readonly hash: Uint8Array;
}

/** Stores in the order in which they are hashed. */
export function sortByName<T extends { readonly name: string }>(stores: readonly T[]): T[] {
  const named = stores.map((store) => ({ store, key: utf8(store.name) }));
  return named.sort((a, b) => compareBytes(a.key, b.key)).map(({ store }) => store);
}

function item(sha256: Sha256, { name, hash }: StoreRoot): Uint8Array {
  const key = utf8(name);
  const length = new Uint8Array(10);
  const lengthBytes = putUvarint(length, 0, key.length);
  return concatBytes(length.subarray(0, lengthBytes), key, Uint8Array.of(HASH_BYTES), sha256(hash));
}

/** App hash of a version; sha256("") when there are no stores. */
export function appHash(sha256: Sha256, stores: readonly StoreRoot[]): Uint8Array {
  const items = sortByName(stores).map((store) => item(sha256, store));
  return merkleRoot(sha256, items);
}

/** ICS-23 proof (bytes of CommitmentProof, the Tendermint spec) that the store's root is in the app hash. */
export function proveStore(sha256: Sha256, stores: readonly StoreRoot[], name: string): Uint8Array {
  const sorted = sortByName(stores);
  const at = sorted.findIndex((store) => store.name === name);
  const store = sorted[at];
  const items = sorted.map((each) => item(sha256, each));
  const proof = merkleProofs(sha256, items).proofs[at];
  assert(store && proof, `no store ${name} to prove`);
  const path: Uint8Array[] = [];
  let used = 0;
  // Level by level up: a node without a partner moves up unchanged.
  for (let { index, total } = proof; total > 1; index = index >> 1, total = (total + 1) >> 1) {
    const isRight = index % 2 === 1;
    if (!isRight && index === total - 1) continue;
    const aunt = proof.aunts[used++];
    assert(aunt, "a Merkle proof has an aunt for each level with a partner");
    path.push(
      isRight ? innerOp(concatBytes(Uint8Array.of(1), aunt), new Uint8Array(0)) : innerOp(Uint8Array.of(1), aunt),
    );
  }
  return commitmentProof(existenceProof(utf8(name), store.hash, leafOp(Uint8Array.of(0)), path));
}
