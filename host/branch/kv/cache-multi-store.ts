/** A branch of several stores at once: what a block, a transaction or a handler writes to. */
import { UpgradeError } from "../../errors.js";
import type { CacheMultiStore as CacheMultiStoreShape, KVStore, MultiStore } from "../../types.js";
import { CacheKVStore } from "./cache-kv.js";

/**
 * A branch of several stores: what a block, a transaction or a handler writes to. `write()` hands all of it to the parent,
 * `discard()` forgets it.
 *
 * @throws UpgradeError UPG_NOT_FOUND_STORE when the parent has no store of the name
 *
 * @example
 * import { sha256 } from "@noble/hashes/sha2.js";
 * const stores = new CommitMultiStore(new MemoryDatabase(), { sha256 });
 * stores.mount("notes");
 * stores.loadLatestVersion();
 * const branch = new CacheMultiStore(stores);
 * branch.store("notes").set(Uint8Array.of(7), Uint8Array.of(1));
 * branch.discard();
 * console.log(branch.store("notes").has(Uint8Array.of(7))); // → false
 */
export class CacheMultiStore implements CacheMultiStoreShape {
  readonly #branches = new Map<string, CacheKVStore>();

  constructor(private readonly parent: MultiStore) {}

  get names(): readonly string[] {
    return this.parent.names;
  }

  store(name: string): CacheKVStore {
    let branch = this.#branches.get(name);
    if (!branch) {
      branch = new CacheKVStore(this.parent.store(name));
      this.#branches.set(name, branch);
    }
    return branch;
  }

  branch(): CacheMultiStore {
    return new CacheMultiStore(this);
  }

  write(): void {
    for (const name of this.names) this.#branches.get(name)?.write();
  }

  discard(): void {
    for (const branch of this.#branches.values()) branch.discard();
  }
}

/** Stores by name, to make branches of. What opened them is not called again. */
export class NamedStores implements MultiStore {
  constructor(private readonly stores: ReadonlyMap<string, KVStore>) {}

  get names(): readonly string[] {
    return [...this.stores.keys()];
  }

  store(name: string): KVStore {
    const store = this.stores.get(name);
    if (!store) throw noSuchStore(name, this.names);
    return store;
  }

  branch(): CacheMultiStore {
    return new CacheMultiStore(this);
  }
}

export function noSuchStore(name: string, names: readonly string[]): UpgradeError {
  return new UpgradeError(
    "UPG_NOT_FOUND_STORE",
    `there is no store "${name}"; there are ${names.join(", ") || "none"}`,
  );
}
