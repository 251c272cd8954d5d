/** Stores whose pairs a scan hands out again and again, and stores that begin again each time: for what only many pairs show. */
import type { CacheMultiStore, FrameScan, KeyRange, KeyValue, KVStore, MultiStore } from "../../base/types/types.js";

class DelegatingStore implements KVStore {
  constructor(private readonly to: () => KVStore) {}

  get(key: Uint8Array): Uint8Array | undefined {
    return this.to().get(key);
  }

  has(key: Uint8Array): boolean {
    return this.to().has(key);
  }

  iterate(range?: KeyRange): IterableIterator<KeyValue> {
    return this.to().iterate(range);
  }

  scan(range?: KeyRange): FrameScan {
    return this.to().scan(range);
  }

  set(key: Uint8Array, value: Uint8Array): void {
    this.to().set(key, value);
  }

  delete(key: Uint8Array): void {
    this.to().delete(key);
  }

  writeFrames(frames: Uint8Array): void {
    this.to().writeFrames(frames);
  }
}

/** Reads as `inner`, but the scan of one number comes to its first pair again after its last one. */
export class RepeatingStores implements MultiStore {
  #scans = 0;

  constructor(
    private readonly inner: MultiStore,
    private readonly scan: number,
  ) {}

  get names(): readonly string[] {
    return this.inner.names;
  }

  store(name: string): KVStore {
    const inner = this.inner.store(name);
    // Scans of the manifest are all that a run asks these stores for, in their order.
    return new RepeatingStore(inner, () => this.#scans++ === this.scan);
  }

  branch(): CacheMultiStore {
    return this.inner.branch();
  }
}

class RepeatingStore extends DelegatingStore {
  constructor(
    inner: KVStore,
    private readonly repeats: () => boolean,
  ) {
    super(() => inner);
  }

  override scan(range?: KeyRange): FrameScan {
    return this.repeats() ? new RepeatingScan(() => super.scan(range)) : super.scan(range);
  }
}

class RepeatingScan implements FrameScan {
  readonly passed = 0;
  readonly passedBytes = 0;
  #round: FrameScan;

  constructor(private readonly begin: () => FrameScan) {
    this.#round = begin();
  }

  read(out: Uint8Array): number {
    const read = this.#round.read(out);
    if (read !== 0) return read;
    this.#round = this.begin();
    return this.#round.read(out);
  }
}

/** A branch that is dropped and made again from the same stores, under those who hold it. */
export class ResettableStores implements MultiStore {
  #entry: MultiStore;
  #current: CacheMultiStore;

  constructor(inner: MultiStore) {
    this.#entry = inner;
    this.#current = inner.branch();
  }

  get names(): readonly string[] {
    return this.#current.names;
  }

  /** What is written from now on can be dropped. */
  hold(): void {
    this.#entry = this.#current;
    this.#current = this.#entry.branch();
  }

  /** Drops what was written since {@link hold}. */
  reset(): void {
    this.#current = this.#entry.branch();
  }

  store(name: string): KVStore {
    return new DelegatingStore(() => this.#current.store(name));
  }

  branch(): CacheMultiStore {
    return this.#current.branch();
  }
}
