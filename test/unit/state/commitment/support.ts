/** What the tests of this room share: a hash, random choices from a seed, and walks over a tree's nodes. */
import { hash } from "node:crypto";
import { expect } from "vitest";
import { toHex } from "../../../../host/base/text/bytes.js";
import type { Sha256 } from "../../../../host/base/types/types.js";
import type { ChunkSource, RootLink } from "../../../../host/state/commitment/chunk.js";
import { IavlHasher } from "../../../../host/state/commitment/iavl-hash.js";
import { NodeView } from "../../../../host/state/commitment/tree.js";

export const sha256: Sha256 = (bytes) => hash("sha256", bytes, "buffer");
export const hasher = new IavlHasher(sha256);
export const EMPTY_ROOT: RootLink = { id: 0, size: 0, height: 0, hash: hasher.empty() };

/** Matches an UpgradeError by its code. */
export const code = (name: unknown) => expect.objectContaining({ code: name });

/** Numbers below a bound, the same for the same seed (mulberry32). */
export function choices(seed: number): (below: number) => number {
  let state = seed >>> 0;
  return (below) => {
    state = (state + 0x6d2b_79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

/** A node as a test looks at it. */
export interface SeenNode {
  readonly id: number;
  readonly version: number;
  readonly height: number;
  /** Hex. */
  readonly key: string;
  /** Hex; inner nodes have none. */
  readonly value: string | undefined;
}

/** All nodes below a root, children first, left to right. */
export function nodesOf(source: ChunkSource, root: RootLink): SeenNode[] {
  const nodes: SeenNode[] = [];
  const visit = (id: number): void => {
    const node = new NodeView(source).go(id);
    const { version, height, isLeaf, bytes, keyAt, keyLen, valueAt } = node;
    const key = toHex(bytes.slice(keyAt, keyAt + keyLen));
    const value = isLeaf ? toHex(bytes.slice(valueAt, valueAt + node.valueLen)) : undefined;
    if (!isLeaf) for (const side of [0, 1]) visit(node.child(side));
    nodes.push({ id, version, height, key, value });
  };
  if (root.id !== 0) visit(root.id);
  return nodes;
}
