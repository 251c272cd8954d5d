/**
 * Hashes of IAVL+ nodes, exactly as the field computes them:
 *   leaf   sha256( varint 0 ‖ varint 1 ‖ varint version ‖ uvarint klen ‖ key ‖ 0x20 ‖ sha256(value) )
 *   inner  sha256( varint height ‖ varint size ‖ varint version ‖ 0x20 ‖ left ‖ 0x20 ‖ right )
 * `varint` is a zigzag LEB128 of int64, `uvarint` a plain one. `version` is the one in which the node was made.
 */
import { copyInto } from "../bytes.js";
import type { Sha256 } from "../types.js";

export const HASH_BYTES = 32;

/** Writes a uvarint at `at`; returns the first byte behind it. Numbers are below 2^53. */
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

/** Views of short prefixes are kept: making one per hash costs more than the copy it saves. */
const VIEWS_KEPT = 1_024;
/** Three varints, a key length, the longest key, and a hash. */
const SCRATCH_BYTES = 65_536 + 128;

export class IavlHasher {
  readonly #scratch = new Uint8Array(SCRATCH_BYTES);
  readonly #views: Uint8Array[] = [];

  constructor(private readonly sha256: Sha256) {}

  /** sha256(""), the root of an empty tree. */
  empty(): Uint8Array {
    return this.sha256(new Uint8Array(0));
  }

  /** Hash of a leaf whose key and value stand in `bytes`. */
  leaf(
    version: number,
    bytes: Uint8Array,
    keyAt: number,
    keyLen: number,
    valueAt: number,
    valueLen: number,
  ): Uint8Array {
    const valueHash = this.#hashRange(bytes, valueAt, valueLen);
    const out = this.#scratch;
    let at = putUvarint(out, putLeafPrefix(out, 0, version), keyLen);
    at = copyInto(out, at, bytes, keyAt, keyLen);
    out[at++] = HASH_BYTES;
    out.set(valueHash, at);
    return this.#finish(at + HASH_BYTES);
  }

  /** Hash of an inner node; its children's hashes stand one behind the other at `hashesAt`. */
  inner(height: number, size: number, version: number, hashes: Uint8Array, hashesAt: number): Uint8Array {
    const out = this.#scratch;
    let at = putInnerPrefix(out, 0, height, size, version);
    out[at++] = HASH_BYTES;
    at = copyInto(out, at, hashes, hashesAt, HASH_BYTES);
    out[at++] = HASH_BYTES;
    return this.#finish(copyInto(out, at, hashes, hashesAt + HASH_BYTES, HASH_BYTES));
  }

  #hashRange(bytes: Uint8Array, at: number, length: number): Uint8Array {
    if (length >= VIEWS_KEPT) return this.sha256(bytes.subarray(at, at + length));
    return this.#finish(copyInto(this.#scratch, 0, bytes, at, length));
  }

  #finish(length: number): Uint8Array {
    if (length >= VIEWS_KEPT) return this.sha256(this.#scratch.subarray(0, length));
    let view = this.#views[length];
    if (!view) {
      view = this.#scratch.subarray(0, length);
      this.#views[length] = view;
    }
    return this.sha256(view);
  }
}
