/** Named stores in memory, as a test seeds them and a handler changes them on a branch. */

import { compareText } from "../../base/text/bytes.js";
import type { KVStore, MultiStore } from "../../base/types/types.js";
import { CacheMultiStore, noSuchStore } from "../../state/branch/kv/cache-multi-store.js";
import { MemoryKVStore } from "../../state/branch/kv/memory-kv.js";

export class MemoryStores implements MultiStore {
  readonly #stores = new Map<string, MemoryKVStore>();

  get names(): readonly string[] {
    return [...this.#stores.keys()].sort(compareText);
  }

  store(name: string): KVStore {
    const store = this.#stores.get(name);
    if (!store) throw noSuchStore(name, this.names);
    return store;
  }

  branch(): CacheMultiStore {
    return new CacheMultiStore(this);
  }

  /** The store of this name; empty when it was absent. */
  open(name: string): KVStore {
    const store = this.#stores.get(name) ?? new MemoryKVStore();
    this.#stores.set(name, store);
    return store;
  }

  /** A copy of everything. */
  copy(): MemoryStores {
    return copyOf(this);
  }

  remove(name: string): void {
    this.#stores.delete(name);
  }

  rename(before: string, name: string): void {
    const store = this.#stores.get(before);
    if (store) this.#stores.set(name, store);
    this.#stores.delete(before);
  }
}

/** What stores hold, taken out of them. */
function copyOf(stores: MultiStore): MemoryStores {
  const copy = new MemoryStores();
  for (const name of stores.names) {
    const to = copy.open(name);
    for (const [key, value] of stores.store(name).iterate()) to.set(key, value);
  }
  return copy;
}
