import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { fromHex, toHex, utf8 } from "../../../../host/base/text/bytes.js";
import { CacheKVStore } from "../../../../host/state/branch/kv/cache-kv.js";
import { KeyFilter } from "../../../../host/state/branch/kv/key-filter.js";
import type { MemorySpill } from "../../../../host/state/branch/spill/memory-spill.js";
import { LmdbDatabase } from "../../../../host/state/store/disk/lmdb-database.js";
import type { SpillFolder } from "../../../../host/state/store/disk/lmdb-spill.js";
import { MemoryDatabase } from "../../../../host/state/store/disk/memory-database.js";
import { code, DATABASES, dumpOf, openStores, spillingStore, temporaryDirectory } from "../store/support.js";

const keyOf = (i: number) => utf8(`key ${String((i * 7_919) % 10_007).padStart(5, "0")}`);
const filledValue = (i: number) => new Uint8Array(20 + (i % 90)).fill(i);

describe("a branch that puts writes aside", () => {
  for (const [name, make] of DATABASES) {
    test(`the same writes with and without → the same app hash, and nothing is left behind, over ${name}`, () => {
      const run = (branchBytes: number) => {
        const database = make();
        const put = () => (database.spill as MemorySpill | SpillFolder).bytes;
        const stores = openStores(database, ["a", "b"], { branchBytes, versionsKept: 0 });
        for (let block = 0; block < 3; block++) {
          const branch = stores.branch();
          for (let i = 0; i < 4_000; i++) {
            const index = i + 1_500 * block;
            branch.store(i % 3 === 0 ? "b" : "a").set(keyOf(index), filledValue(index + block));
            if (i % 5 === 0) branch.store("a").delete(keyOf(index - 7));
          }
          expect(put() > 0).toBe(branchBytes < 100_000);
          branch.write();
          stores.commit();
          expect(put()).toBe(0);
        }
        const dump = dumpOf(database);
        stores.close();
        return dump;
      };
      expect(run(20_000)).toEqual(run(1e9));
    });
  }

  test("get() and has() of every key, whichever layer it is in → the last write (property)", () => {
    const key = fc.nat(40).map((n) => n.toString(16).padStart(2, "0"));
    const value = fc.option(
      fc.uint8Array({ maxLength: 30 }).map((bytes) => toHex(bytes)),
      { nil: undefined },
    );
    const writes = fc.array(fc.tuple(key, value), { maxLength: 120 });
    fc.assert(
      fc.property(fc.nat(400), writes, writes, (bytes, base, own) => {
        const { store } = spillingStore(bytes);
        const branch = new CacheKVStore(store);
        const model = new Map<string, string>();
        for (const [list, to] of [
          [base, store],
          [own, branch],
        ] as const) {
          for (const [k, v] of list) {
            if (v === undefined) to.delete(fromHex(k));
            else to.set(fromHex(k), fromHex(v));
            if (v === undefined) model.delete(k);
            else model.set(k, v);
          }
        }
        for (let i = 0; i <= 41; i++) {
          const k = i.toString(16).padStart(2, "0");
          const found = branch.get(fromHex(k));
          expect(found && toHex(found)).toBe(model.get(k));
          expect(branch.has(fromHex(k))).toBe(model.has(k));
        }
        branch.write();
        expect(Array.from(store.iterate(), ([k]) => toHex(k))).toEqual([...model.keys()].sort());
      }),
    );
  });

  test("records of every size, larger than a part too → read back in order, both ways", () => {
    const { store, spill } = spillingStore(50_000);
    const branch = new CacheKVStore(store);
    const sizes = [0, 1, 32_700, 32_744, 32_800, 65_000, 500_000, 1_048_576];
    const expected = sizes.flatMap((size, i) => [0, 1, 2].map((n) => [`${i} ${n}`, size + n - (size > 1e6 ? 2 : 0)]));
    for (const [key, size] of expected.toReversed())
      branch.set(utf8(String(key)), new Uint8Array(Number(size)).fill(7));
    expect(spill.bytes).toBeGreaterThan(5e6);
    const seen = (reverse: boolean) =>
      Array.from(branch.iterate({ reverse }), ([key, value]) => [new TextDecoder().decode(key), value.length]);
    expect(seen(false)).toEqual(expected);
    expect(seen(true)).toEqual(expected.toReversed());
    for (const [key, size] of expected) expect(branch.get(utf8(String(key)))?.length).toBe(size);
  });

  test("discard() → its files are gone at once", () => {
    const database = new MemoryDatabase();
    const stores = openStores(database, ["a"], { branchBytes: 1_000 });
    const branch = stores.branch();
    for (let i = 0; i < 200; i++) branch.store("a").set(keyOf(i), filledValue(i));
    expect(database.spill.count).toBeGreaterThan(0);
    branch.discard();
    expect([database.spill.count, database.spill.bytes]).toEqual([0, 0]);
    stores.commit();
    expect(stores.at(1n).store("a").iterate().next().done).toBe(true);
  });

  test("stores that are opened again → no branch reads what was spilled before, and its files are gone", () => {
    const database = new MemoryDatabase();
    const stores = openStores(database, ["a"], { branchBytes: 1_000 });
    for (let i = 0; i < 200; i++) stores.store("a").set(keyOf(i), filledValue(i));
    expect(database.spill.count).toBeGreaterThan(0);
    const next = openStores(database, ["a"], { branchBytes: 1_000 });
    expect(database.spill.count).toBe(0);
    expect(next.store("a").get(keyOf(3))).toBeUndefined();
    expect(() => stores.store("a").get(keyOf(3))).toThrow(code("UPG_STORE_IO"));
  });

  test("over a database that is only read → all stays in memory, and nothing is written", () => {
    const path = join(temporaryDirectory(), "state.lmdb");
    const writable = new LmdbDatabase(path);
    const stores = openStores(writable, ["a"]);
    stores.store("a").set(utf8("k"), utf8("v"));
    stores.commit();
    writable.close();
    const database = new LmdbDatabase(path, { readOnly: true });
    const reader = openStores(database, ["a"], { branchBytes: 100 });
    const branch = reader.branch().store("a");
    for (let i = 0; i < 500; i++) branch.set(keyOf(i), filledValue(i));
    expect(Array.from(branch.iterate()).length).toBe(501);
    expect(database.spill).toBeUndefined();
    database.close();
  });
});

describe("KeyFilter", () => {
  test("mayHave() → true for every key that was added, false for nearly all others", () => {
    for (const count of [0, 1, 10, 5_000]) {
      const filter = KeyFilter.of(count, 1e6) as KeyFilter;
      const key = (i: number) => utf8(`k${i}`);
      for (let i = 0; i < count; i++) filter.add(key(i), 0, key(i).length);
      for (let i = 0; i < count; i++) expect(filter.mayHave(key(i), 0, key(i).length)).toBe(true);
      const wrong = Array.from({ length: 10_000 }, (_, i) => key(i + count)).filter((k) =>
        filter.mayHave(k, 0, k.length),
      );
      expect(wrong.length).toBeLessThan(300);
    }
  });
});
