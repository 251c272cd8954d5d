/**
 * Pruning. A version that is no longer kept loses its record at once and cannot be read any more; the nodes that only
 * it and its predecessors used are collected afterwards, a bounded number with each commit, in the commit's own
 * transaction. A node lives in the versions from the one that made it to the last one before it became an orphan.
 */
import { Chunk, chunkOf } from "../../commitment/chunk.js";
import type { ChunkSpace } from "../disk/chunk-space.js";
import type { Batch, Database } from "../disk/database.js";
import {
  chunkKey,
  chunksFrom,
  deadFrom,
  deadKey,
  goneStoresFrom,
  orphansFrom,
  orphansKey,
  readGoneStoreKey,
  readOrphansKey,
} from "../disk/keys.js";
import { readCommit } from "./commit-record.js";
import { buried, DeadMarks, decodeIds, encodeIds } from "./orphans.js";
import type { ReadableVersions } from "./readable-versions.js";

/** Orphans looked at with one commit: these, and twice as many as the commit made, so that no backlog can grow. */
const ORPHANS_PER_COMMIT = 4_096;
/** Records of stores that are gone removed with one commit. */
const RECORDS_PER_COMMIT = 1_024;

/** Collects for one commit. */
export class GarbageCollector {
  /** Dead nodes of stores, by their numbers. */
  readonly #dead = new Map<number, DeadMarks>();
  /** Parts of lists handed out by this commit, by version and store: the database may not show them yet. */
  readonly #parts = new Map<string, number>();

  /** `versions`: what can be read once the commit, of its last version, exists. */
  constructor(
    private readonly database: Database,
    private readonly space: ChunkSpace,
    private readonly batch: Batch,
    private readonly versions: ReadableVersions,
  ) {}

  /** Adds what is collected to the commit's transaction; `orphans`: how many the commit made. */
  collect(orphans: number): void {
    this.#collectOrphans(ORPHANS_PER_COMMIT + 2 * orphans);
    for (const [store, { chunks }] of this.#dead) for (const [chunk, bits] of chunks) this.#bury(store, chunk, bits);
    this.#collectStores();
  }

  #collectOrphans(budget: number): void {
    // The commit's own lists, those of the version before it, are left alone: not every database shows them here.
    const end = orphansFrom(Math.min(this.versions.first, this.versions.last - 1));
    let from = orphansFrom(0);
    while (budget > 0) {
      const [key] = this.database.keys({ start: from, end, limit: 1 });
      if (!key) break;
      const { version, store, part } = readOrphansKey(key);
      const isKept = this.versions.has(version);
      if (!isKept) budget -= this.#collectPart(key, version, store);
      from = isKept ? orphansFrom(version + 1) : orphansKey(version, store, part + 1);
    }
  }

  /** The nodes of one record die, or move to the list of the last version that still has them. Returns their count. */
  #collectPart(key: Uint8Array, version: number, store: number): number {
    const heir = this.versions.upTo(version);
    const ids = decodeIds(this.database.get(key) ?? new Uint8Array(0));
    const living: number[] = [];
    let known = -1;
    let made: number | undefined;
    for (const id of ids) {
      if (chunkOf(id) !== known) {
        known = chunkOf(id);
        made = this.#chunk(store, known)?.version; // undefined: removed with its store
      }
      if (made === undefined) continue;
      if (made <= heir) living.push(id);
      else this.#deadOf(store).add(id);
    }
    this.batch.remove(key);
    if (living.length > 0) this.batch.put(orphansKey(heir, store, this.#freePart(heir, store)), encodeIds(living));
    return Math.max(1, ids.length);
  }

  #deadOf(store: number): DeadMarks {
    let marks = this.#dead.get(store);
    if (!marks) {
      marks = new DeadMarks();
      this.#dead.set(store, marks);
    }
    return marks;
  }

  #freePart(version: number, store: number): number {
    const list = `${version} ${store}`;
    let part = this.#parts.get(list);
    if (part === undefined) {
      const range = { start: orphansKey(version, store, 0), end: orphansKey(version, store + 1, 0) };
      const [last] = this.database.keys({ ...range, reverse: true, limit: 1 });
      part = last ? readOrphansKey(last).part + 1 : 0;
    }
    this.#parts.set(list, part + 1);
    return part;
  }

  #chunk(store: number, number: number): Chunk | undefined {
    const bytes = this.database.get(chunkKey(store, number));
    return bytes && new Chunk(bytes);
  }

  /** Marks nodes of a chunk dead; rewrites the chunk when half of what it holds is, drops it when all is. */
  #bury(store: number, number: number, bits: Uint8Array): void {
    const chunk = this.#chunk(store, number);
    if (!chunk) return;
    const before = this.database.get(deadKey(store, number));
    const dead = bits.map((byte, i) => byte | (before?.[i] ?? 0));
    const rest = buried(chunk, dead);
    if (!rest) {
      this.batch.put(deadKey(store, number), dead);
      return;
    }
    this.batch.remove(deadKey(store, number));
    if (rest.length === 0) this.batch.remove(chunkKey(store, number));
    else this.batch.put(chunkKey(store, number), rest);
    this.space.forget(store, number);
  }

  /**
   * A store that is gone has no orphans: its last nodes were in its last tree. What no readable version has of it are
   * whole chunks, those after the ones that the last readable version with the store knows.
   */
  #collectStores(): void {
    let budget = RECORDS_PER_COMMIT;
    const range = { start: goneStoresFrom(0), end: goneStoresFrom(this.versions.last - 1) };
    for (const key of this.database.keys(range)) {
      const gone = readGoneStoreKey(key);
      const heir = this.versions.upTo(gone.version);
      if (heir === gone.version || budget === 0) continue;
      const known = heir === 0 ? undefined : readCommit(this.database, heir);
      const used = known?.stores.find(({ number }) => number === gone.store)?.nextChunk;
      const from = used ?? 0;
      const chunks = { start: chunkKey(gone.store, from), end: chunksFrom(gone.store + 1) };
      const marks = { start: deadKey(gone.store, from), end: deadFrom(gone.store + 1) };
      const records = [chunks, marks]
        .flatMap((each) => this.database.keys({ ...each, limit: budget }))
        .slice(0, budget);
      for (const record of records) this.batch.remove(record);
      budget -= records.length;
      if (records.length === 0 && used === undefined) this.batch.remove(key);
    }
  }
}
