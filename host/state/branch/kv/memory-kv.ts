/** A store in memory: the reference of the suite, and what a library user begins with. */

import { FRAME_HEADER_BYTES } from "../../../base/types/limits.js";
import { readU32 } from "../../../base/wire/u32.js";
import { BaseKVStore } from "./kv-store.js";
import type { PairCursor } from "./pair-cursor.js";
import { SortedCursor } from "./sorted-cursor.js";
import { SortedMap } from "./sorted-map.js";

/**
 * A store in memory, for tests and tools: pairs in ascending order of their keys.
 *
 * @throws UpgradeError UPG_INVALID_KEY, UPG_INVALID_VALUE
 *
 * @example
 * const store = new MemoryKVStore();
 * for (const key of [3, 1, 2]) store.set(Uint8Array.of(key), Uint8Array.of(key * 10));
 * console.log([...store.iterate()].map(([key]) => key[0])); // → [ 1, 2, 3 ]
 */
export class MemoryKVStore extends BaseKVStore {
  readonly #map = new SortedMap();

  override _get(key: Uint8Array): Uint8Array | undefined {
    const address = this.#map.find(key, 0, key.length);
    if (address === undefined) return undefined;
    const segment = this.#map.segmentOf(address);
    const at = this.#map.offsetOf(address);
    const valueAt = at + FRAME_HEADER_BYTES + readU32(segment, at);
    return segment.slice(valueAt, valueAt + readU32(segment, at + 4));
  }

  override _has(key: Uint8Array): boolean {
    return this.#map.find(key, 0, key.length) !== undefined;
  }

  override _cursor(start: Uint8Array | undefined, end: Uint8Array | undefined, reverse: boolean): PairCursor {
    return new SortedCursor(this.#map, start, end, reverse);
  }

  override _put(
    bytes: Uint8Array,
    keyAt: number,
    keyLen: number,
    value: Uint8Array,
    valueAt: number,
    valueLen: number,
  ): void {
    this.#map.put(bytes, keyAt, keyLen, value, valueAt, valueLen);
  }

  override _remove(bytes: Uint8Array, keyAt: number, keyLen: number): void {
    this.#map.remove(bytes, keyAt, keyLen);
    if (this.#map.size === 0) this.#map.clear();
  }
}
