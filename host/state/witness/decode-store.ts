/** Makes a store of what a witness has of it. */

import { UpgradeError } from "../../base/errors/errors.js";
import { equalBytes, toHex } from "../../base/text/bytes.js";
import type { ChunkSource, RootLink } from "../commitment/chunk.js";
import { HASH_BYTES, type IavlHasher } from "../commitment/iavl-hash.js";
import { buildTree } from "./build-tree.js";
import type { ByteReader } from "./byte-reader.js";
import { hashTree } from "./hash-tree.js";
import { parseTree } from "./parse-tree.js";
import type { WitnessStore } from "./types.js";
import { hidden, WitnessChunks } from "./witness-chunks.js";

class OpenStore implements WitnessStore {
  readonly isOpen = true;

  constructor(
    readonly name: string,
    readonly source: ChunkSource,
    readonly root: RootLink,
    readonly leaves: number,
    readonly stubs: number,
  ) {}

  get hash(): Uint8Array {
    return this.root.hash;
  }
}

class ClosedStore implements WitnessStore {
  readonly isOpen = false;
  readonly leaves = 0;
  readonly stubs = 1;

  constructor(
    readonly name: string,
    readonly hash: Uint8Array,
  ) {}

  get source(): ChunkSource {
    throw hidden(this.name);
  }

  get root(): RootLink {
    throw hidden(this.name);
  }
}

export function closedStore(name: string, hash: Uint8Array): WitnessStore {
  return new ClosedStore(name, hash);
}

/** @throws UpgradeError UPG_WITNESS_MALFORMED, UPG_WITNESS_ROOT */
export function decodeStore(
  name: string,
  hash: Uint8Array,
  reader: ByteReader,
  hasher: IavlHasher,
  versionMax: number,
): WitnessStore {
  const chunks = new WitnessChunks(name);
  // An empty tree has no nodes, and no other tree has its hash.
  if (equalBytes(hash, hasher.empty())) return new OpenStore(name, chunks, { id: 0, size: 0, height: 0, hash }, 0, 0);
  const tree = parseTree(reader, versionMax);
  const hashes = hashTree(tree, hasher);
  const found = hashes.bytes.subarray(0, HASH_BYTES);
  if (!equalBytes(found, hash)) {
    const what = `the nodes of store "${name}" hash to ${toHex(found)}, and its root is ${toHex(hash)}`;
    throw new UpgradeError("UPG_WITNESS_ROOT", what);
  }
  const id = buildTree(tree, hashes, chunks);
  const root = { id, size: tree.sizes[0] as number, height: tree.heights[0] as number, hash };
  return new OpenStore(name, chunks, root, tree.leaves, tree.stubs);
}
