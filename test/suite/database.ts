/**
 * The conformance suite of Database, what a CommitMultiStore is built on. To run it on your own:
 *
 *     databaseSuite("my database", () => ({ open: () => new MyDatabase(path) }));
 */
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { bigEndian64, compareBytes, toHex, utf8 } from "../../host/base/text/bytes.js";
import type { Database } from "../../host/state/store/disk/database.js";

export interface DatabaseUnderTest {
  /** Opens what earlier calls wrote; called again after `close()`. */
  open(): Database;
}

const FIRST = Uint8Array.of(0);
const LAST = Uint8Array.of(0xff, 0xff);

export function databaseSuite(name: string, make: () => DatabaseUnderTest): void {
  describe(`Database: ${name}`, () => {
    let under: DatabaseUnderTest;
    let database: Database;
    beforeEach(() => {
      under = make();
      database = under.open();
    });
    afterEach(() => database.close());

    const put = (...pairs: (readonly [string, Uint8Array])[]) =>
      database.transaction((batch) => {
        for (const [key, value] of pairs) batch.put(utf8(key), value);
      });
    const keys = (start: string, end: string, options: { reverse?: boolean; limit?: number } = {}) =>
      database.keys({ start: utf8(start), end: utf8(end), ...options }).map((key) => new TextDecoder().decode(key));
    const reopen = () => {
      database.close();
      database = under.open();
    };

    test("get() of a key that was never put → undefined", () => {
      expect(database.get(utf8("a"))).toBeUndefined();
      put(["ab", utf8("1")]);
      expect(database.get(utf8("a"))).toBeUndefined();
    });

    test("get() → what was put last, also an empty value; after remove() → undefined", () => {
      put(["a", utf8("1")], ["empty", new Uint8Array()], ["a", utf8("2")]);
      expect(database.get(utf8("a"))).toEqual(utf8("2"));
      expect(database.get(utf8("empty"))).toEqual(new Uint8Array());
      database.transaction((batch) => {
        batch.put(utf8("a"), utf8("3"));
        batch.remove(utf8("a"));
        batch.remove(utf8("never there"));
      });
      expect(database.get(utf8("a"))).toBeUndefined();
    });

    test("get() and keys() → plain Uint8Arrays that belong to the caller", () => {
      for (const bytes of [5, 40_000, 300_000]) {
        put(["a", new Uint8Array(bytes).fill(7)]);
        const value = database.get(utf8("a")) ?? new Uint8Array();
        const [key = new Uint8Array()] = database.keys({ start: FIRST, end: LAST });
        expect(Object.getPrototypeOf(value)).toBe(Uint8Array.prototype);
        expect(Object.getPrototypeOf(key)).toBe(Uint8Array.prototype);
        const copy = value.slice();
        value.fill(9);
        key.fill(9);
        expect(compareBytes(database.get(utf8("a")) ?? key, copy)).toBe(0);
        put(["a", new Uint8Array(bytes).fill(1)]);
        for (let i = 0; i < 20; i++) put([`other ${i}`, new Uint8Array(bytes).fill(2)]);
        expect(value.every((byte) => byte === 9)).toBe(true);
        database.transaction((batch) => {
          for (const each of database.keys({ start: FIRST, end: LAST })) batch.remove(each);
        });
      }
    });

    test("put() takes the bytes before it returns, of Buffers too", () => {
      for (const make of [(text: string) => utf8(text), (text: string) => Buffer.from(text)]) {
        const key = make("key");
        const value = make("value");
        database.transaction((batch) => {
          batch.put(key, value);
          key.fill(0x7a);
          value.fill(0x7a);
        });
        expect(database.get(utf8("key"))).toEqual(utf8("value"));
        expect(keys("a", "zzzz")).toEqual(["key"]);
      }
    });

    test("keys() → start inclusive, end exclusive, both ways, at most limit", () => {
      put(...["a", "b", "ba", "c", "d"].map((key) => [key, utf8("1")] as const));
      expect(keys("b", "d")).toEqual(["b", "ba", "c"]);
      expect(keys("b", "d", { reverse: true })).toEqual(["c", "ba", "b"]);
      expect(keys("b", "d", { limit: 2 })).toEqual(["b", "ba"]);
      expect(keys("b", "d", { limit: 2, reverse: true })).toEqual(["c", "ba"]);
      expect(keys("b", "d", { limit: 0 })).toEqual([]);
      expect(keys("0", "z", { limit: 99 })).toEqual(["a", "b", "ba", "c", "d"]);
      for (const reverse of [false, true]) {
        expect(keys("d", "b", { reverse })).toEqual([]);
        expect(keys("b", "b", { reverse })).toEqual([]);
        expect(keys("bb", "bz", { reverse })).toEqual([]);
        expect(keys("e", "z", { reverse })).toEqual([]);
        expect(keys("0", "1", { reverse })).toEqual([]);
      }
    });

    test("keys() → bytewise order, a prefix first (property)", () => {
      const key = fc.uint8Array({ minLength: 1, maxLength: 3 });
      const bound = fc.uint8Array({ minLength: 1, maxLength: 2 });
      const clear = () =>
        database.transaction((batch) => {
          for (const each of database.keys({ start: FIRST, end: Uint8Array.of(0xff, 0xff, 0xff, 0xff) }))
            batch.remove(each);
        });
      fc.assert(
        fc.property(fc.array(key, { maxLength: 30 }), bound, bound, fc.boolean(), (all, start, end, reverse) => {
          clear();
          database.transaction((batch) => {
            for (const each of all) batch.put(each, each);
          });
          const inRange = all.filter((each) => compareBytes(each, start) >= 0 && compareBytes(each, end) < 0);
          const expected = [...new Set(inRange.sort(compareBytes).map(toHex))];
          const got = database.keys({ start, end, reverse }).map(toHex);
          expect(got).toEqual(reverse ? expected.toReversed() : expected);
        }),
        { numRuns: 60 },
      );
    });

    test("transaction() that throws → the same error, nothing changed", () => {
      put(["kept", utf8("1")], ["removed", utf8("2")]);
      const error = new Error("in the middle");
      const run = () =>
        database.transaction((batch) => {
          batch.put(utf8("kept"), utf8("other"));
          batch.remove(utf8("removed"));
          batch.put(utf8("new"), utf8("3"));
          throw error;
        });
      expect(run).toThrow(error);
      expect(keys("0", "z")).toEqual(["kept", "removed"]);
      expect(database.get(utf8("kept"))).toEqual(utf8("1"));
      reopen();
      expect(keys("0", "z")).toEqual(["kept", "removed"]);
      put(["new", utf8("4")]);
      expect(keys("0", "z")).toEqual(["kept", "new", "removed"]);
    });

    test("close() and open() again → everything that was committed", () => {
      for (let round = 0; round < 5; round++) {
        put([`round ${round}`, new Uint8Array(1_000).fill(round)]);
        reopen();
        expect(keys("r", "s")).toHaveLength(round + 1);
        expect(database.get(utf8(`round ${round}`))).toEqual(new Uint8Array(1_000).fill(round));
      }
    });

    test("values of up to 2 MiB, and back to small ones", () => {
      for (const bytes of [1, 2_015, 2_016, 4_072, 4_073, 16_360, 1_048_576, 2 * 1_048_576, 3]) {
        const value = Uint8Array.from({ length: bytes }, (_, i) => (i * 31) & 255);
        put(["big", value]);
        expect(compareBytes(database.get(utf8("big")) ?? new Uint8Array(), value)).toBe(0);
      }
      reopen();
      expect(database.get(utf8("big"))).toEqual(Uint8Array.of(0, 31, 62));
    });

    test("10,000 keys in one transaction → all there, in order; removed in another → none", () => {
      const all = Array.from({ length: 10_000 }, (_, i) => bigEndian64(BigInt((i * 7_919) % 10_000)));
      database.transaction((batch) => {
        for (const key of all) batch.put(key, key);
      });
      const range = { start: FIRST, end: LAST };
      expect(database.keys(range).map(toHex)).toEqual(
        Array.from({ length: 10_000 }, (_, i) => toHex(bigEndian64(BigInt(i)))),
      );
      expect(database.keys({ ...range, reverse: true, limit: 1 })).toEqual([bigEndian64(9_999n)]);
      database.transaction((batch) => {
        for (const key of all) batch.remove(key);
      });
      expect(database.keys(range)).toEqual([]);
    });
  });
}
