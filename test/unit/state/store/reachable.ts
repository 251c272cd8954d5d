/** Looks at what a database holds of a multistore, and what of it a readable version can reach. */
import { expect } from "vitest";
import { toHex } from "../../../../host/base/text/bytes.js";
import { Chunk, chunkOf, slotOf } from "../../../../host/state/commitment/chunk.js";
import { ChunkSpace, StoreChunks } from "../../../../host/state/store/disk/chunk-space.js";
import type { Database } from "../../../../host/state/store/disk/database.js";
import {
  chunkKey,
  chunkOfChunkKey,
  readGoneStoreKey,
  readOrphansKey,
  storeOfChunkKey,
  versionOfCommitKey,
} from "../../../../host/state/store/disk/keys.js";
import { readCommit, type StoreState } from "../../../../host/state/store/versions/commit-record.js";
import { nodesOf } from "../commitment/support.js";
import { keysOf } from "./support.js";

/** Versions with a record, ascending. */
function versionsOf(database: Database): number[] {
  return keysOf(database, "c").map(versionOfCommitKey);
}

/** Slots of live nodes by the hex of their chunk's key. */
function reachable(database: Database): Map<string, Set<number>> {
  const live = new Map<string, Set<number>>();
  const space = new ChunkSpace(database);
  const visit = ({ number, nextChunk, root }: StoreState) => {
    for (const { id } of nodesOf(new StoreChunks(space, number, nextChunk), root)) {
      const chunk = toHex(chunkKey(number, chunkOf(id)));
      const slots = live.get(chunk) ?? new Set();
      live.set(chunk, slots.add(slotOf(id)));
    }
  };
  for (const version of versionsOf(database)) readCommit(database, version)?.stores.forEach(visit);
  return live;
}

/**
 * Expects that a database holds no more than pruning allows: chunks of which more than half is live, lists and marks
 * that still have something to say.
 */
export function expectNoGarbage(database: Database): void {
  const live = reachable(database);
  const versions = new Set(versionsOf(database));
  const chunks = keysOf(database, "n");
  for (const key of chunks) {
    const chunk = new Chunk(database.get(key) ?? new Uint8Array());
    const slots = live.get(toHex(key)) ?? new Set();
    const present = Array.from({ length: chunk.count }, (_, slot) => slot).filter((slot) => chunk.has(slot));
    const name = `store ${storeOfChunkKey(key)}, chunk ${chunkOfChunkKey(key)}`;
    expect(`${name}: live ${2 * slots.size > present.length}`).toBe(`${name}: live true`);
    for (const slot of slots) expect(chunk.has(slot)).toBe(true);
  }
  expect(chunks.length).toBe(live.size);
  expect(keysOf(database, "t")).toEqual([]);
  const known = new Set(chunks.map((key) => toHex(key.subarray(1))));
  for (const key of keysOf(database, "d")) expect(known.has(toHex(key.subarray(1)))).toBe(true);
  for (const key of keysOf(database, "o")) expect(versions.has(readOrphansKey(key).version)).toBe(true);
  for (const key of keysOf(database, "g")) {
    const { version, store } = readGoneStoreKey(key);
    const readers = [...versions].filter((v) => v <= version).map((v) => readCommit(database, v)?.stores ?? []);
    expect(readers.flat().some(({ number }) => number === store)).toBe(true);
  }
}
