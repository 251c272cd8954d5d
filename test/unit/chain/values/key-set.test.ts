/** A set of many keys: it finds exactly those that came before, whatever their bytes and lengths. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { bigEndian64, toHex } from "../../../../host/base/text/bytes.js";
import { KeySet } from "../../../../host/chain/values/key-set.js";

describe("KeySet", () => {
  test("keys in any order, again and again → the number of the first equal one, as a Map has it", () => {
    const keys = fc.array(fc.uint8Array({ maxLength: 3 }), { maxLength: 400 });
    fc.assert(
      fc.property(keys, (list) => {
        const set = new KeySet();
        const known = new Map<string, number>();
        for (const key of list) {
          const name = toHex(key);
          expect(set.add(key)).toBe(known.get(name));
          if (!known.has(name)) known.set(name, known.size);
        }
        expect(set.size).toBe(known.size);
      }),
    );
  });

  test("200,000 keys → each new once, and known afterwards by its number", () => {
    const set = new KeySet();
    for (let i = 0n; i < 200_000n; i++) expect(set.add(bigEndian64(i))).toBeUndefined();
    for (let i = 0n; i < 200_000n; i += 997n) expect(set.add(bigEndian64(i))).toBe(Number(i));
  });

  test("a key of 65,535 bytes → taken; one more → refused", () => {
    const set = new KeySet();
    expect(set.add(new Uint8Array(65_535))).toBeUndefined();
    expect(set.add(new Uint8Array(65_535))).toBe(0);
    expect(() => set.add(new Uint8Array(65_536))).toThrow(RangeError);
  });
});
