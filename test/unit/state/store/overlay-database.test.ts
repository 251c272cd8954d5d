/** The database of trials: it behaves as any other, and what is below stays as it was. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { toHex, utf8 } from "../../../../host/base/text/bytes.js";
import type { Database } from "../../../../host/state/store/disk/database.js";
import { MemoryDatabase } from "../../../../host/state/store/disk/memory-database.js";
import { OverlayDatabase } from "../../../../host/state/store/disk/overlay-database.js";
import { databaseSuite } from "../../../suite/database.js";

databaseSuite("OverlayDatabase over an empty one", () => {
  const database = new OverlayDatabase(new MemoryDatabase(), new MemoryDatabase());
  return { open: () => database };
});

const ALL = { start: Uint8Array.of(0), end: Uint8Array.of(0xff) };
const contents = (database: Database) =>
  database.keys(ALL).map((key) => `${toHex(key)}=${toHex(database.get(key) ?? new Uint8Array(0))}`);

const change = fc.record({ key: fc.constantFrom(..."abcdefgh"), value: fc.option(fc.constantFrom("1", "2", "")) });
const changes = fc.array(change, { maxLength: 12 });

function apply(database: Database, list: readonly { key: string; value: string | null }[]): void {
  database.transaction((batch) => {
    for (const { key, value } of list) {
      if (value === null) batch.remove(utf8(key));
      else batch.put(utf8(key), utf8(value));
    }
  });
}

describe("OverlayDatabase", () => {
  test("any changes over any contents → as one database with both, at any limit and in both directions; below as before", () => {
    fc.assert(
      fc.property(changes, fc.array(changes, { maxLength: 4 }), fc.nat(9), (first, later, limit) => {
        const [below, model] = [new MemoryDatabase(), new MemoryDatabase()];
        apply(below, first);
        apply(model, first);
        const before = contents(below);
        const overlay = new OverlayDatabase(below, new MemoryDatabase());
        for (const list of later) {
          apply(overlay, list);
          apply(model, list);
        }
        expect(contents(overlay)).toEqual(contents(model));
        for (const reverse of [false, true]) {
          expect(overlay.keys({ ...ALL, reverse, limit })).toEqual(model.keys({ ...ALL, reverse, limit }));
        }
        expect(contents(below)).toEqual(before);
      }),
    );
  });

  test("thousands of covered keys in front → the ones after them are found", () => {
    const below = new MemoryDatabase();
    const key = (i: number) => utf8(String(10_000 + i));
    below.transaction((batch) => {
      for (let i = 0; i < 5_000; i++) batch.put(key(i), utf8("x"));
    });
    const overlay = new OverlayDatabase(below, new MemoryDatabase());
    overlay.transaction((batch) => {
      for (let i = 0; i < 4_990; i++) batch.remove(key(i));
    });
    expect(overlay.keys({ ...ALL, limit: 3 })).toEqual([key(4_990), key(4_991), key(4_992)]);
    expect(overlay.keys({ ...ALL, reverse: true, limit: 2 })).toEqual([key(4_999), key(4_998)]);
  });

  test("a transaction that throws → nothing changed", () => {
    const below = new MemoryDatabase();
    apply(below, [{ key: "a", value: "1" }]);
    const overlay = new OverlayDatabase(below, new MemoryDatabase());
    expect(() =>
      overlay.transaction((batch) => {
        batch.remove(utf8("a"));
        throw new Error("no");
      }),
    ).toThrow("no");
    expect(overlay.get(utf8("a"))).toEqual(utf8("1"));
  });
});
