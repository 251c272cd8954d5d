/**
 * Re-hashes the trees of one store: every node that some version has is hashed once from its bytes, and every link to it
 * is compared with that hash. Memory: a bit a node, and a bounded cache.
 */

import { UpgradeError } from "../../../base/errors/errors.js";
import { compareBytes, compareRanges, toHex } from "../../../base/text/bytes.js";
import { Chunk, chunkOf, LINK_BYTES, LINK_HASH_AT, type RootLink, slotOf } from "../../commitment/chunk.js";
import { HASH_BYTES } from "../../commitment/iavl-hash.js";
import type { Database } from "../disk/database.js";
import { chunkKey, deadKey } from "../disk/keys.js";
import { type ChunkHashes, keyOf, linkOf } from "./audit-chunk.js";
import { DeadMarks } from "./orphans.js";

/** A chunk and its hashes: about 25 KiB. */
const CHUNKS_HELD_MAX = 1_024;

interface Held {
  readonly chunk: Chunk;
  readonly hashes: Uint8Array;
  readonly dead: Uint8Array | undefined;
}

export class StoreAudit {
  /** Nodes that some version has. */
  readonly reached = new DeadMarks();
  nodes = 0;
  #held = new Map<number, Held>();
  #before = new Map<number, Held>();

  constructor(
    private readonly database: Database,
    private readonly number: number,
    private readonly hasher: ChunkHashes,
    private readonly onNode: () => void,
  ) {}

  /** Compares the root alone. `version` and `name` are for people. @throws UpgradeError UPG_STORE_CORRUPT */
  root(root: RootLink, name: string, version: number): void {
    const where = `store "${name}" at version ${version}`;
    if (root.id === 0) return;
    this.#requireHash(root.id, root.hash, 0, where);
    if (this.#isLarger(root)) throw this.#damaged(`${where}: the tree's root records another size or height`);
  }

  /** Walks what no earlier call has. `version` and `name` are for people. */
  tree(root: RootLink, name: string, version: number): void {
    if (root.id === 0) return;
    const where = `store "${name}" at version ${version}`;
    this.#visit(root.id, root.hash, 0, where);
    if (this.#isLarger(root)) throw this.#damaged(`${where}: the tree's root records another size or height`);
  }

  isReached(id: number): boolean {
    const bits = this.reached.chunks.get(chunkOf(id));
    return bits !== undefined && ((bits[slotOf(id) >> 3] as number) & (1 << (slotOf(id) & 7))) !== 0;
  }

  #isLarger({ id, size, height }: RootLink): boolean {
    const shape = this.#shape(id);
    return shape.size !== size || shape.height !== height;
  }

  /** The node must exist and have the hash that begins at `hashAt`. Returns where it is. */
  #requireHash(id: number, hash: Uint8Array, hashAt: number, where: string): { bytes: Uint8Array; at: number } {
    const { chunk, hashes, dead } = this.#chunk(chunkOf(id));
    const slot = slotOf(id);
    if (dead && ((dead[slot >> 3] as number) & (1 << (slot & 7))) !== 0) {
      throw this.#damaged(`${where}: node ${id} is marked dead, but a version has it`);
    }
    const at = chunk.at(slot);
    if (compareRanges(hash, hashAt, HASH_BYTES, hashes, slot * HASH_BYTES, HASH_BYTES) !== 0) {
      const key = toHex(keyOf(chunk.bytes, at));
      throw this.#damaged(
        `${where}: node ${id} in chunk ${chunkOf(id)}, key ${key}, has another hash than its parent records`,
      );
    }
    return { bytes: chunk.bytes, at };
  }

  /** This node, then what is below it. */
  #visit(id: number, hash: Uint8Array, hashAt: number, where: string): void {
    const { bytes, at } = this.#requireHash(id, hash, hashAt, where);
    if (this.isReached(id)) return;
    this.reached.add(id);
    this.nodes++;
    this.onNode();
    if (bytes[at] !== 0) this.#inner(bytes, at, id, where);
  }

  #inner(bytes: Uint8Array, at: number, id: number, where: string): void {
    const links = [linkOf(bytes, at, 0), linkOf(bytes, at, 1)] as const;
    for (const [side, link] of links.entries()) {
      const hashAt = at + 3 + side * LINK_BYTES + LINK_HASH_AT;
      this.#visit(link.id, bytes, hashAt, where);
      const shape = this.#shape(link.id);
      if (shape.size !== link.size || shape.height !== link.height) {
        throw this.#damaged(`${where}: node ${id} records another size or height of node ${link.id}`);
      }
    }
    const [left, right] = links;
    const key = keyOf(bytes, at);
    const isBalanced = Math.abs(left.height - right.height) <= 1;
    const isAbove = bytes[at] === Math.max(left.height, right.height) + 1;
    const isOrdered =
      compareBytes(key, this.#edgeKey(right.id, 0)) === 0 && compareBytes(this.#edgeKey(left.id, 1), key) < 0;
    if (!isBalanced || !isAbove || !isOrdered) throw this.#damaged(`${where}: node ${id} is out of place`);
  }

  /** Size and height as the node itself says. */
  #shape(id: number): { readonly size: number; readonly height: number } {
    const { bytes, at } = this.#node(id);
    if (bytes[at] === 0) return { size: 1, height: 0 };
    return { size: linkOf(bytes, at, 0).size + linkOf(bytes, at, 1).size, height: bytes[at] as number };
  }

  /** The first (side 0) or last (1) key below a node. */
  #edgeKey(id: number, side: number): Uint8Array {
    for (let node = this.#node(id); ; node = this.#node(linkOf(node.bytes, node.at, side).id)) {
      if (node.bytes[node.at] === 0) return keyOf(node.bytes, node.at);
    }
  }

  #node(id: number): { readonly bytes: Uint8Array; readonly at: number } {
    const { chunk } = this.#chunk(chunkOf(id));
    return { bytes: chunk.bytes, at: chunk.at(slotOf(id)) };
  }

  #chunk(number: number): Held {
    const known = this.#held.get(number);
    if (known) return known;
    const held = this.#before.get(number) ?? this.#read(number);
    if (this.#held.size >= CHUNKS_HELD_MAX / 2) {
      this.#before = this.#held;
      this.#held = new Map();
    }
    this.#held.set(number, held);
    return held;
  }

  #read(number: number): Held {
    const bytes = this.database.get(chunkKey(this.number, number));
    if (!bytes) throw this.#damaged(`chunk ${number} is missing`);
    const chunk = new Chunk(bytes);
    chunk.check(number);
    return { chunk, hashes: this.hasher.of(chunk), dead: this.database.get(deadKey(this.number, number)) };
  }

  #damaged(what: string): UpgradeError {
    return new UpgradeError("UPG_STORE_CORRUPT", `store number ${this.number}: ${what}`);
  }
}
