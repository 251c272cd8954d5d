/**
 * ICS-23 proofs of IAVL+ trees, as bytes of `cosmos.ics23.v1.CommitmentProof`, equal to IAVL's own.
 *
 * A key that is present is proven by the way from its leaf to the root; one that is not, by its neighbours.
 */
import { lastOf } from "../../base/text/checked-index.js";
import { WireWriter } from "../../base/wire/wire.js";
import { LINK_HASH_AT } from "./chunk.js";
import { HASH_BYTES, putInnerPrefix, putLeafPrefix } from "./iavl-hash.js";
import type { NodeView, PathStep, Tree } from "./tree.js";

/** ics23 HashOp.SHA256, LengthOp.VAR_PROTO. */
const SHA256_OP = 1;
const VAR_PROTO = 1;

export function leafOp(prefix: Uint8Array): Uint8Array {
  return new WireWriter().int(1, SHA256_OP).int(3, SHA256_OP).int(4, VAR_PROTO).bytes(5, prefix).finish();
}

export function innerOp(prefix: Uint8Array, suffix: Uint8Array): Uint8Array {
  return new WireWriter().int(1, SHA256_OP).bytes(2, prefix).bytes(3, suffix).finish();
}

export function existenceProof(key: Uint8Array, value: Uint8Array, leaf: Uint8Array, path: readonly Uint8Array[]) {
  const proof = new WireWriter().bytes(1, key).bytes(2, value).message(3, leaf);
  for (const op of path) proof.message(4, op);
  return proof.finish();
}

export function commitmentProof(existence: Uint8Array): Uint8Array {
  return new WireWriter().message(1, existence).finish();
}

/** Proof of `key` in this tree, of its value when it is present and of its absence when it is not. */
export function proveKey(tree: Tree, key: Uint8Array): Uint8Array {
  const path = tree.path(key);
  const leaf = lastOf(path);
  const view = tree.view();
  if (leaf && view.go(leaf.id).compare(key, 0, key.length) === 0) return commitmentProof(existenceAt(view, path));
  const absence = new WireWriter().bytes(1, key);
  if (leaf) {
    const isBefore = view.go(leaf.id).compare(key, 0, key.length) > 0;
    const left = isBefore ? path : neighbour(view, path, 0);
    const right = isBefore ? neighbour(view, path, 1) : path;
    if (left) absence.message(2, existenceAt(view, left));
    if (right) absence.message(3, existenceAt(view, right));
  }
  return new WireWriter().message(2, absence.finish()).finish();
}

/** The way to the leaf next to the one that `path` ends at, on its left (0) or right (1) side. */
function neighbour(view: NodeView, path: readonly PathStep[], side: number): PathStep[] | undefined {
  // Up to the nearest node that was turned away from that side, across, and then along the near edge.
  let depth = path.length - 2;
  while (depth >= 0 && path[depth]?.side === side) depth--;
  const turn = path[depth];
  if (!turn) return undefined;
  const steps: PathStep[] = [...path.slice(0, depth), { id: turn.id, side }];
  let id = view.go(turn.id).child(side);
  for (; !view.go(id).isLeaf; id = view.child(1 - side)) steps.push({ id, side: 1 - side });
  steps.push({ id, side: 0 });
  return steps;
}

function existenceAt(view: NodeView, path: readonly PathStep[]): Uint8Array {
  const ops: Uint8Array[] = [];
  for (let depth = path.length - 2; depth >= 0; depth--) {
    const step = path[depth] as PathStep;
    ops.push(innerOpAt(view.go(step.id), step.side));
  }
  const leaf = view.go((lastOf(path) as PathStep).id);
  const prefix = new Uint8Array(32);
  const length = putLeafPrefix(prefix, 0, leaf.version);
  const key = leaf.bytes.slice(leaf.keyAt, leaf.keyAt + leaf.keyLen);
  const value = leaf.bytes.slice(leaf.valueAt, leaf.valueAt + leaf.valueLen);
  return existenceProof(key, value, leafOp(prefix.slice(0, length)), ops);
}

/** What is before and after the child's hash when this node is hashed. */
function innerOpAt(node: NodeView, side: number): Uint8Array {
  const size = node.size;
  const head = new Uint8Array(32);
  const length = putInnerPrefix(head, 0, node.height, size, node.version);
  const hashAt = node.linkAt(1 - side) + LINK_HASH_AT;
  const other = node.bytes.subarray(hashAt, hashAt + HASH_BYTES);
  const prefix = new Uint8Array(length + 1 + (side === 1 ? HASH_BYTES + 1 : 0));
  prefix.set(head.subarray(0, length));
  prefix[length] = HASH_BYTES;
  if (side === 1) {
    prefix.set(other, length + 1);
    prefix[length + 1 + HASH_BYTES] = HASH_BYTES;
    return innerOp(prefix, new Uint8Array(0));
  }
  const suffix = new Uint8Array(1 + HASH_BYTES);
  suffix[0] = HASH_BYTES;
  suffix.set(other, 1);
  return innerOp(prefix, suffix);
}
