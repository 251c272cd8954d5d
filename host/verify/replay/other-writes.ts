/**
 * Finds what a block wrote to a store besides what is known: the real tree after the block is compared with the tree before
 * it and with the known writes. Nodes that both trees have are passed by, so it costs what the block wrote.
 */

import { compareBytes, compareRanges, equalBytes, toHex } from "../../base/text/bytes.js";
import type { CacheKVStore } from "../../state/branch/kv/cache-kv.js";
import { LINK_HASH_AT } from "../../state/commitment/chunk.js";
import { HASH_BYTES } from "../../state/commitment/iavl-hash.js";
import { NodeView, Tree } from "../../state/commitment/tree.js";
import type { FinalWrite, TreeAt } from "../../state/witness/types.js";

export interface OtherWritesInput {
  readonly before: TreeAt;
  readonly after: TreeAt;
  /** Height of the block. */
  readonly version: number;
  /** A branch with the known writes. */
  readonly known: CacheKVStore;
  /** The store is renamed in the block: all its pairs are written again, and are known. */
  readonly isRenamed: boolean;
  /** A key whose write is known though the branch does not have it yet. */
  readonly except?: Uint8Array | undefined;
}

/** Ascending by key. */
export function otherWrites(input: OtherWritesInput): FinalWrite[] {
  const made = new MadeLeaves(input.after, input.version);
  const { writes, lost } = compareWrites(input, made);
  // Of a renamed store every pair is compared.
  if (input.isRenamed) return writes;
  const deleted = deletedBefore(input, made.shared).filter((key) => !lost.has(toHex(key)));
  for (const key of deleted) writes.push({ key, value: undefined });
  return writes.sort((a, b) => compareBytes(a.key, b.key));
}

/** The leaves that a block made, ascending; what it left as it was is gathered in `shared`. */
class MadeLeaves {
  readonly node: NodeView;
  /** Hashes of subtrees that are older than the block, in hex. Complete at the end of the walk. */
  readonly shared = new Set<string>();
  readonly #pending: { readonly id: number; readonly hash: Uint8Array }[] = [];

  constructor(
    { source, root }: TreeAt,
    private readonly version: number,
  ) {
    this.node = new NodeView(source);
    if (root.id !== 0) this.#pending.push(root);
  }

  step(): boolean {
    const { node } = this;
    for (let next = this.#pending.pop(); next; next = this.#pending.pop()) {
      node.go(next.id);
      if (node.version !== this.version) this.shared.add(toHex(next.hash));
      else if (node.isLeaf) return true;
      else this.#pending.push(childOf(node, 1), childOf(node, 0));
    }
    return false;
  }

  get key(): Uint8Array {
    const { bytes, keyAt, keyLen } = this.node;
    return bytes.slice(keyAt, keyAt + keyLen);
  }

  get value(): Uint8Array {
    const { bytes, valueAt, valueLen } = this.node;
    return bytes.slice(valueAt, valueAt + valueLen);
  }
}

function childOf(node: NodeView, side: number): { id: number; hash: Uint8Array } {
  const at = node.linkAt(side) + LINK_HASH_AT;
  return { id: node.child(side), hash: node.bytes.slice(at, at + HASH_BYTES) };
}

interface Known {
  readonly bytes: Uint8Array;
  readonly keyAt: number;
  readonly keyLen: number;
  readonly valueAt: number;
  readonly valueLen: number;
  /** Absent: a pair. */
  readonly isDeleted?: boolean;
  step(): boolean;
  loadValue?(): void;
}

/** Both lists in step: what was made and is not known, and what is known to be set and was not made. */
function compareWrites({ known: branch, isRenamed, except }: OtherWritesInput, made: MadeLeaves) {
  const known: Known = isRenamed ? branch._cursor(undefined, undefined, false) : branch.pending();
  const writes: FinalWrite[] = [];
  const lost = new Set<string>();
  let hasMade = made.step();
  let hasKnown = known.step();
  while (hasMade || hasKnown) {
    const order = !hasMade ? 1 : !hasKnown ? -1 : orderOf(made.node, known);
    if (order > 0 && !known.isDeleted) {
      const key = keyOf(known);
      writes.push({ key, value: undefined });
      lost.add(toHex(key));
    }
    if (order < 0 || (order === 0 && !isSame(made.node, known))) {
      const { key } = made;
      if (!except || !equalBytes(key, except)) writes.push({ key, value: made.value });
    }
    if (order <= 0) hasMade = made.step();
    if (order >= 0) hasKnown = known.step();
  }
  return { writes, lost };
}

function keyOf({ bytes, keyAt, keyLen }: Known): Uint8Array {
  return bytes.slice(keyAt, keyAt + keyLen);
}

function orderOf(node: NodeView, known: Known): number {
  return compareRanges(node.bytes, node.keyAt, node.keyLen, known.bytes, known.keyAt, known.keyLen);
}

function isSame(node: NodeView, known: Known): boolean {
  if (known.isDeleted) return false;
  known.loadValue?.();
  const { bytes, valueAt, valueLen } = known;
  return compareRanges(node.bytes, node.valueAt, node.valueLen, bytes, valueAt, valueLen) === 0;
}

/** Keys that the tree before has, the one after has not, and no known write deletes. */
function deletedBefore({ before, after, known }: OtherWritesInput, shared: ReadonlySet<string>): Uint8Array[] {
  const tree = new Tree(after.source, after.root);
  const node = new NodeView(before.source);
  const deleted: Uint8Array[] = [];
  const pending = before.root.id === 0 ? [] : [{ id: before.root.id, hash: before.root.hash }];
  for (let next = pending.pop(); next; next = pending.pop()) {
    if (shared.has(toHex(next.hash))) continue;
    node.go(next.id);
    if (!node.isLeaf) {
      pending.push(childOf(node, 1), childOf(node, 0));
      continue;
    }
    const key = node.bytes.slice(node.keyAt, node.keyAt + node.keyLen);
    if (!tree.find(key) && !known.deletes(key)) deleted.push(key);
  }
  return deleted;
}
