/**
 * Hashes of IAVL+ nodes, exactly as IAVL computes them:
 *   leaf   sha256( varint 0 ‖ varint 1 ‖ varint version ‖ uvarint klen ‖ key ‖ 0x20 ‖ sha256(value) )
 *   inner  sha256( varint height ‖ varint size ‖ varint version ‖ 0x20 ‖ left ‖ 0x20 ‖ right )
 * `varint` is a zigzag LEB128 of int64, `uvarint` a plain one. `version` is the one in which the node was made.
 */
import { copyInto } from "../../base/text/bytes.js";
import type { Sha256 } from "../../base/types/types.js";
import { DigestQueue } from "./digest-queue.js";

export const HASH_BYTES = 32;

/** Writes a uvarint at `at`; returns the first byte after it. Numbers are below 2^53. */
export function putUvarint(out: Uint8Array, at: number, value: number): number {
  while (value >= 0x80) {
    out[at++] = (value % 0x80) | 0x80;
    value = Math.floor(value / 0x80);
  }
  out[at++] = value;
  return at;
}

/** Zigzag of a number that is not negative. */
function putVarint(out: Uint8Array, at: number, value: number): number {
  return putUvarint(out, at, value * 2);
}

/** Writes the hash preimage of an inner node without its children: height, size, version. */
export function putInnerPrefix(out: Uint8Array, at: number, height: number, size: number, version: number): number {
  return putVarint(out, putVarint(out, putVarint(out, at, height), size), version);
}

/** Writes the hash preimage of a leaf without key and value: height 0, size 1, version. */
export function putLeafPrefix(out: Uint8Array, at: number, version: number): number {
  return putInnerPrefix(out, at, 0, 1, version);
}

/**
 * Digests are asked for and settled: those of one level of a tree do not depend on each other, so they are made
 * together. Until `settle` all go to the same `out`.
 */
export class IavlHasher {
  readonly #queue: DigestQueue;

  constructor(readonly sha256: Sha256) {
    this.#queue = new DigestQueue(sha256);
  }

  /** sha256(""), the root of an empty tree. */
  empty(): Uint8Array {
    return this.sha256(new Uint8Array(0));
  }

  /** Asks for the hash of a value that is in `bytes`. */
  value(bytes: Uint8Array, at: number, length: number, out: Uint8Array, to: number): void {
    const queue = this.#queue;
    if (queue.takes(length)) copyInto(queue.bytes, queue.add(length, out, to), bytes, at, length);
    else queue.digestNow(bytes.subarray(at, at + length), out, to);
  }

  /** Asks for the hash of a leaf whose key is in `bytes`, and its value's hash where the leaf's own will. */
  leaf(version: number, bytes: Uint8Array, keyAt: number, keyLen: number, out: Uint8Array, to: number): void {
    const queue = this.#queue;
    const length = leafPrefixBytes(version, keyLen) + keyLen + 1 + HASH_BYTES;
    const isQueued = queue.takes(length);
    const message = isQueued ? queue.bytes : new Uint8Array(length);
    let at = isQueued ? queue.add(length, out, to) : 0;
    at = putUvarint(message, putLeafPrefix(message, at, version), keyLen);
    at = copyInto(message, at, bytes, keyAt, keyLen);
    message[at++] = HASH_BYTES;
    copyInto(message, at, out, to, HASH_BYTES);
    if (!isQueued) queue.digestNow(message, out, to);
  }

  /** Asks for the hash of an inner node; its children's hashes are one after the other at `childrenAt` of `out`. */
  inner(height: number, size: number, version: number, childrenAt: number, out: Uint8Array, to: number): void {
    const queue = this.#queue;
    const message = queue.bytes;
    let at = queue.add(innerPrefixBytes(height, size, version) + 2 * (1 + HASH_BYTES), out, to);
    at = putInnerPrefix(message, at, height, size, version);
    message[at++] = HASH_BYTES;
    at = copyInto(message, at, out, childrenAt, HASH_BYTES);
    message[at++] = HASH_BYTES;
    copyInto(message, at, out, childrenAt + HASH_BYTES, HASH_BYTES);
  }

  /** From now on every digest that was asked for is where it belongs. */
  settle(): void {
    this.#queue.settle();
  }
}

function uvarintBytes(value: number): number {
  let bytes = 1;
  for (; value >= 0x80; value /= 0x80) bytes++;
  return bytes;
}

function innerPrefixBytes(height: number, size: number, version: number): number {
  return uvarintBytes(2 * height) + uvarintBytes(2 * size) + uvarintBytes(2 * version);
}

function leafPrefixBytes(version: number, keyLen: number): number {
  return innerPrefixBytes(0, 1, version) + uvarintBytes(keyLen);
}
