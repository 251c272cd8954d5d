import { expect, test } from "vitest";
import { toHex, utf8 } from "../../../../host/base/text/bytes.js";
import {
  chunkKey,
  commitKey,
  deadKey,
  formatKey,
  goneStoreKey,
  orphansKey,
} from "../../../../host/state/store/disk/keys.js";
import { MemoryDatabase } from "../../../../host/state/store/disk/memory-database.js";
import { readCommit } from "../../../../host/state/store/versions/commit-record.js";
import { sweepStaged } from "../../../../host/state/store/versions/sweep.js";
import { CrashingDatabase } from "./crashing-database.js";
import { keysOf, openStores } from "./support.js";

/** A chain of two versions with stores 1 and 2, and everything that a commit that never happened can leave. */
function leftovers() {
  const database = new MemoryDatabase();
  const stores = openStores(database, ["a", "b"]);
  for (const name of ["a", "b"]) stores.store(name).set(utf8("k"), utf8("v"));
  stores.commit();
  stores.store("a").set(utf8("k"), utf8("w"));
  stores.commit();
  const last = readCommit(database, 2);
  const [a = 0, b = 0] = last?.stores.map(({ nextChunk }) => nextChunk) ?? [];
  expect([a, b, last?.nextStore]).toEqual([3, 2, 3]);
  const staged = [
    ...[3, 4, 2 ** 40 - 1].flatMap((chunk) => [chunkKey(1, chunk), deadKey(1, chunk)]),
    ...[2, 900].flatMap((chunk) => [chunkKey(2, chunk), deadKey(2, chunk)]),
    ...[3, 4, 2 ** 32 - 1].flatMap((store) => [chunkKey(store, 1), deadKey(store, 1)]),
    ...[orphansKey(2, 1, 0), orphansKey(2, 1, 1), orphansKey(2, 2, 0)],
  ];
  const lasting = [
    ...[chunkKey(1, 1), chunkKey(1, 2), chunkKey(2, 1), deadKey(1, 2), deadKey(2, 1)],
    ...[orphansKey(1, 1, 0), orphansKey(1, 2, 7), goneStoreKey(1, 1), goneStoreKey(2, 2)],
    ...[commitKey(1), commitKey(2), formatKey(), utf8("b a block"), utf8("p"), utf8("e")],
  ];
  database.transaction((batch) => {
    for (const key of [...staged, ...lasting]) if (!database.get(key)) batch.put(key, utf8("x"));
  });
  return { database, last, staged, lasting: lasting.map(toHex).sort() };
}

test("sweepStaged() → what the last commit does not know is gone, and nothing else", () => {
  const { database, last, staged, lasting } = leftovers();
  expect(keysOf(database)).toHaveLength(lasting.length + staged.length);
  sweepStaged(database, last);
  expect(keysOf(database).map(toHex)).toEqual(lasting);
});

test("sweepStaged() when there is nothing to sweep → no transaction", () => {
  const { database, last } = leftovers();
  sweepStaged(database, last);
  const counting = new CrashingDatabase(database, -1);
  sweepStaged(counting, last);
  expect(counting.moments).toBe(0);
});

test("sweepStaged() before the first commit → every chunk, mark and list is gone", () => {
  const { database } = leftovers();
  sweepStaged(database, undefined);
  const kinds = new Set(keysOf(database).map((key) => String.fromCharCode(key[0] as number)));
  expect([...kinds]).toEqual(["b", "c", "e", "f", "g", "p"]);
});

test("sweepStaged() of more keys than it reads at once → all gone", () => {
  const { database, last, lasting } = leftovers();
  database.transaction((batch) => {
    for (let chunk = 10; chunk < 5_000; chunk++) batch.put(chunkKey(2, chunk), utf8("x"));
  });
  sweepStaged(database, last);
  expect(keysOf(database).map(toHex)).toEqual(lasting);
});
