import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { compareBytes, concatBytes, EMPTY, toHex } from "../../../../host/base/text/bytes.js";
import { readU32 } from "../../../../host/base/wire/u32.js";
import { latestByKey } from "../../../../host/state/branch/kv/address-sort.js";
import { Records } from "../../../../host/state/branch/kv/records.js";

/** Keys in ascending order, each with the number of its last record. */
function sorted(keys: readonly Uint8Array[]): string[] {
  const records = new Records();
  const numbers = new Map<number, number>();
  const addresses = keys.map((key, number) => {
    const address = records.add(key, 0, key.length, EMPTY, 0, 0);
    numbers.set(address, number);
    return address;
  });
  return [...latestByKey(records, Uint32Array.from(addresses))].map((address) => {
    const at = records.offsetOf(address) + 8;
    const segment = records.segmentOf(address);
    return `${toHex(segment.slice(at, at + readU32(segment, at - 8)))} ${numbers.get(address)}`;
  });
}

function expected(keys: readonly Uint8Array[]): string[] {
  const last = new Map(keys.map((key, number) => [toHex(key), { key, number }]));
  return [...last.values()]
    .sort((a, b) => compareBytes(a.key, b.key))
    .map(({ key, number }) => `${toHex(key)} ${number}`);
}

/** Few different bytes, so that keys begin alike, begin each other, and come again. */
const keys = fc.array(
  fc
    .tuple(fc.constantFrom(0, 3, 4, 5, 64), fc.array(fc.constantFrom(0, 1, 255), { minLength: 1, maxLength: 12 }))
    .map(([common, rest]) => concatBytes(new Uint8Array(common).fill(7), Uint8Array.from(rest))),
  { minLength: 1, maxLength: 400 },
);

describe("latestByKey()", () => {
  test("keys that begin alike, begin each other and come again → ascending, of each the last (property)", () => {
    fc.assert(
      fc.property(keys, (list) => {
        expect(sorted(list)).toEqual(expected(list));
      }),
    );
  });

  test("keys of which each begins the next one, in any order → ascending", () => {
    const list = Array.from({ length: 700 }, (_, i) => new Uint8Array(1 + ((i * 263) % 700)).fill(9));
    expect(sorted(list)).toEqual(expected(list));
  });

  test("keys that differ by one byte, each after the difference of the one before → ascending", () => {
    const list = Array.from({ length: 600 }, (_, i) => {
      const key = new Uint8Array(2_400);
      key[4 * ((i * 7) % 600)] = 1;
      return key;
    });
    expect(sorted(list)).toEqual(expected(list));
  });

  test("one key many times → its last record", () => {
    const list = Array.from({ length: 5_000 }, () => Uint8Array.of(1, 2, 3, 4, 5, 6));
    expect(sorted(list)).toEqual(["010203040506 4999"]);
  });
});
