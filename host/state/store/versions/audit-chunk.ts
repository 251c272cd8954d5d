/** Hashes of all nodes of a chunk, each from its own bytes: a leaf's from its pair, an inner one's from its links. */
import { copyInto } from "../../../base/text/bytes.js";
import { readU32 } from "../../../base/wire/u32.js";
import {
  type Chunk,
  INNER_HEADER_BYTES,
  LEAF_HEADER_BYTES,
  LINK_BYTES,
  LINK_HASH_AT,
  LINK_SIZE_AT,
  readU16,
  readU48,
  SLOTS_PER_CHUNK,
} from "../../commitment/chunk.js";
import { HASH_BYTES, type IavlHasher } from "../../commitment/iavl-hash.js";

/** Room for children's hashes, which the hasher reads from where it writes, after that for the nodes'. */
const CHILDREN_AT = SLOTS_PER_CHUNK * HASH_BYTES;

export interface NodeLink {
  readonly id: number;
  readonly size: number;
  readonly height: number;
}

/** Link of an inner node that begins at `at`; `side`: 0 left, 1 right. */
export function linkOf(bytes: Uint8Array, at: number, side: number): NodeLink {
  const link = at + 3 + side * LINK_BYTES;
  return { id: readU48(bytes, link), size: readU48(bytes, link + LINK_SIZE_AT), height: bytes[link + 12] as number };
}

export class ChunkHashes {
  readonly #out = new Uint8Array(3 * SLOTS_PER_CHUNK * HASH_BYTES);

  constructor(private readonly hasher: IavlHasher) {}

  /** 32 bytes a slot. */
  of(chunk: Chunk): Uint8Array {
    const { bytes } = chunk;
    const out = this.#out;
    const leaves: number[] = [];
    for (let slot = 0; slot < chunk.count; slot++) {
      if (!chunk.has(slot)) continue;
      const at = chunk.at(slot);
      const to = slot * HASH_BYTES;
      if (bytes[at] === 0) {
        leaves.push(slot);
        const valueAt = at + LEAF_HEADER_BYTES + readU16(bytes, at + 1);
        this.hasher.value(bytes, valueAt, readU32(bytes, at + 3), out, to);
      } else this.#inner(bytes, at, chunk.madeIn(slot), slot);
    }
    this.hasher.settle();
    for (const slot of leaves) {
      const at = chunk.at(slot);
      this.hasher.leaf(
        chunk.madeIn(slot),
        bytes,
        at + LEAF_HEADER_BYTES,
        readU16(bytes, at + 1),
        out,
        slot * HASH_BYTES,
      );
    }
    this.hasher.settle();
    return out.slice(0, chunk.count * HASH_BYTES);
  }

  #inner(bytes: Uint8Array, at: number, version: number, slot: number): void {
    const children = CHILDREN_AT + 2 * slot * HASH_BYTES;
    let size = 0;
    for (const side of [0, 1]) {
      const link = at + 3 + side * LINK_BYTES;
      copyInto(this.#out, children + side * HASH_BYTES, bytes, link + LINK_HASH_AT, HASH_BYTES);
      size += readU48(bytes, link + LINK_SIZE_AT);
    }
    this.hasher.inner(bytes[at] as number, size, version, children, this.#out, slot * HASH_BYTES);
  }
}

/** A node's key, a view. */
export function keyOf(bytes: Uint8Array, at: number): Uint8Array {
  const keyAt = at + (bytes[at] === 0 ? LEAF_HEADER_BYTES : INNER_HEADER_BYTES);
  return bytes.subarray(keyAt, keyAt + readU16(bytes, at + 1));
}
