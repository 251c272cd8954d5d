/** A branch of several stores at once: what a block, a transaction or a handler writes to. */

import { UpgradeError } from "../../../base/errors/errors.js";
import { compareText } from "../../../base/text/bytes.js";
import type { CacheMultiStore as CacheMultiStoreShape, KVStore, MultiStore } from "../../../base/types/types.js";
import { CacheKVStore } from "./cache-kv.js";

/** Far fewer than a native stack has room for; a message inside 31 others needs about as many. */
const BRANCH_DEPTH_MAX = 128;

/**
 * A branch of several stores: what a block, a transaction or a handler writes to. `write()` hands all of it to the parent,
 * `discard()` forgets it.
 *
 * @throws UpgradeError UPG_NOT_FOUND_STORE when the parent has no store of the name; UPG_INVALID_ARGUMENT for a 129th branch in a row
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
  #refuse: (() => UpgradeError) | undefined;

  /** Branches below this one: a read may go through all of them. */
  readonly depth: number;

  constructor(private readonly parent: MultiStore) {
    this.depth = ((parent as { depth?: number }).depth ?? 0) + 1;
    if (this.depth <= BRANCH_DEPTH_MAX) return;
    throw new UpgradeError(
      "UPG_INVALID_ARGUMENT",
      `branches are nested more than ${BRANCH_DEPTH_MAX} deep: write or discard some first`,
    );
  }

  get names(): readonly string[] {
    return this.parent.names;
  }

  store(name: string): CacheKVStore {
    let branch = this.#branches.get(name);
    if (!branch) {
      branch = new CacheKVStore(this.parent.store(name));
      if (this.#refuse) branch.close(this.#refuse);
      this.#branches.set(name, branch);
    }
    return branch;
  }

  branch(): CacheMultiStore {
    return new CacheMultiStore(this);
  }

  /** The stores that `write()` hands something on from, by name. */
  written(): [name: string, store: CacheKVStore][] {
    return [...this.#branches].filter(([, store]) => !store.isEmpty).sort(([a], [b]) => compareText(a, b));
  }

  write(): void {
    for (const name of this.names) this.#branches.get(name)?.write();
  }

  discard(): void {
    for (const branch of this.#branches.values()) branch.discard();
  }

  /**
   * @internal Ends the use of the branch and its stores by code that kept them. What was not written is dropped.
   * @param refuse makes the error of reads and writes
   */
  close(refuse: () => UpgradeError): void {
    this.discard();
    this.#refuse = refuse;
    for (const branch of this.#branches.values()) branch.close(refuse);
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
