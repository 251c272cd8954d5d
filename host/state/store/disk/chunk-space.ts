/**
 * Chunks of all stores between the tree and the database: a bounded cache for reading, and for a commit in the making
 * a bounded buffer that is staged early when it runs full. What is staged has keys that no commit points to
 * yet; when the process dies the next start sweeps it away.
 */

import { UpgradeError } from "../../../base/errors/errors.js";
import { Chunk, type ChunkSink, type ChunkSource } from "../../commitment/chunk.js";
import type { Batch, Database } from "./database.js";
import { chunkKey } from "./keys.js";

const CACHE_BYTES_DEFAULT = 32 * 1_048_576;
const STAGED_BYTES_DEFAULT = 4 * 1_048_576;
/** Stores × chunks in one number: 2^16 stores of 2^36 chunks stay below 2^53. */
const CHUNKS_PER_STORE = 2 ** 36;

/** Least recently used goes first, by halves: when the young half is full it becomes the old one. */
class ChunkCache {
  #young = new Map<number, Chunk>();
  #old = new Map<number, Chunk>();
  #youngBytes = 0;

  constructor(private readonly bytesMax: number) {}

  get(id: number): Chunk | undefined {
    const chunk = this.#young.get(id);
    if (chunk) return chunk;
    const old = this.#old.get(id);
    if (old) this.set(id, old);
    return old;
  }

  set(id: number, chunk: Chunk): void {
    this.#young.set(id, chunk);
    this.#youngBytes += chunk.bytes.length;
    if (this.#youngBytes * 2 <= this.bytesMax) return;
    this.#old = this.#young;
    this.#young = new Map();
    this.#youngBytes = 0;
  }

  delete(id: number): void {
    this.#young.delete(id);
    this.#old.delete(id);
  }
}

/** One buffer for the chunks of a long commit, used again after each flush: garbage of that size would cost more. */
class StagingRoom {
  #bytes: Uint8Array | undefined;
  #used = 0;

  constructor(private readonly size: number) {}

  /** From now on chunks are kept here. */
  open(): void {
    this.#bytes ??= new Uint8Array(this.size);
    this.#used = 0;
  }

  /** Chunks that are here stay what they are. */
  leave(): void {
    this.#bytes = undefined;
  }

  /** A copy: here while there is room. */
  copy(bytes: Uint8Array): Uint8Array {
    const room = this.#bytes;
    if (!room || this.#used + bytes.length > room.length) return bytes.slice();
    const at = this.#used;
    this.#used += bytes.length;
    room.set(bytes, at);
    return room.subarray(at, this.#used);
  }

  has(bytes: Uint8Array): boolean {
    return bytes.buffer === this.#bytes?.buffer;
  }
}

export class ChunkSpace {
  readonly #cache: ChunkCache;
  readonly #room: StagingRoom;
  #pending = new Map<number, { readonly key: Uint8Array; readonly chunk: Chunk }>();
  #records: { readonly key: Uint8Array; readonly value: Uint8Array }[] = [];
  #dropped: Uint8Array[] = [];
  #pendingBytes = 0;
  /** Is some of the commit in the making in the database already? Code that gives it up must sweep it away. */
  hasFlushed = false;

  constructor(
    readonly database: Database,
    cacheBytes = CACHE_BYTES_DEFAULT,
    private readonly stagedBytes = STAGED_BYTES_DEFAULT,
  ) {
    this.#cache = new ChunkCache(cacheBytes);
    this.#room = new StagingRoom(stagedBytes);
  }

  read(store: number, number: number): Chunk {
    const id = store * CHUNKS_PER_STORE + number;
    const pending = this.#pending.get(id)?.chunk;
    // The reader may keep it longer than the room does.
    if (pending) return this.#room.has(pending.bytes) ? new Chunk(pending.bytes.slice()) : pending;
    const known = this.#cache.get(id);
    if (known) return known;
    const bytes = this.database.get(chunkKey(store, number));
    if (!bytes) {
      throw new UpgradeError("UPG_STORE_CORRUPT", `tree nodes of store number ${store}: chunk ${number} is missing`);
    }
    const chunk = new Chunk(bytes);
    chunk.check(number);
    this.#cache.set(id, chunk);
    return chunk;
  }

  /** Chunk of the commit in the making. */
  stageChunk(store: number, number: number, bytes: Uint8Array): void {
    const id = store * CHUNKS_PER_STORE + number;
    this.#cache.delete(id); // an attempt that was given up may have used this number
    this.#pending.set(id, { key: chunkKey(store, number), chunk: new Chunk(this.#room.copy(bytes)) });
    this.#grew(bytes.length);
  }

  /** Takes back a chunk of the commit in the making. */
  dropChunk(store: number, number: number): void {
    this.forget(store, number);
    this.#pending.delete(store * CHUNKS_PER_STORE + number);
    this.#dropped.push(chunkKey(store, number));
  }

  /** Another record of the commit in the making, which must mean nothing until the commit exists. */
  stageRecord(key: Uint8Array, value: Uint8Array): void {
    this.#records.push({ key, value });
    this.#grew(value.length);
  }

  #grew(bytes: number): void {
    this.#pendingBytes += bytes;
    if (this.#pendingBytes <= this.stagedBytes) return;
    this.hasFlushed = true;
    this.database.transaction((batch) => this.putStaged(batch), { isDurableLater: true });
    this.#clear();
    this.#room.open();
  }

  /** Puts what is still held into the commit's own transaction. */
  putStaged(batch: Batch): void {
    for (const key of this.#dropped) batch.remove(key);
    for (const { key, chunk } of this.#pending.values()) batch.put(key, chunk.bytes);
    for (const { key, value } of this.#records) batch.put(key, value);
  }

  /** After the commit: what was just made is what will be read next. */
  keepStaged(): void {
    for (const [id, { chunk }] of this.#pending) this.#cache.set(id, chunk);
    this.discardStaged();
  }

  /** Forgets what is held; what was flushed is swept by the caller. */
  discardStaged(): void {
    this.hasFlushed = false;
    this.#clear();
    this.#room.leave();
  }

  #clear(): void {
    this.#pending = new Map();
    this.#records = [];
    this.#dropped = [];
    this.#pendingBytes = 0;
  }

  forget(store: number, number: number): void {
    this.#cache.delete(store * CHUNKS_PER_STORE + number);
  }
}

/** The chunks of one store. */
export class StoreChunks implements ChunkSource, ChunkSink {
  #last: Chunk | undefined;
  #lastNumber = 0;

  constructor(
    private readonly space: ChunkSpace,
    readonly store: number,
    public nextChunk: number,
  ) {}

  chunk(number: number): Chunk {
    if (number === this.#lastNumber && this.#last) return this.#last;
    const chunk = this.space.read(this.store, number);
    this.#last = chunk;
    this.#lastNumber = number;
    return chunk;
  }

  /** Gives up what was put since the commit that ended before `nextChunk`. */
  rewind(nextChunk: number): void {
    this.nextChunk = nextChunk;
    this.#last = undefined;
  }

  put(number: number, bytes: Uint8Array): void {
    if (number === this.#lastNumber) this.#last = undefined;
    this.space.stageChunk(this.store, number, bytes);
    this.nextChunk = number + 1;
  }
}
