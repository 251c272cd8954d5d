/** Stores in memory, as a block sees them. */

import type { MultiStore } from "../../host/base/types/types.js";
import { CacheMultiStore } from "../../host/state/branch/kv/cache-multi-store.js";
import { MemoryKVStore } from "../../host/state/branch/kv/memory-kv.js";

export function memoryStores(names: readonly string[]): MultiStore {
  const stores = new Map(names.map((name) => [name, new MemoryKVStore()]));
  const multi: MultiStore = {
    names: [...names].sort(),
    store: (name) => {
      const store = stores.get(name);
      if (!store) throw new Error(`there is no store ${name}`);
      return store;
    },
    branch: () => new CacheMultiStore(multi),
  };
  return multi;
}
