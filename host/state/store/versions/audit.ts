/**
 * Re-hashes everything that a multistore has in a database: app hashes, every version's trees from the leaves up, and
 * the books of pruning: what is present and no version has must be on a list or marked dead, and nothing else may be.
 */

import { UpgradeError } from "../../../base/errors/errors.js";
import { equalBytes } from "../../../base/text/bytes.js";
import type { Sha256 } from "../../../base/types/types.js";
import { appHash } from "../../commitment/app-hash.js";
import { Chunk, SLOTS_PER_CHUNK } from "../../commitment/chunk.js";
import { IavlHasher } from "../../commitment/iavl-hash.js";
import type { Database } from "../disk/database.js";
import { lastVersionOf } from "../disk/fenced-database.js";
import {
  chunkKey,
  chunkOfChunkKey,
  chunksEnd,
  chunksFrom,
  commitKey,
  commitsEnd,
  deadEnd,
  deadFrom,
  deadKey,
  goneStoresFrom,
  orphansEnd,
  orphansFrom,
  readGoneStoreKey,
  readOrphansKey,
  storeOfChunkKey,
  versionOfCommitKey,
} from "../disk/keys.js";
import { ChunkHashes } from "./audit-chunk.js";
import { StoreAudit } from "./audit-store.js";
import { type CommitState, checkFormat, readCommit } from "./commit-record.js";
import { DeadMarks, decodeIds } from "./orphans.js";

const KEYS_AT_ONCE = 1_024;
const PROGRESS_NODES = 65_536;

export interface StateAudit {
  readonly versions: number;
  readonly nodes: number;
  readonly chunks: number;
  /** The last version; undefined: there is none. */
  readonly last: CommitState | undefined;
}

export interface AuditOptions {
  readonly sha256: Sha256;
  /** Called now and then with the number of tree nodes hashed so far. */
  readonly onProgress?: (nodes: number) => void;
}

/** @throws UpgradeError UPG_STORE_CORRUPT naming store, version and node; UPG_STORE_VERSION_MISMATCH */
export function auditState(database: Database, options: AuditOptions): StateAudit {
  return new Audit(database, options).run();
}

/**
 * Hashes the last version's roots, and compares them with its record; nothing below them.
 * @throws UpgradeError UPG_STORE_CORRUPT
 */
export function checkLastVersion(database: Database, sha256: Sha256): CommitState | undefined {
  const version = lastVersionOf(database);
  const state = version === 0 ? undefined : readCommit(database, version);
  if (!state) return undefined;
  requireAppHash(state, sha256);
  const hasher = new ChunkHashes(new IavlHasher(sha256));
  for (const { name, number, root } of state.stores) {
    new StoreAudit(database, number, hasher, () => undefined).root(root, name, version);
  }
  return state;
}

function requireAppHash({ version, stores, appHash: recorded }: CommitState, sha256: Sha256): void {
  const roots = stores.map(({ name, root }) => ({ name, hash: root.hash }));
  if (equalBytes(appHash(sha256, roots), recorded)) return;
  throw damaged(`the app hash of version ${version} is not that of its stores' roots`);
}

/** All keys from `start` to before `end`, a bounded number in memory. */
export function* everyKey(database: Database, start: Uint8Array, end: Uint8Array): Generator<Uint8Array> {
  for (let from = start; ; ) {
    const keys = database.keys({ start: from, end, limit: KEYS_AT_ONCE });
    yield* keys;
    const last = keys.at(-1);
    if (!last || keys.length < KEYS_AT_ONCE) return;
    from = Uint8Array.of(...last, 0);
  }
}

class Audit {
  readonly #stores = new Map<number, StoreAudit>();
  /** Nodes on lists of what versions no longer have, by store. */
  readonly #listed = new Map<number, DeadMarks>();
  readonly #hasher: ChunkHashes;
  #nodes = 0;

  constructor(
    private readonly database: Database,
    private readonly options: AuditOptions,
  ) {
    this.#hasher = new ChunkHashes(new IavlHasher(options.sha256));
  }

  run(): StateAudit {
    checkFormat(this.database);
    const versions = [...everyKey(this.database, commitKey(0), commitsEnd())].map(versionOfCommitKey);
    this.#readLists(versions.at(-1) ?? 0);
    let last: CommitState | undefined;
    for (const version of versions.reverse()) {
      const state = readCommit(this.database, version);
      if (!state) throw damaged(`the record of version ${version} cannot be found by its key`);
      this.#version(state);
      if (!last) this.#requireNoneListed(state);
      last ??= state;
    }
    const chunks = this.#checkChunks(last);
    this.#checkMarks();
    return { versions: versions.length, nodes: this.#nodes, chunks, last };
  }

  #version(state: CommitState): void {
    const { version, stores } = state;
    requireAppHash(state, this.options.sha256);
    for (const { name, number, root } of stores) this.#store(number).tree(root, name, version);
  }

  #store(number: number): StoreAudit {
    let store = this.#stores.get(number);
    if (!store) {
      store = new StoreAudit(this.database, number, this.#hasher, () => this.#count());
      this.#stores.set(number, store);
    }
    return store;
  }

  #count(): void {
    if (++this.#nodes % PROGRESS_NODES === 0) this.options.onProgress?.(this.#nodes);
  }

  #readLists(last: number): void {
    for (const key of everyKey(this.database, orphansFrom(0), orphansEnd())) {
      const { version, store } = readOrphansKey(key);
      // Lists from the last version on are of a commit that never happened; a start sweeps them away.
      if (version >= last) continue;
      const ids = decodeIds(this.database.get(key) ?? new Uint8Array(0));
      const marks = this.#listed.get(store) ?? new DeadMarks();
      this.#listed.set(store, marks);
      for (const id of ids) marks.add(id);
    }
  }

  /** Nothing that the last version has may be on a list: it would be collected while it is needed. */
  #requireNoneListed({ stores, version }: CommitState): void {
    for (const { name, number } of stores) {
      for (const [chunk, bits] of this.#listed.get(number)?.chunks ?? []) {
        const reached = this.#stores.get(number)?.reached.chunks.get(chunk);
        if (!reached?.some((byte, i) => (byte & (bits[i] as number)) !== 0)) continue;
        throw damaged(`store "${name}": version ${version} has nodes of chunk ${chunk} that a list gives up`);
      }
    }
  }

  /** What is present and no version has is on a list, marked dead, of a store left behind, or not committed. */
  #checkChunks(last: CommitState | undefined): number {
    const gone = new Set<number>();
    for (const key of everyKey(this.database, goneStoresFrom(0), goneStoresFrom(Number.MAX_SAFE_INTEGER))) {
      gone.add(readGoneStoreKey(key).store);
    }
    const next = new Map(last?.stores.map(({ number, nextChunk }) => [number, nextChunk]));
    let chunks = 0;
    for (const key of everyKey(this.database, chunksFrom(0), chunksEnd())) {
      const [store, number] = [storeOfChunkKey(key), chunkOfChunkKey(key)];
      chunks++;
      const isStaged = store >= (last?.nextStore ?? 1) || number >= (next.get(store) ?? Number.POSITIVE_INFINITY);
      if (!isStaged && !gone.has(store)) this.#checkChunk(store, number);
    }
    return chunks;
  }

  #checkChunk(store: number, number: number): void {
    const bytes = this.database.get(chunkKey(store, number));
    if (!bytes) throw damaged(`chunk ${number} of store number ${store} cannot be found by its key`);
    const chunk = new Chunk(bytes);
    const dead = this.database.get(deadKey(store, number));
    const reached = this.#stores.get(store)?.reached.chunks.get(number);
    const listed = this.#listed.get(store)?.chunks.get(number);
    for (let slot = 0; slot < chunk.count; slot++) {
      const bit = 1 << (slot & 7);
      const isKnown = [dead, reached, listed].some((bits) => bits && ((bits[slot >> 3] as number) & bit) !== 0);
      if (!chunk.has(slot) || isKnown) continue;
      const id = number * SLOTS_PER_CHUNK + slot;
      throw damaged(`store number ${store}: node ${id} of chunk ${number} is in no version and on no list`);
    }
  }

  #checkMarks(): void {
    for (const key of everyKey(this.database, deadFrom(0), deadEnd())) {
      const [store, number] = [storeOfChunkKey(key), chunkOfChunkKey(key)];
      if (this.database.get(chunkKey(store, number)) && this.database.get(key)?.length === SLOTS_PER_CHUNK / 8)
        continue;
      throw damaged(`marks of dead nodes of store number ${store}, chunk ${number}, have no chunk, or are malformed`);
    }
  }
}

function damaged(what: string): UpgradeError {
  return new UpgradeError("UPG_STORE_CORRUPT", what);
}
