/** Our reader and our walk of LMDB's pages, against LMDB itself and against damage. */
import { copyFileSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { bigEndian64, compareBytes, concatBytes, toHex, utf8 } from "../../../../host/base/text/bytes.js";
import { LmdbDatabase } from "../../../../host/state/store/disk/lmdb-database.js";
import { LmdbFile } from "../../../../host/state/store/disk/lmdb-file.js";
import { LmdbFileDatabase } from "../../../../host/state/store/disk/lmdb-file-database.js";
import { walkLmdb } from "../../../../host/state/store/disk/lmdb-walk.js";
import { code, temporaryDirectory } from "./support.js";

const PAGE_BYTES = 4_096;
const ALL = { start: Uint8Array.of(0), end: new Uint8Array(8).fill(0xff) };

/** Many transactions of puts and removals with short and long values. */
function filled(rounds: number, seed = 1, onRound?: (path: string, round: number) => void): string {
  const path = join(temporaryDirectory(), "chain.mdb");
  const database = new LmdbDatabase(path);
  let random = seed;
  const next = (below: number) => {
    random = (Math.imul(random, 1_103_515_245) + 12_345) >>> 0;
    return (random >>> 8) % below;
  };
  for (let round = 0; round < rounds; round++) {
    database.transaction((batch) => {
      for (let i = 0; i < 60; i++) {
        const key = concatBytes(utf8(`key ${next(3)}`), bigEndian64(BigInt(next(700))));
        if (next(4) === 0) batch.remove(key);
        else batch.put(key, new Uint8Array(next(5) === 0 ? next(40_000) : next(200)).fill(round));
      }
    });
    onRound?.(path, round);
  }
  database.close();
  return path;
}

const same = (a: Uint8Array | undefined, b: Uint8Array | undefined) =>
  a === undefined || b === undefined ? a === b : compareBytes(a, b) === 0;

function walk(path: string, options: Partial<Parameters<typeof walkLmdb>[1]> = {}): void {
  const file = new LmdbFile(path);
  try {
    walkLmdb(file, { longValues: true, ...options });
  } finally {
    file.close();
  }
}

describe("LmdbFileDatabase", () => {
  test("get() and keys() → what LMDB gives, forwards, backwards, with limits (property)", () => {
    const path = filled(20);
    const lmdb = new LmdbDatabase(path, { readOnly: true });
    const ours = LmdbFileDatabase.open(path);
    expect(ours.keys(ALL)).toEqual(lmdb.keys(ALL));
    for (const key of ours.keys(ALL)) expect(same(ours.get(key), lmdb.get(key))).toBe(true);
    const bound = fc.tuple(fc.nat(3), fc.nat(720)).map(([kind, number]) => {
      return concatBytes(utf8(`key ${kind}`), bigEndian64(BigInt(number)));
    });
    fc.assert(
      fc.property(bound, bound, fc.boolean(), fc.integer({ min: 1, max: 100 }), (start, end, reverse, limit) => {
        const range = { start, end, reverse, limit };
        expect(ours.keys(range).map(toHex)).toEqual(lmdb.keys(range).map(toHex));
        expect(same(ours.get(start), lmdb.get(start))).toBe(true);
      }),
    );
    expect(() => ours.transaction()).toThrow(code("UPG_STORE_IO"));
    lmdb.close();
    ours.close();
  });

  test("an empty database → nothing", () => {
    const path = join(temporaryDirectory(), "chain.mdb");
    new LmdbDatabase(path).close();
    const ours = LmdbFileDatabase.open(path);
    expect(ours.keys(ALL)).toEqual([]);
    expect(ours.get(utf8("a"))).toBeUndefined();
    ours.close();
    walk(path);
  });
});

describe("walkLmdb()", () => {
  test("sound files after 1 to 60 transactions → no complaint", () => {
    for (const [index, rounds] of [1, 2, 3, 10, 60].entries()) walk(filled(rounds, index + 5));
  });

  test("the newer meta page with the number of an earlier transaction → UPG_STORE_CORRUPT, not the state before", () => {
    const path = filled(30);
    const damage = readFileSync(path);
    expect(damage.readBigUInt64LE(152)).toBe(30n);
    damage.writeBigUInt64LE(28n, 152);
    writeFileSync(path, damage);
    expect(() => walk(path)).toThrow(code("UPG_STORE_CORRUPT"));
  });

  test("a meta page that was cut off while it was written, after any of its fields → the transaction before", () => {
    let [before, after] = [Buffer.alloc(0), Buffer.alloc(0)];
    const path = filled(31, 1, (each, round) => {
      if (round === 29) before = readFileSync(each);
      if (round === 30) after = readFileSync(each);
    });
    // The page that transaction 31 goes to; its number is the last field, the number of the last page the one before.
    const [start, lastPage] = [PAGE_BYTES, 144];
    expect(after.readBigUInt64LE(start + 152)).toBe(31n);
    for (let length = 0; length <= lastPage; length += 8) {
      const torn = Buffer.from(after);
      before.copy(torn, start + length, start + length, start + PAGE_BYTES);
      writeFileSync(path, torn);
      walk(path);
    }
  });

  test("any bit of a byte in use flipped → UPG_STORE_CORRUPT; any page in use zeroed → UPG_STORE_CORRUPT", () => {
    const path = filled(30);
    const ranges: [number, number][] = [];
    walk(path, { onUse: (start, end) => void ranges.push([start, end]) });
    const whole = readFileSync(path);
    const copy = `${path}.copy`;
    copyFileSync(path, copy);
    const check = (damage: Buffer) => {
      writeFileSync(copy, damage);
      expect(() => walk(copy)).toThrow(code("UPG_STORE_CORRUPT"));
    };
    fc.assert(
      fc.property(fc.nat(ranges.length - 1), fc.nat(), fc.nat(7), (range, at, bit) => {
        const [start, end] = ranges[range] as [number, number];
        if (start === end) return;
        const damage = Buffer.from(whole);
        const byte = start + (at % (end - start));
        damage[byte] = (damage[byte] as number) ^ (1 << bit);
        check(damage);
      }),
      { numRuns: 100 },
    );
    for (const page of new Set(ranges.map(([start]) => start >> 12))) {
      check(Buffer.from(whole).fill(0, page * 4_096, (page + 1) * 4_096));
    }
  });
});
