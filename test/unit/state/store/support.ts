/** What the tests of this room share: a hash, temporary directories, and looks at a database as a whole. */
import { hash } from "node:crypto";
import { join } from "node:path";
import { expect } from "vitest";
import { toHex } from "../../../../host/base/text/bytes.js";
import type { Sha256, StoreUpgrades } from "../../../../host/base/types/types.js";
import { MemoryKVStore } from "../../../../host/state/branch/kv/memory-kv.js";
import { MemorySpill } from "../../../../host/state/branch/spill/memory-spill.js";
import { SpillSpace } from "../../../../host/state/branch/spill/spill-space.js";
import type { Database } from "../../../../host/state/store/disk/database.js";
import { LmdbDatabase } from "../../../../host/state/store/disk/lmdb-database.js";
import { MemoryDatabase } from "../../../../host/state/store/disk/memory-database.js";
import { CommitMultiStore } from "../../../../host/state/store/versions/commit-multi-store.js";
import type { CommitMultiStoreOptions } from "../../../../host/state/store/versions/store-options.js";
import { newFolder } from "../../../test-folder.js";

export const sha256: Sha256 = (bytes) => hash("sha256", bytes, "buffer");

/** Matches an UpgradeError by its code. */
export const code = (name: string) => expect.objectContaining({ code: name });

/** A directory that is removed after the tests of this file. */
export const temporaryDirectory = (): string => newFolder();

export interface OpenOptions extends Partial<CommitMultiStoreOptions> {
  readonly upgrades?: Partial<StoreUpgrades> | undefined;
  /** Mounts the stores that are there, too. */
  readonly mountStored?: boolean;
}

/** A process that mounts and loads these stores. */
export function openStores(database: Database, names: readonly string[], options: OpenOptions = {}): CommitMultiStore {
  const { upgrades, mountStored, ...rest } = options;
  const multiStore = new CommitMultiStore(database, { sha256, ...rest });
  multiStore.mount(...names, ...(mountStored ? multiStore.storedNames : []));
  if (upgrades) multiStore.loadLatestVersion({ added: [], renamed: [], deleted: [], ...upgrades });
  else multiStore.loadLatestVersion();
  return multiStore;
}

/** A store in memory whose branches put their writes aside beyond a few bytes. */
export function spillingStore(branchBytes: number): { readonly store: MemoryKVStore; readonly spill: MemorySpill } {
  const spill = new MemorySpill();
  const store = new MemoryKVStore();
  store.spill = new SpillSpace(spill, branchBytes);
  return { store, spill };
}

/** Keys of everything in a database whose key begins with this letter (all of it: ""). */
export function keysOf(database: Database, letter = ""): Uint8Array[] {
  const first = letter === "" ? 0 : letter.charCodeAt(0);
  const end = Uint8Array.of(letter === "" ? 0xff : first + 1);
  return database.keys({ start: Uint8Array.of(first), end });
}

/** Everything in a database: keys as hex, values as hex, or as their hash when they are long. */
export function dumpOf(database: Database): string[] {
  return keysOf(database).map((key) => {
    const value = database.get(key) ?? new Uint8Array();
    return `${toHex(key)}=${toHex(value.length > 64 ? sha256(value) : value)}`;
  });
}

/** A database in memory with the same records. */
export function copyOf(database: Database): MemoryDatabase {
  const copy = new MemoryDatabase();
  copy.transaction((batch) => {
    for (const key of keysOf(database)) batch.put(key, database.get(key) ?? new Uint8Array());
  });
  return copy;
}

/** Both databases, fresh ones each time. */
export const DATABASES: readonly (readonly [name: string, make: () => Database])[] = [
  ["MemoryDatabase", () => new MemoryDatabase()],
  ["LmdbDatabase", () => new LmdbDatabase(join(temporaryDirectory(), "state.lmdb"))],
];
