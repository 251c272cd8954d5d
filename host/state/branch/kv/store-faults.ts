/**
 * Separates failures of this machine (a disk, a checksum) from errors that follow from the state. Code may catch what a store
 * throws; the log keeps it all the same.
 */

import { ERROR_KINDS, isUpgradeError } from "../../../base/errors/errors.js";
import type { FrameScan, KeyRange, KeyValue, KVStore, MultiStore } from "../../../base/types/types.js";
import { CacheMultiStore } from "./cache-multi-store.js";

/** The first error that a store threw for a reason outside of state. */
export class FaultLog {
  #first: { readonly error: unknown } | undefined;

  /** Runs an operation of a store. */
  watch<T>(operation: () => T): T {
    try {
      return operation();
    } catch (error) {
      const followsFromState = isUpgradeError(error) && ERROR_KINDS[error.code].cause === "state";
      if (!followsFromState) this.#first ??= { error };
      throw error;
    }
  }

  /** @throws the first error, if there was one */
  rethrow(): void {
    if (this.#first) throw this.#first.error;
  }
}

/** Stores whose errors are logged. */
export class FaultyStores implements MultiStore {
  constructor(
    private readonly stores: MultiStore,
    private readonly faults: FaultLog,
  ) {}

  get names(): readonly string[] {
    return this.stores.names;
  }

  store(name: string): KVStore {
    return new FaultyStore(this.stores.store(name), this.faults);
  }

  branch(): CacheMultiStore {
    return new CacheMultiStore(this);
  }
}

class FaultyStore implements KVStore {
  constructor(
    private readonly inner: KVStore,
    private readonly faults: FaultLog,
  ) {}

  get(key: Uint8Array): Uint8Array | undefined {
    return this.faults.watch(() => this.inner.get(key));
  }

  has(key: Uint8Array): boolean {
    return this.faults.watch(() => this.inner.has(key));
  }

  *iterate(range?: KeyRange): IterableIterator<KeyValue> {
    const pairs = this.faults.watch(() => this.inner.iterate(range));
    try {
      for (;;) {
        const { done, value } = this.faults.watch(() => pairs.next());
        if (done) return;
        yield value;
      }
    } finally {
      pairs.return?.();
    }
  }

  scan(range?: KeyRange): FrameScan {
    const { faults } = this;
    const frames = faults.watch(() => this.inner.scan(range));
    return {
      get passed() {
        return frames.passed;
      },
      get passedBytes() {
        return frames.passedBytes;
      },
      read: (out) => faults.watch(() => frames.read(out)),
    };
  }

  set(key: Uint8Array, value: Uint8Array): void {
    this.faults.watch(() => this.inner.set(key, value));
  }

  delete(key: Uint8Array): void {
    this.faults.watch(() => this.inner.delete(key));
  }

  writeFrames(frames: Uint8Array): void {
    this.faults.watch(() => this.inner.writeFrames(frames));
  }
}
