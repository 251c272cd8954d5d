/**
 * Nodes on disk. Nodes of one commit are laid out in the order in which they are finished (children first, left to
 * right) and packed into chunks of a few database pages, so that a commit writes few records, a walk in key order reads
 * few, and no object is made per node: code reads the fields in place.
 *
 *   chunk  u8 format, u8 0, u16 count, u64 version, nodes, u16 offset[count] (0: removed)
 *   leaf   u8 0, u16 klen, u32 vlen, key, value
 *   inner  u8 height, u16 klen, link left, link right, key          key: the smallest of the right subtree
 *   link   u48 id, u48 size, u8 height, hash[32]
 *
 * Nodes of one commit have its version. A tree that was restored has nodes of many: its chunks have format 2, whose version is
 * the restored one, and end with the version in which each node was made, u64 made[count].
 *
 * A node's id is its chunk's number × 256 + its slot; ids are never used twice. A link carries what hashing and balance
 * ask of a child, so that changing one path touches no sibling. The hash of a tree does not depend on this layout.
 */

import { UpgradeError } from "../../base/errors/errors.js";
import { copyInto } from "../../base/text/bytes.js";
import { readU32, writeU32 } from "../../base/wire/u32.js";
import { HASH_BYTES } from "./iavl-hash.js";

export const SLOTS_PER_CHUNK = 256;
/** Four database pages of 4,096 bytes less the header of an overflow page (24 bytes in LMDB's data version 2) and a checksum (4). */
export const CHUNK_BYTES_TARGET = 4 * 4_096 - 24 - 4;
const COMMITTED_FORMAT = 1;
const RESTORED_FORMAT = 2;
const CHUNK_HEADER_BYTES = 12;
const OFFSET_BYTES = 2;
const VERSION_BYTES = 8;

export const LEAF_HEADER_BYTES = 7;
export const LINK_BYTES = 13 + HASH_BYTES;
export const INNER_HEADER_BYTES = 3 + 2 * LINK_BYTES;
export const LINK_SIZE_AT = 6;
export const LINK_HEIGHT_AT = 12;
export const LINK_HASH_AT = 13;

export function readU16(bytes: Uint8Array, at: number): number {
  return (bytes[at] as number) | ((bytes[at + 1] as number) << 8);
}

export function readU48(bytes: Uint8Array, at: number): number {
  return readU32(bytes, at) + readU16(bytes, at + 4) * 0x1_0000_0000;
}

export function writeU16(bytes: Uint8Array, at: number, value: number): void {
  bytes[at] = value;
  bytes[at + 1] = value >>> 8;
}

export function writeU48(bytes: Uint8Array, at: number, value: number): void {
  writeU32(bytes, at, value % 0x1_0000_0000);
  writeU16(bytes, at + 4, Math.floor(value / 0x1_0000_0000));
}

/** Exact up to 2^53 - 1, the last version that there is. */
function readU64(bytes: Uint8Array, at: number): number {
  return readU32(bytes, at) + readU32(bytes, at + 4) * 0x1_0000_0000;
}

function writeU64(bytes: Uint8Array, at: number, value: number): void {
  writeU32(bytes, at, value % 0x1_0000_0000);
  writeU32(bytes, at + 4, Math.floor(value / 0x1_0000_0000));
}

export function chunkOf(id: number): number {
  return Math.floor(id / SLOTS_PER_CHUNK);
}

export function slotOf(id: number): number {
  // The lowest bits, also of an id beyond 32 bits: many times as fast as a remainder of floats.
  return id & (SLOTS_PER_CHUNK - 1);
}

/** A chunk as it is in the database. */
export class Chunk {
  readonly count: number;
  /** First version of this database that has its nodes. */
  readonly version: number;
  readonly #offsetsAt: number;
  /** 0: each node was made in the chunk's version. */
  readonly #versionsAt: number;

  /** @throws UpgradeError UPG_STORE_CORRUPT */
  constructor(readonly bytes: Uint8Array) {
    const isRestored = bytes[0] === RESTORED_FORMAT;
    const headed = bytes.length >= CHUNK_HEADER_BYTES && (isRestored || bytes[0] === COMMITTED_FORMAT);
    this.count = headed ? readU16(bytes, 2) : 0;
    this.version = headed ? readU64(bytes, 4) : 0;
    const nodesEnd = bytes.length - (isRestored ? VERSION_BYTES * this.count : 0);
    this.#versionsAt = isRestored ? nodesEnd : 0;
    this.#offsetsAt = nodesEnd - OFFSET_BYTES * this.count;
    if (!headed || this.count > SLOTS_PER_CHUNK || this.#offsetsAt < CHUNK_HEADER_BYTES) {
      throw new UpgradeError("UPG_STORE_CORRUPT", "a chunk of tree nodes has a malformed header");
    }
  }

  /** Where the node in `slot` begins. @throws UpgradeError UPG_STORE_CORRUPT when it is absent */
  at(slot: number): number {
    const at = slot < this.count ? readU16(this.bytes, this.#offsetsAt + 2 * slot) : 0;
    if (at === 0 || at >= this.#offsetsAt) {
      throw new UpgradeError("UPG_STORE_CORRUPT", `a chunk of tree nodes has no node in slot ${slot}`);
    }
    return at;
  }

  /**
   * Checks every node once, so that nobody who reads them needs to: each lies inside the chunk, and children have
   * smaller ids than their parents, so no walk runs in a circle. `number` is the chunk's own.
   * @throws UpgradeError UPG_STORE_CORRUPT
   */
  check(number: number): void {
    for (let slot = 0; slot < this.count; slot++) {
      if (!this.has(slot) || this.#isSound(this.at(slot), number * SLOTS_PER_CHUNK + slot)) continue;
      throw new UpgradeError("UPG_STORE_CORRUPT", `a chunk of tree nodes has a malformed node in slot ${slot}`);
    }
  }

  #isSound(at: number, id: number): boolean {
    const { bytes } = this;
    const isLeaf = bytes[at] === 0;
    const head = isLeaf ? LEAF_HEADER_BYTES : INNER_HEADER_BYTES;
    if (at < CHUNK_HEADER_BYTES || at + head > this.#offsetsAt) return false;
    if (at + nodeBytes(bytes, at) > this.#offsetsAt) return false;
    if (isLeaf) return true;
    const left = readU48(bytes, at + 3);
    const right = readU48(bytes, at + 3 + LINK_BYTES);
    return left > 0 && left < id && right > 0 && right < id;
  }

  has(slot: number): boolean {
    return slot < this.count && readU16(this.bytes, this.#offsetsAt + 2 * slot) !== 0;
  }

  /** The version in which the node in `slot` was made: its hash commits to it. */
  madeIn(slot: number): number {
    return this.#versionsAt === 0 ? this.version : readU64(this.bytes, this.#versionsAt + VERSION_BYTES * slot);
  }

  /** The same chunk without the nodes whose slot `isDead` names; the others keep their slots. */
  without(isDead: (slot: number) => boolean): Uint8Array {
    const writer = this.#versionsAt === 0 ? new ChunkWriter() : new RestoredChunkWriter();
    for (let slot = 0; slot < this.count; slot++) {
      if (!this.has(slot) || isDead(slot)) writer.skip();
      else writer.copy(this.bytes, this.at(slot), nodeBytes(this.bytes, this.at(slot)));
      if (writer instanceof RestoredChunkWriter) writer.setMadeIn(this.madeIn(slot));
    }
    return writer.finish(this.version);
  }
}

function nodeBytes(bytes: Uint8Array, at: number): number {
  const keyLen = readU16(bytes, at + 1);
  return bytes[at] === 0 ? LEAF_HEADER_BYTES + keyLen + readU32(bytes, at + 3) : INNER_HEADER_BYTES + keyLen;
}

/** Packs nodes into one chunk after the other, in one buffer. The caller asks `isFull` before it adds. */
export class ChunkWriter {
  /** The chunk in the making: nodes go where `add` says. */
  bytes = new Uint8Array(CHUNK_BYTES_TARGET);
  count = 0;
  protected readonly format: number = COMMITTED_FORMAT;
  /** At the end of the chunk, for each node. */
  protected readonly slotBytes: number = OFFSET_BYTES;
  #length = CHUNK_HEADER_BYTES;
  readonly #offsets = new Uint16Array(SLOTS_PER_CHUNK);

  /** Would a node of this size not fit any more? An empty chunk takes any node. */
  isFull(nodeBytes: number): boolean {
    if (this.count === SLOTS_PER_CHUNK) return true;
    return this.count > 0 && this.#length + nodeBytes + this.slotBytes * (this.count + 1) > CHUNK_BYTES_TARGET;
  }

  /** Makes room for a node and returns where it goes in `bytes`. */
  add(nodeBytes: number): number {
    const at = this.#length;
    this.#offsets[this.count++] = at;
    this.#length += nodeBytes;
    this.#reserve(this.#length + this.slotBytes * this.count);
    return at;
  }

  skip(): void {
    this.#offsets[this.count++] = 0;
    this.#reserve(this.#length + this.slotBytes * this.count);
  }

  copy(from: Uint8Array, fromAt: number, nodeBytes: number): void {
    const at = this.add(nodeBytes);
    copyInto(this.bytes, at, from, fromAt, nodeBytes);
  }

  /** The finished chunk, valid until the writer is used again; the writer is empty afterwards. */
  finish(version: number): Uint8Array {
    const { bytes, count } = this;
    bytes[0] = this.format;
    bytes[1] = 0;
    writeU16(bytes, 2, count);
    writeU64(bytes, 4, version);
    const offsetsAt = this.#length;
    const versionsAt = offsetsAt + OFFSET_BYTES * count;
    for (let slot = 0; slot < count; slot++) {
      writeU16(bytes, offsetsAt + OFFSET_BYTES * slot, this.#offsets[slot] as number);
    }
    this.writeVersions(versionsAt);
    this.count = 0;
    this.#length = CHUNK_HEADER_BYTES;
    return bytes.subarray(0, offsetsAt + this.slotBytes * count);
  }

  /** Of nodes that were made in other versions than the chunk's. */
  protected writeVersions(_at: number): void {}

  #reserve(length: number): void {
    if (length <= this.bytes.length) return;
    const grown = new Uint8Array(length);
    grown.set(this.bytes);
    this.bytes = grown;
  }
}

/** The same for nodes of many versions: `setMadeIn` names each one's after it was added. */
export class RestoredChunkWriter extends ChunkWriter {
  protected override readonly format = RESTORED_FORMAT;
  protected override readonly slotBytes = OFFSET_BYTES + VERSION_BYTES;
  readonly #madeIn = new Float64Array(SLOTS_PER_CHUNK);

  /** Of the node that was added last. */
  setMadeIn(version: number): void {
    this.#madeIn[this.count - 1] = version;
  }

  protected override writeVersions(at: number): void {
    for (let slot = 0; slot < this.count; slot++) {
      writeU64(this.bytes, at + VERSION_BYTES * slot, this.#madeIn.at(slot) ?? 0);
    }
  }
}

/** Where chunks come from: a cache before a database, or memory. */
export interface ChunkSource {
  /** @throws UpgradeError UPG_STORE_CORRUPT when there is none of that number */
  chunk(number: number): Chunk;
}

/** Where finished chunks go. Numbers are handed out in order. */
export interface ChunkSink {
  readonly nextChunk: number;
  /** `bytes` are valid during the call only. */
  put(number: number, bytes: Uint8Array): void;
}

/** A tree's root as a commit records it; `id` 0 is the empty tree. */
export interface RootLink {
  readonly id: number;
  readonly size: number;
  readonly height: number;
  readonly hash: Uint8Array;
}
