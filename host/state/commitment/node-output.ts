/**
 * Finishes made nodes: hashes them, packs them into chunks, and points their links at them. For engines whose Wasm has
 * no SIMD: elsewhere a NodeRoom does the same work.
 */
import { copyInto } from "../../base/text/bytes.js";
import { writeU32 } from "../../base/wire/u32.js";
import {
  type ChunkSink,
  ChunkWriter,
  INNER_HEADER_BYTES,
  LEAF_HEADER_BYTES,
  LINK_BYTES,
  LINK_HASH_AT,
  LINK_HEIGHT_AT,
  LINK_SIZE_AT,
  SLOTS_PER_CHUNK,
  writeU16,
  writeU48,
} from "./chunk.js";
import { HASH_BYTES, type IavlHasher } from "./iavl-hash.js";
import { innerIndex, isMadeInner, LEFT, leafAddress, MadeNodes, RIGHT, TOP } from "./made-nodes.js";
import { NodeHashes } from "./node-hashes.js";

/** Holds the nodes that one writer makes, and finishes them. */
export interface NodeFinisher {
  readonly nodes: MadeNodes;
  /** Finishes every made node, except the inner nodes of `keep`. What is finished can be read again. */
  finish(keep: Float64Array): void;
  /** The writer needs it no more. */
  release(): void;
}

export class NodeOutput implements NodeFinisher {
  readonly nodes = new MadeNodes();
  readonly #chunk = new ChunkWriter();
  readonly #hashes: NodeHashes;
  #number: number;

  constructor(
    private readonly sink: ChunkSink,
    hasher: IavlHasher,
    private readonly version: number,
  ) {
    this.#hashes = new NodeHashes(hasher, version);
    this.#number = sink.nextChunk;
  }

  finish(keep: Float64Array): void {
    const kept = new Set(keep);
    this.#hashes.make(this.nodes, TOP, kept);
    this.#write(this.nodes, TOP, kept);
    this.#close();
  }

  release(): void {}

  #write(nodes: MadeNodes, link: number, keep: ReadonlySet<number>): void {
    const ref = nodes.refs[link] as number;
    if (ref >= 0) return;
    if (!isMadeInner(ref)) {
      this.#writeLeaf(nodes, link, leafAddress(ref));
      return;
    }
    const index = innerIndex(ref);
    this.#write(nodes, 2 * index + LEFT, keep);
    this.#write(nodes, 2 * index + RIGHT, keep);
    if (!keep.has(ref)) this.#writeInner(nodes, link, index);
  }

  #close(): void {
    if (this.#chunk.count > 0) this.sink.put(this.#number++, this.#chunk.finish(this.version));
  }

  #writeLeaf(nodes: MadeNodes, link: number, address: number): void {
    const { arena } = nodes;
    const keyLen = nodes.keyLen(address);
    const valueLen = nodes.valueLen(address);
    const keyAt = nodes.keyAt(address);
    const at = this.#room(LEAF_HEADER_BYTES + keyLen + valueLen);
    const body = this.#chunk.bytes;
    body[at] = 0;
    writeU16(body, at + 1, keyLen);
    writeU32(body, at + 3, valueLen);
    copyInto(body, at + LEAF_HEADER_BYTES, arena, keyAt, keyLen + valueLen);
    this.#settle(nodes, link);
  }

  #writeInner(nodes: MadeNodes, link: number, index: number): void {
    const height = nodes.heights[link] as number;
    const key = nodes.keys[index] as number;
    const keyLen = nodes.keyLen(key);
    const at = this.#room(INNER_HEADER_BYTES + keyLen);
    const body = this.#chunk.bytes;
    body[at] = height;
    writeU16(body, at + 1, keyLen);
    for (let side = LEFT; side <= RIGHT; side++) {
      const from = 2 * index + side;
      const to = at + 3 + side * LINK_BYTES;
      writeU48(body, to, nodes.refs[from] as number);
      writeU48(body, to + LINK_SIZE_AT, nodes.sizes[from] as number);
      body[to + LINK_HEIGHT_AT] = nodes.heights[from] as number;
      copyInto(body, to + LINK_HASH_AT, nodes.hashes, from * HASH_BYTES, HASH_BYTES);
    }
    copyInto(body, at + INNER_HEADER_BYTES, nodes.arena, nodes.keyAt(key), keyLen);
    this.#settle(nodes, link);
  }

  #room(bytes: number): number {
    if (this.#chunk.isFull(bytes)) this.#close();
    return this.#chunk.add(bytes);
  }

  /** Points a link at the node that was added last. */
  #settle(nodes: MadeNodes, link: number): void {
    nodes.refs[link] = this.#number * SLOTS_PER_CHUNK + this.#chunk.count - 1;
  }
}
