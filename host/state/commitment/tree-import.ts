/**
 * Builds a tree from its nodes, in the order in which they are exported. Each is checked as it comes: it must be what IAVL
 * would have made of the nodes before it, so that a tree whose root has the right hash is also one that reads and writes find
 * their way in. Held are the nodes whose parents are still to come, at most one a level and side.
 */

import { UpgradeError } from "../../base/errors/errors.js";
import { compareBytes, copyInto } from "../../base/text/bytes.js";
import { KEY_BYTES_MAX, VALUE_BYTES_MAX } from "../../base/types/limits.js";
import { writeU32 } from "../../base/wire/u32.js";
import {
  type ChunkSink,
  INNER_HEADER_BYTES,
  LEAF_HEADER_BYTES,
  LINK_BYTES,
  LINK_HASH_AT,
  LINK_HEIGHT_AT,
  LINK_SIZE_AT,
  RestoredChunkWriter,
  type RootLink,
  SLOTS_PER_CHUNK,
  writeU16,
  writeU48,
} from "./chunk.js";
import { HASH_BYTES, type IavlHasher } from "./iavl-hash.js";
import type { TreeNode } from "./tree-nodes.js";

/** A node whose parent is still to come. */
interface Open extends RootLink {
  readonly version: number;
  /** The smallest key below it. */
  readonly first: Uint8Array;
}

export class TreeImport {
  readonly #writer = new RestoredChunkWriter();
  readonly #open: Open[] = [];
  #number: number;
  #lastKey: Uint8Array | undefined;
  /** Two hashes of children, then that of their parent: the hasher reads from where it writes. */
  readonly #hashes = new Uint8Array(3 * HASH_BYTES);

  /** @param version that is restored: no node was made after it */
  constructor(
    private readonly sink: ChunkSink,
    private readonly hasher: IavlHasher,
    private readonly version: number,
  ) {
    this.#number = sink.nextChunk;
  }

  /** @throws UpgradeError UPG_INVALID_SNAPSHOT when no tree has that node there */
  add(node: TreeNode): void {
    const { key, version } = node;
    if (key.length === 0 || key.length > KEY_BYTES_MAX) throw malformed("a key is empty or too long");
    if (!(version >= 1 && version <= this.version)) throw malformed(`a node was made in version ${version}`);
    if (node.height === 0) this.#leaf(key, node.value ?? new Uint8Array(0), version);
    else this.#inner(node);
  }

  /** @throws UpgradeError UPG_INVALID_SNAPSHOT when nodes are missing */
  finish(): RootLink {
    const [root, another] = this.#open;
    if (another) throw malformed("nodes have no common root");
    this.#close();
    return root
      ? { id: root.id, size: root.size, height: root.height, hash: root.hash }
      : { id: 0, size: 0, height: 0, hash: this.hasher.empty() };
  }

  #leaf(key: Uint8Array, value: Uint8Array, version: number): void {
    if (value.length > VALUE_BYTES_MAX) throw malformed("a value is too long");
    if (this.#lastKey && compareBytes(this.#lastKey, key) >= 0) throw malformed("keys do not ascend");
    this.#lastKey = key;
    this.hasher.value(value, 0, value.length, this.#hashes, 0);
    this.hasher.settle();
    this.hasher.leaf(version, key, 0, key.length, this.#hashes, 0);
    this.hasher.settle();
    const at = this.#room(LEAF_HEADER_BYTES + key.length + value.length);
    const body = this.#writer.bytes;
    body[at] = 0;
    writeU16(body, at + 1, key.length);
    writeU32(body, at + 3, value.length);
    copyInto(body, copyInto(body, at + LEAF_HEADER_BYTES, key, 0, key.length), value, 0, value.length);
    this.#settle({ version, first: key, size: 1, height: 0, hash: this.#hashes.slice(0, HASH_BYTES) });
  }

  #inner({ key, height, version, value }: TreeNode): void {
    const right = this.#open.pop();
    const left = this.#open.pop();
    if (!left || !right) throw malformed("an inner node has no children");
    requireShape({ left, right, key, height, version });
    if (value && value.length > 0) throw malformed("an inner node has a value");
    this.#hashes.set(left.hash, 0);
    this.#hashes.set(right.hash, HASH_BYTES);
    const size = left.size + right.size;
    this.hasher.inner(height, size, version, 0, this.#hashes, 2 * HASH_BYTES);
    this.hasher.settle();
    const at = this.#room(INNER_HEADER_BYTES + key.length);
    const body = this.#writer.bytes;
    body[at] = height;
    writeU16(body, at + 1, key.length);
    putLink(body, at + 3, left);
    putLink(body, at + 3 + LINK_BYTES, right);
    copyInto(body, at + INNER_HEADER_BYTES, key, 0, key.length);
    this.#settle({ version, first: left.first, size, height, hash: this.#hashes.slice(2 * HASH_BYTES) });
  }

  #room(bytes: number): number {
    if (this.#writer.isFull(bytes)) this.#close();
    return this.#writer.add(bytes);
  }

  /** The node that was added last waits for its parent. */
  #settle(node: Omit<Open, "id">): void {
    this.#writer.setMadeIn(node.version);
    this.#open.push({ ...node, id: this.#number * SLOTS_PER_CHUNK + this.#writer.count - 1 });
  }

  #close(): void {
    if (this.#writer.count > 0) this.sink.put(this.#number++, this.#writer.finish(this.version));
  }
}

interface Inner {
  readonly left: Open;
  readonly right: Open;
  readonly key: Uint8Array;
  readonly height: number;
  readonly version: number;
}

/** What IAVL keeps true of every inner node. */
function requireShape({ left, right, key, height, version }: Inner): void {
  const isBalanced = Math.abs(left.height - right.height) <= 1;
  if (!isBalanced || height !== Math.max(left.height, right.height) + 1) throw malformed("a tree is out of balance");
  if (compareBytes(key, right.first) !== 0) throw malformed("an inner node's key is not the first one to its right");
  if (version < Math.max(left.version, right.version)) throw malformed("a node is older than one below it");
}

function putLink(bytes: Uint8Array, at: number, { id, size, height, hash }: RootLink): void {
  writeU48(bytes, at, id);
  writeU48(bytes, at + LINK_SIZE_AT, size);
  bytes[at + LINK_HEIGHT_AT] = height;
  copyInto(bytes, at + LINK_HASH_AT, hash, 0, HASH_BYTES);
}

function malformed(what: string): UpgradeError {
  return new UpgradeError("UPG_INVALID_SNAPSHOT", `no tree has such nodes: ${what}`);
}
