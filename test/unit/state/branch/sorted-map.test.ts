import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { compareBytes, equalBytes, fromHex, toHex } from "../../../../host/base/text/bytes.js";
import { readU32 } from "../../../../host/base/wire/u32.js";
import { DELETED } from "../../../../host/state/branch/kv/records.js";
import { SortedCursor } from "../../../../host/state/branch/kv/sorted-cursor.js";
import { SortedMap } from "../../../../host/state/branch/kv/sorted-map.js";

import { choices } from "../commitment/support.js";

const SEGMENT = 1_048_576;

function put(map: SortedMap, key: Uint8Array, value: Uint8Array | undefined): void {
  if (value) map.put(key, 0, key.length, value, 0, value.length);
  else map.put(key, 0, key.length, key, 0, DELETED);
}

/** Value of a key; "deleted" where a deletion is. */
function recordOf(map: SortedMap, key: Uint8Array): Uint8Array | "deleted" | undefined {
  const address = map.find(key, 0, key.length);
  if (address === undefined) return undefined;
  const segment = map.segmentOf(address);
  const at = map.offsetOf(address);
  const valueLen = readU32(segment, at + 4);
  const valueAt = at + 8 + readU32(segment, at);
  return valueLen === DELETED ? "deleted" : segment.slice(valueAt, valueAt + valueLen);
}

function keysOf(map: SortedMap, reverse = false): string[] {
  const cursor = new SortedCursor(map, undefined, undefined, reverse);
  const keys: string[] = [];
  while (cursor.step()) keys.push(toHex(cursor.bytes.slice(cursor.keyAt, cursor.keyAt + cursor.keyLen)));
  return keys;
}

function expectSame(map: SortedMap, plain: ReadonlyMap<string, string>, key: string): void {
  const record = recordOf(map, fromHex(key));
  expect(record instanceof Uint8Array ? toHex(record) : record).toBe(plain.get(key));
}

/** Takes a key out of both; did both have it, or neither? */
function remove(map: SortedMap, key: Uint8Array, plain: Map<string, string>): boolean {
  return map.remove(key, 0, key.length) === plain.delete(toHex(key));
}

const keyOf = (i: number) => Uint8Array.of(i >> 16, i >> 8, i);

describe("SortedMap", () => {
  test("records around and above 1 MiB, together with their key → whole, and their neighbours too", () => {
    const map = new SortedMap();
    const around = [SEGMENT - 9, SEGMENT - 8, SEGMENT - 7, SEGMENT, SEGMENT + 1, 2 * SEGMENT - 11, 3 * SEGMENT];
    const records = around.flatMap((bytes, i) => [
      [Uint8Array.of(2 * i, 1, 2), new Uint8Array(bytes - 3).fill(i + 1)] as const,
      [Uint8Array.of(2 * i + 1), Uint8Array.of(i)] as const,
    ]);
    for (const [key, value] of records) put(map, key, value);
    const longKey = new Uint8Array(65_535).fill(0xee);
    put(map, longKey, new Uint8Array(SEGMENT).fill(0xdd));
    put(map, Uint8Array.of(0xff), Uint8Array.of(1));
    for (const [key, value] of records) expect(equalBytes(recordOf(map, key) as Uint8Array, value)).toBe(true);
    expect(equalBytes(recordOf(map, longKey) as Uint8Array, new Uint8Array(SEGMENT).fill(0xdd))).toBe(true);
    expect(keysOf(map)).toEqual([...records.map(([key]) => toHex(key)), toHex(longKey), "ff"]);
    expect(map.bytes).toBeGreaterThan(10 * SEGMENT);
  });

  test("writes in bulk, that wait before they are put in order, and reads now and then → a plain map's records (property)", () => {
    const prefix = fc.constantFrom("", "aa", "bb".repeat(9));
    const burst = fc.record({
      prefix,
      count: fc.constantFrom(1, 3, 200, 400, 700, 3_000),
      keys: fc.constantFrom(1, 50, 5_000, 2 ** 20),
      keyBytes: fc.constantFrom(1, 3, 7),
      seed: fc.nat(),
      valueBytes: fc.constantFrom(0, 5, 2_000),
      read: fc.constantFrom("none" as const, "find" as const, "walk" as const, "remove" as const),
    });
    fc.assert(
      fc.property(fc.array(burst, { minLength: 1, maxLength: 8 }), (bursts) => {
        const map = new SortedMap();
        const plain = new Map<string, string>();
        for (const { prefix, count, keys, keyBytes, seed, valueBytes, read } of bursts) {
          const choose = choices(seed);
          const draw = () =>
            prefix +
            (choose(keys) * 7)
              .toString(16)
              .padStart(2 * keyBytes, "0")
              .slice(-2 * keyBytes);
          for (let i = 0; i < count; i++) {
            const key = draw();
            const value = choose(5) === 0 ? undefined : new Uint8Array(choose(valueBytes + 1)).fill(i);
            put(map, fromHex(key), value);
            plain.set(key, value ? toHex(value) : "deleted");
          }
          if (read === "remove") expect(remove(map, fromHex(draw()), plain)).toBe(true);
          if (read === "find") expectSame(map, plain, draw());
          if (read === "walk") expect(keysOf(map, true)).toEqual([...plain.keys()].sort().toReversed());
        }
        expect(map.size).toBe(plain.size);
        expect(keysOf(map)).toEqual([...plain.keys()].sort());
        for (const key of plain.keys()) expectSame(map, plain, key);
      }),
      { numRuns: 25 },
    );
  });

  test("one key written over and over in bulk → its bytes do not add up", () => {
    const map = new SortedMap();
    for (let i = 0; i < 300_000; i++) put(map, keyOf(i & 1), new Uint8Array(100).fill(i));
    expect(map.bytes).toBeLessThan(12 * SEGMENT);
    expect(map.size).toBe(2);
    expect(map.bytes).toBeLessThan(2 * SEGMENT);
    expect(recordOf(map, keyOf(1))).toEqual(new Uint8Array(100).fill(299_999 & 255));
  });

  test("a walk over a map that is written in bulk meanwhile → goes on after its last pair, over what is there then", () => {
    const map = new SortedMap();
    for (let i = 0; i < 1_000; i++) put(map, keyOf(2 * i), Uint8Array.of(i));
    const cursor = new SortedCursor(map, undefined, undefined, false);
    for (let i = 0; i < 500; i++) cursor.step();
    for (let i = 999; i >= 0; i--) put(map, keyOf(2 * i + 1), Uint8Array.of(i));
    const rest: number[] = [];
    while (cursor.step())
      rest.push(((cursor.bytes[cursor.keyAt + 1] ?? 0) << 8) | (cursor.bytes[cursor.keyAt + 2] ?? 0));
    expect(rest).toEqual(Array.from({ length: 1_001 }, (_, i) => 999 + i));
  });

  test("the first segment grows under its records → they stay readable, also by cursors that are on them", () => {
    const map = new SortedMap();
    put(map, Uint8Array.of(0), Uint8Array.of(42));
    const cursor = new SortedCursor(map, undefined, undefined, false);
    cursor.step();
    for (let i = 1; i < 200; i++) put(map, Uint8Array.of(i), new Uint8Array(i * 40).fill(i));
    expect(cursor.bytes[cursor.valueAt]).toBe(42);
    for (let i = 1; i < 200; i++) {
      expect(cursor.step()).toBe(true);
      expect([cursor.bytes[cursor.keyAt], cursor.valueLen]).toEqual([i, i * 40]);
    }
    expect(cursor.step()).toBe(false);
    expect(recordOf(map, Uint8Array.of(0))).toEqual(Uint8Array.of(42));
  });

  test("addresses past several segments → every record found", () => {
    const map = new SortedMap();
    const value = (i: number) => new Uint8Array(20_000).fill(i);
    for (let i = 0; i < 300; i++) put(map, keyOf((i * 7) % 300), value(i));
    expect(map.bytes).toBeGreaterThan(5 * SEGMENT);
    for (let i = 0; i < 300; i++) expect((recordOf(map, keyOf((i * 7) % 300)) as Uint8Array)[19_999]).toBe(i & 255);
  });

  test("put() with a shorter, an equal and a longer value; a deletion and back → the last one", () => {
    const map = new SortedMap();
    const key = fromHex("aa");
    for (const value of ["0102030405", "06", "0708090a0b", "", "0c", "0d0e0f101112", undefined, "13", undefined]) {
      put(map, key, value === undefined ? undefined : fromHex(value));
      expect(recordOf(map, key)).toEqual(value === undefined ? "deleted" : fromHex(value));
    }
    expect(map.size).toBe(1);
  });

  test("20,000 keys ascending, descending, scattered; then removed the same ways → sorted, then empty", () => {
    const count = 20_000;
    const orders = [(i: number) => i, (i: number) => count - 1 - i, (i: number) => (i * 7_919) % count];
    for (const order of orders) {
      const map = new SortedMap();
      for (let i = 0; i < count; i++) put(map, keyOf(order(i)), Uint8Array.of(1));
      const expected = Array.from({ length: count }, (_, i) => toHex(keyOf(i)));
      expect(keysOf(map)).toEqual(expected);
      expect(keysOf(map, true)).toEqual(expected.toReversed());
      for (let i = 0; i < count; i++) expect(map.remove(keyOf(order(i)), 0, 3)).toBe(true);
      expect([map.size, keysOf(map), map.blockCount()]).toEqual([0, [], 0]);
      expect(map.remove(keyOf(1), 0, 3)).toBe(false);
    }
  });

  test("clear() → empty, and usable", () => {
    const map = new SortedMap();
    for (let i = 0; i < 1_000; i++) put(map, keyOf(i), new Uint8Array(2_000));
    map.clear();
    expect([map.size, map.bytes, keysOf(map)]).toEqual([0, 0, []]);
    put(map, keyOf(3), Uint8Array.of(9));
    expect(recordOf(map, keyOf(3))).toEqual(Uint8Array.of(9));
  });

  test("records replaced and removed over and over → memory stays bounded, contents and walks right", () => {
    const map = new SortedMap();
    const keys = Array.from({ length: 50 }, (_, i) => keyOf(i));
    const cursor = new SortedCursor(map, undefined, undefined, false);
    for (let round = 1; round <= 600; round++) {
      for (const [i, key] of keys.entries()) {
        if ((i + round) % 5 === 0) map.remove(key, 0, 3);
        // Longer each time, so that no value fits where the last one was.
        else put(map, key, new Uint8Array(100 + round * 3).fill(round));
      }
      if (round === 100) cursor.step();
    }
    expect(map.bytes).toBeLessThan(4 * SEGMENT);
    keys.forEach((key, i) => {
      const value = recordOf(map, key);
      if ((i + 600) % 5 === 0) expect(value).toBeUndefined();
      else expect(value).toEqual(new Uint8Array(1_900).fill(600 & 255));
    });
    const rest: number[] = [];
    while (cursor.step()) rest.push(cursor.bytes[cursor.keyAt + 2] as number);
    expect(rest).toEqual(keys.map((_, i) => i).filter((i) => i > 1 && i % 5 !== 0));
  });

  test("takeOver() → what the other held; walks over the old contents go on over the new ones", () => {
    const map = new SortedMap();
    const other = new SortedMap();
    put(map, keyOf(1), Uint8Array.of(1));
    put(map, keyOf(5), Uint8Array.of(5));
    for (const i of [0, 2, 4]) put(other, keyOf(i), Uint8Array.of(i));
    const cursor = new SortedCursor(map, undefined, undefined, false);
    cursor.step();
    map.takeOver(other);
    expect([map.size, other.size, keysOf(other)]).toEqual([3, 0, []]);
    expect([cursor.step(), cursor.bytes[cursor.valueAt]]).toEqual([true, 2]);
    put(other, keyOf(9), Uint8Array.of(9));
    expect(keysOf(map)).toEqual(["000000", "000002", "000004"]);
  });

  test("any history → what a sorted array would hold, both ways, from any key (property)", () => {
    const key = fc.nat(600).map(keyOf);
    const value = fc.option(fc.uint8Array({ maxLength: 12 }), { nil: undefined });
    const op = fc.oneof(
      { weight: 6, arbitrary: fc.record({ op: fc.constant("put" as const), key, value }) },
      { weight: 3, arbitrary: fc.record({ op: fc.constant("remove" as const), key }) },
      // A run, so that blocks of 512 records fill and split.
      { weight: 1, arbitrary: fc.record({ op: fc.constant("run" as const), from: fc.nat(2_000), count: fc.nat(900) }) },
    );
    fc.assert(
      fc.property(fc.array(op, { maxLength: 60 }), key, fc.boolean(), (ops, from, reverse) => {
        const map = new SortedMap();
        const model = new Map<string, Uint8Array | "deleted">();
        for (const each of ops) {
          if (each.op === "put") {
            put(map, each.key, each.value);
            model.set(toHex(each.key), each.value ?? "deleted");
          } else if (each.op === "remove") {
            expect(map.remove(each.key, 0, 3)).toBe(model.delete(toHex(each.key)));
          } else {
            for (let i = each.from; i < each.from + each.count; i++) {
              put(map, keyOf(i), Uint8Array.of(i));
              model.set(toHex(keyOf(i)), Uint8Array.of(i));
            }
          }
        }
        const sorted = [...model.keys()].sort();
        expect(map.size).toBe(model.size);
        expect(keysOf(map)).toEqual(sorted);
        const cursor = new SortedCursor(map, reverse ? undefined : from, reverse ? from : undefined, reverse);
        const inRange = sorted.filter((each) => (reverse ? each < toHex(from) : each >= toHex(from)));
        for (const each of reverse ? inRange.reverse() : inRange) {
          expect(cursor.step()).toBe(true);
          expect(compareBytes(fromHex(each), cursor.bytes.slice(cursor.keyAt, cursor.keyAt + 3))).toBe(0);
        }
        expect(cursor.step()).toBe(false);
        for (const [each, expected] of model) expect(recordOf(map, fromHex(each))).toEqual(expected);
      }),
      { numRuns: 80 },
    );
  });
});
