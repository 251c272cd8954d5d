/** Makes nodes of a partial tree as they are on disk, so that all that reads and writes trees works on them. */
import { copyInto } from "../../base/text/bytes.js";
import { writeU32 } from "../../base/wire/u32.js";
import {
  INNER_HEADER_BYTES,
  LEAF_HEADER_BYTES,
  LINK_BYTES,
  LINK_HASH_AT,
  LINK_HEIGHT_AT,
  LINK_SIZE_AT,
  RestoredChunkWriter,
  SLOTS_PER_CHUNK,
  writeU16,
  writeU48,
} from "../commitment/chunk.js";
import { HASH_BYTES } from "../commitment/iavl-hash.js";
import { type FlatTree, LEAF, STUB } from "./flat-tree.js";
import { firstLeaves, separator } from "./gaps.js";
import type { NodeHashes } from "./hash-tree.js";
import { HIDDEN_ID, type WitnessChunks } from "./witness-chunks.js";

/** Writes the open nodes, children first; returns the root's id. */
export function buildTree(tree: FlatTree, hashes: NodeHashes, chunks: WitnessChunks): number {
  return new TreeBuilder(tree, hashes, chunks).build();
}

class TreeBuilder {
  readonly #writer = new RestoredChunkWriter();
  readonly #ids: Float64Array;
  readonly #firsts: Int32Array;
  #number: number;

  constructor(
    private readonly tree: FlatTree,
    private readonly hashes: NodeHashes,
    private readonly chunks: WitnessChunks,
  ) {
    this.#ids = new Float64Array(tree.count).fill(HIDDEN_ID);
    this.#firsts = firstLeaves(tree);
    this.#number = chunks.nextChunk;
  }

  build(): number {
    const { kinds, count } = this.tree;
    for (let node = count - 1; node >= 0; node--) {
      if (kinds[node] === STUB) continue;
      if (kinds[node] === LEAF) this.#leaf(node);
      else this.#inner(node);
      this.#writer.setMadeIn(this.tree.versions[node] as number);
      this.#ids[node] = this.#number * SLOTS_PER_CHUNK + this.#writer.count - 1;
    }
    this.#close();
    return this.#ids[0] as number;
  }

  #leaf(node: number): void {
    const { bytes, places, keyLens, valueLens } = this.tree;
    const keyLen = keyLens[node] as number;
    const valueLen = valueLens[node] as number;
    const at = this.#room(LEAF_HEADER_BYTES + keyLen + valueLen);
    const body = this.#writer.bytes;
    body[at] = 0;
    writeU16(body, at + 1, keyLen);
    writeU32(body, at + 3, valueLen);
    copyInto(body, at + LEAF_HEADER_BYTES, bytes, places[node] as number, keyLen + valueLen);
  }

  #inner(node: number): void {
    const key = separator(this.tree, node, this.#firsts);
    const at = this.#room(INNER_HEADER_BYTES + key.length);
    const body = this.#writer.bytes;
    body[at] = this.tree.heights[node] as number;
    writeU16(body, at + 1, key.length);
    this.#link(body, at + 3, node + 1);
    this.#link(body, at + 3 + LINK_BYTES, this.tree.rights[node] as number);
    copyInto(body, at + INNER_HEADER_BYTES, key, 0, key.length);
  }

  #link(body: Uint8Array, at: number, child: number): void {
    writeU48(body, at, this.#ids[child] as number);
    writeU48(body, at + LINK_SIZE_AT, this.tree.sizes[child] as number);
    body[at + LINK_HEIGHT_AT] = this.tree.heights[child] as number;
    copyInto(body, at + LINK_HASH_AT, this.hashes.bytes, this.hashes.ats[child] as number, HASH_BYTES);
  }

  #room(bytes: number): number {
    if (this.#writer.isFull(bytes)) this.#close();
    return this.#writer.add(bytes);
  }

  #close(): void {
    if (this.#writer.count > 0) this.chunks.put(this.#number++, this.#writer.finish(0));
  }
}
