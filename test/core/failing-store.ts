/** A store whose disk fails: its calls throw from the n-th on, until it is healed. */
import { MemoryKVStore } from "../../host/state/branch/kv/memory-kv.js";
import type { PairCursor } from "../../host/state/branch/kv/pair-cursor.js";

export class FailingStore extends MemoryKVStore {
  constructor(
    private readonly error: unknown,
    private callsLeft = 0,
    private readonly counts: "reads" | "reads and writes" = "reads and writes",
  ) {
    super();
  }

  heal(): this {
    this.callsLeft = Number.POSITIVE_INFINITY;
    return this;
  }

  #read(): void {
    if (this.callsLeft-- <= 0) throw this.error;
  }

  #write(): void {
    if (this.counts !== "reads") this.#read();
  }

  override _get(key: Uint8Array): Uint8Array | undefined {
    this.#read();
    return super._get(key);
  }

  override _cursor(start: Uint8Array | undefined, end: Uint8Array | undefined, reverse: boolean): PairCursor {
    this.#read();
    return super._cursor(start, end, reverse);
  }

  override _put(...[bytes, keyAt, keyLen, value, valueAt, valueLen]: Parameters<MemoryKVStore["_put"]>): void {
    this.#write();
    super._put(bytes, keyAt, keyLen, value, valueAt, valueLen);
  }

  override _remove(bytes: Uint8Array, keyAt: number, keyLen: number): void {
    this.#write();
    super._remove(bytes, keyAt, keyLen);
  }
}
