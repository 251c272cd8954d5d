/** Stores that count what a handler asks of them. */
import type { CacheMultiStore, FrameScan, KeyRange, KeyValue, KVStore, MultiStore } from "../../base/types/types.js";

export class CountedStores implements MultiStore {
  calls = 0;

  constructor(private readonly inner: MultiStore) {}

  get names(): readonly string[] {
    return this.inner.names;
  }

  store(name: string): KVStore {
    return new CountedStore(this.inner.store(name), () => {
      this.calls++;
    });
  }

  branch(): CacheMultiStore {
    return this.inner.branch();
  }
}

class CountedStore implements KVStore {
  constructor(
    private readonly inner: KVStore,
    private readonly count: () => void,
  ) {}

  get(key: Uint8Array): Uint8Array | undefined {
    this.count();
    return this.inner.get(key);
  }

  has(key: Uint8Array): boolean {
    this.count();
    return this.inner.has(key);
  }

  iterate(range?: KeyRange): IterableIterator<KeyValue> {
    this.count();
    return this.inner.iterate(range);
  }

  scan(range?: KeyRange): FrameScan {
    this.count();
    return this.inner.scan(range);
  }

  set(key: Uint8Array, value: Uint8Array): void {
    this.count();
    this.inner.set(key, value);
  }

  delete(key: Uint8Array): void {
    this.count();
    this.inner.delete(key);
  }

  writeFrames(frames: Uint8Array): void {
    this.count();
    this.inner.writeFrames(frames);
  }
}
