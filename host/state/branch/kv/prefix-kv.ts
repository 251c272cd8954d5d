/** PrefixStore: the part of a store whose keys begin with a prefix, seen without it. */

import { UpgradeError } from "../../../base/errors/errors.js";
import { concatBytes, prefixEnd } from "../../../base/text/bytes.js";
import { KEY_BYTES_MAX } from "../../../base/types/limits.js";
import type { KVStore } from "../../../base/types/types.js";
import { cursorOf } from "./cache-kv.js";
import { BaseKVStore } from "./kv-store.js";
import type { PairCursor } from "./pair-cursor.js";

/**
 * The pairs of a store whose keys begin with a prefix, seen without it.
 *
 * @throws UpgradeError UPG_INVALID_KEY when prefix and key together are too long
 *
 * @example
 * const store = new MemoryKVStore();
 * new PrefixStore(store, Uint8Array.of(2)).set(Uint8Array.of(9), Uint8Array.of(1));
 * console.log(store.has(Uint8Array.of(2, 9))); // → true
 */
export class PrefixStore extends BaseKVStore {
  constructor(
    private readonly parent: KVStore,
    private readonly prefix: Uint8Array,
  ) {
    super();
  }

  override _get(key: Uint8Array): Uint8Array | undefined {
    return this.parent.get(concatBytes(this.prefix, key));
  }

  override _has(key: Uint8Array): boolean {
    return this.parent.has(concatBytes(this.prefix, key));
  }

  override _cursor(start: Uint8Array | undefined, end: Uint8Array | undefined, reverse: boolean): PairCursor {
    const from = concatBytes(this.prefix, start ?? new Uint8Array(0));
    const to = end ? concatBytes(this.prefix, end) : prefixEnd(this.prefix);
    const open = (key: Uint8Array | undefined) => (key && key.length > 0 ? key : undefined);
    return new StrippedCursor(cursorOf(this.parent, open(from), open(to), reverse), this.prefix.length);
  }

  override _put(
    bytes: Uint8Array,
    keyAt: number,
    keyLen: number,
    value: Uint8Array,
    valueAt: number,
    valueLen: number,
  ): void {
    this.parent.set(this.#full(bytes, keyAt, keyLen), value.slice(valueAt, valueAt + valueLen));
  }

  override _remove(bytes: Uint8Array, keyAt: number, keyLen: number): void {
    this.parent.delete(this.#full(bytes, keyAt, keyLen));
  }

  #full(bytes: Uint8Array, keyAt: number, keyLen: number): Uint8Array {
    if (this.prefix.length + keyLen > KEY_BYTES_MAX) {
      throw new UpgradeError("UPG_INVALID_KEY", `a key has at most ${KEY_BYTES_MAX} bytes, its prefix included`);
    }
    return concatBytes(this.prefix, bytes.subarray(keyAt, keyAt + keyLen));
  }
}

class StrippedCursor implements PairCursor {
  bytes: Uint8Array = new Uint8Array(0);
  keyAt = 0;
  keyLen = 0;
  valueAt = 0;
  valueLen = 0;

  constructor(
    private readonly inner: PairCursor,
    private readonly strip: number,
  ) {}

  step(): boolean {
    // The prefix itself is a key of the parent but none of this store: keys have at least one byte.
    do if (!this.inner.step()) return false;
    while (this.inner.keyLen === this.strip);
    this.#show();
    return true;
  }

  loadValue(): void {
    if (!this.inner.loadValue) return;
    this.inner.loadValue();
    this.#show();
  }

  #show(): void {
    this.bytes = this.inner.bytes;
    this.keyAt = this.inner.keyAt + this.strip;
    this.keyLen = this.inner.keyLen - this.strip;
    this.valueAt = this.inner.valueAt;
    this.valueLen = this.inner.valueLen;
  }
}
