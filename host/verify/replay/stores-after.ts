/** The stores as the upgrade's block opens them: those before it, with the handler's store upgrades; each when it is asked for. */

import { UpgradeError } from "../../base/errors/errors.js";
import { compareText } from "../../base/text/bytes.js";
import type { KVStore, MultiStore, StoreUpgrades } from "../../base/types/types.js";
import { CacheMultiStore, noSuchStore } from "../../state/branch/kv/cache-multi-store.js";
import { IavlReader } from "../../state/branch/kv/iavl-reader.js";
import type { Chunk, ChunkSource } from "../../state/commitment/chunk.js";
import type { IavlHasher } from "../../state/commitment/iavl-hash.js";
import type { OpenedStore, StateBefore } from "./state-before.js";

const NO_CHUNKS: ChunkSource = {
  chunk(): Chunk {
    throw new UpgradeError("UPG_STORE_CORRUPT", "an empty tree has no nodes");
  },
};

/** How a store begins the block. */
interface Beginning {
  /** Its name before; undefined: it is new. */
  readonly source: string | undefined;
  readonly isRenamed: boolean;
}

export class StoresAfter implements MultiStore {
  readonly #beginnings: ReadonlyMap<string, Beginning>;
  readonly #opened = new Map<string, OpenedStore>();

  constructor(
    private readonly before: StateBefore,
    upgrades: StoreUpgrades,
    private readonly hasher: IavlHasher,
  ) {
    this.#beginnings = beginnings(before.names, upgrades);
  }

  get names(): readonly string[] {
    return [...this.#beginnings.keys()].sort(compareText);
  }

  store(name: string): KVStore {
    return this.opened(name).reader;
  }

  branch(): CacheMultiStore {
    return new CacheMultiStore(this);
  }

  isRenamed(name: string): boolean {
    return this.#beginnings.get(name)?.isRenamed === true;
  }

  /** Its name before the block; undefined: the store is new. */
  sourceOf(name: string): string | undefined {
    return this.#beginnings.get(name)?.source;
  }

  /** Root before the block, under its name before; undefined: the store is new. */
  rootBefore(name: string): Uint8Array | undefined {
    const source = this.#beginnings.get(name)?.source;
    return source === undefined ? undefined : this.before.rootHash(source);
  }

  /** Did anything look at the store, or change it? */
  isOpened(name: string): boolean {
    return this.#opened.has(name);
  }

  /** @throws UpgradeError UPG_NOT_FOUND_STORE, UPG_WITNESS_HIDDEN */
  opened(name: string): OpenedStore {
    const known = this.#opened.get(name);
    if (known) return known;
    const beginning = this.#beginnings.get(name);
    if (!beginning) throw noSuchStore(name, this.names);
    const opened = beginning.source === undefined ? this.#empty() : this.before.open(beginning.source);
    this.#opened.set(name, opened);
    return opened;
  }

  #empty(): OpenedStore {
    const root = { id: 0, size: 0, height: 0, hash: this.hasher.empty() };
    return { tree: { source: NO_CHUNKS, root }, reader: new IavlReader(NO_CHUNKS, root) };
  }
}

/** A node that applied the upgrade has opened exactly these: it refuses stores that are neither stored nor added. */
function beginnings(before: readonly string[], { added, renamed, deleted }: StoreUpgrades): Map<string, Beginning> {
  const gone = new Set([...deleted, ...renamed.map(({ oldKey }) => oldKey)]);
  const after = new Map<string, Beginning>();
  for (const name of before) if (!gone.has(name)) after.set(name, { source: name, isRenamed: false });
  for (const name of added) if (!after.has(name)) after.set(name, { source: undefined, isRenamed: false });
  for (const { oldKey, newKey } of renamed) {
    if (!before.includes(oldKey)) throw new UpgradeError("UPG_WITNESS_PLAN", `there is no store "${oldKey}" to rename`);
    after.set(newKey, { source: oldKey, isRenamed: true });
  }
  return after;
}
