/**
 * The conformance suite of KVStore: every store and every wrapper passes it. To run it on your own:
 *
 *     kvStoreSuite("my store", () => ({ store: new MyStore() }));
 */
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { compareBytes, concatBytes, fromHex, toHex, utf8 } from "../../host/bytes.js";
import { FrameCursor, OP_DELETE, OP_PUT, writeU32 } from "../../host/frames.js";
import { KEY_BYTES_MAX, VALUE_BYTES_MAX } from "../../host/limits.js";
import type { KeyRange, KVReader, KVStore } from "../../host/types.js";

export interface StoreUnderTest {
  readonly store: KVStore;
  /** Longest key the store takes, when that is less than the limit (a prefix takes its share). */
  readonly keyBytesMax?: number;
  close?(): void;
}

const code = (name: string) => expect.objectContaining({ code: name });

/** All pairs of a walk as hex. */
export function pairsOf(store: KVReader, range?: KeyRange): string[] {
  return Array.from(store.iterate(range), ([key, value]) => `${toHex(key)}=${toHex(value)}`);
}

/** All pairs of a scan as hex, read through a buffer of the given size (grown when a frame needs it). */
export function framesOf(store: KVReader, range: KeyRange = {}, bufferBytes = 64): string[] {
  const scan = store.scan(range);
  const pairs: string[] = [];
  let out = new Uint8Array(bufferBytes);
  for (;;) {
    const filled = scan.read(out);
    if (filled === 0) return pairs;
    if (filled < 0) {
      out = new Uint8Array(-filled);
      continue;
    }
    const frame = new FrameCursor(out, filled);
    while (frame.step()) {
      const key = out.subarray(frame.keyAt, frame.keyAt + frame.keyLen);
      pairs.push(`${toHex(key)}=${toHex(out.subarray(frame.valueAt, frame.valueAt + frame.valueLen))}`);
    }
  }
}

function putFrame(key: Uint8Array, value: Uint8Array, store = 0): Uint8Array {
  const head = new Uint8Array(8);
  writeU32(head, 0, ((OP_PUT << 30) | (store << 24) | key.length) >>> 0);
  writeU32(head, 4, value.length);
  return concatBytes(head, key, value);
}

function deleteFrame(key: Uint8Array, store = 0): Uint8Array {
  const head = new Uint8Array(4);
  writeU32(head, 0, ((OP_DELETE << 30) | (store << 24) | key.length) >>> 0);
  return concatBytes(head, key);
}

export function kvStoreSuite(name: string, make: () => StoreUnderTest): void {
  describe(`KVStore: ${name}`, () => {
    let under: StoreUnderTest;
    let store: KVStore;
    beforeEach(() => {
      under = make();
      store = under.store;
    });
    afterEach(() => under.close?.());

    const fill = (...keys: string[]) => {
      for (const key of keys) store.set(utf8(key), utf8(key.toUpperCase()));
    };
    const keys = (range?: KeyRange) => Array.from(store.iterate(range), ([key]) => new TextDecoder().decode(key));

    test("get() and has() of a key that was never set → undefined, false", () => {
      expect(store.get(utf8("a"))).toBeUndefined();
      expect(store.has(utf8("a"))).toBe(false);
    });

    test("set() then get() → the value; set() again → the new value", () => {
      store.set(utf8("a"), utf8("first value"));
      expect(store.get(utf8("a"))).toEqual(utf8("first value"));
      store.set(utf8("a"), utf8("2"));
      expect(store.get(utf8("a"))).toEqual(utf8("2"));
      store.set(utf8("a"), utf8("a longer value than both"));
      expect(store.get(utf8("a"))).toEqual(utf8("a longer value than both"));
    });

    test("set() with an empty value → an empty value, not absence", () => {
      store.set(utf8("a"), new Uint8Array());
      expect(store.get(utf8("a"))).toEqual(new Uint8Array());
      expect(store.has(utf8("a"))).toBe(true);
      expect(pairsOf(store)).toEqual(["61="]);
    });

    test("delete() → absent; of an absent key → nothing happens", () => {
      fill("a", "b");
      store.delete(utf8("a"));
      store.delete(utf8("nope"));
      expect(store.has(utf8("a"))).toBe(false);
      expect(keys()).toEqual(["b"]);
    });

    test("set() after delete() → there again", () => {
      fill("a");
      store.delete(utf8("a"));
      store.set(utf8("a"), utf8("again"));
      expect(store.get(utf8("a"))).toEqual(utf8("again"));
    });

    test("set() copies key and value: what the caller does with them later changes nothing", () => {
      const key = utf8("key");
      const value = utf8("value");
      store.set(key, value);
      key.fill(0);
      value.fill(0);
      expect(store.get(utf8("key"))).toEqual(utf8("value"));
    });

    test("get() gives a copy: changing it changes nothing", () => {
      fill("a");
      store.get(utf8("a"))?.fill(0);
      expect(store.get(utf8("a"))).toEqual(utf8("A"));
    });

    test("keys are bytes: order is bytewise, a prefix first", () => {
      for (const key of ["ff", "00", "61", "6100", "80", "7f", "0000", "ffff"]) store.set(fromHex(key), fromHex("01"));
      expect(pairsOf(store).map((pair) => pair.slice(0, -3))).toEqual([
        "00",
        "0000",
        "61",
        "6100",
        "7f",
        "80",
        "ff",
        "ffff",
      ]);
    });

    test("iterate() with start and end → start inclusive, end exclusive, both ways", () => {
      fill("a", "b", "c", "d", "e");
      const range = { start: utf8("b"), end: utf8("d") };
      expect(keys(range)).toEqual(["b", "c"]);
      expect(keys({ ...range, reverse: true })).toEqual(["c", "b"]);
      expect(keys({ start: utf8("bb") })).toEqual(["c", "d", "e"]);
      expect(keys({ end: utf8("bb"), reverse: true })).toEqual(["b", "a"]);
      expect(keys({ reverse: true })).toEqual(["e", "d", "c", "b", "a"]);
    });

    test("iterate() with an empty range or bounds outside → nothing, or everything", () => {
      fill("b", "c");
      expect(keys({ start: utf8("c"), end: utf8("b") })).toEqual([]);
      expect(keys({ start: utf8("b"), end: utf8("b") })).toEqual([]);
      expect(keys({ start: utf8("x") })).toEqual([]);
      expect(keys({ end: utf8("a"), reverse: true })).toEqual([]);
      expect(keys({ start: utf8("a"), end: utf8("x") })).toEqual(["b", "c"]);
      expect(keys({ start: new Uint8Array(), end: new Uint8Array() })).toEqual(["b", "c"]);
    });

    test("iterate() while deleting what it shows → every pair once", () => {
      fill("a", "b", "c", "d");
      const seen: string[] = [];
      for (const [key] of store.iterate()) {
        seen.push(new TextDecoder().decode(key));
        store.delete(key);
      }
      expect(seen).toEqual(["a", "b", "c", "d"]);
      expect(keys()).toEqual([]);
    });

    test("iterate() while writing on both sides → sees what lies ahead, both ways", () => {
      fill("b", "d", "f");
      const seen: string[] = [];
      for (const [key] of store.iterate()) {
        const text = new TextDecoder().decode(key);
        seen.push(text);
        if (text === "b") fill("a", "c");
        if (text === "d") store.delete(utf8("f"));
      }
      expect(seen).toEqual(["b", "c", "d"]);
      const back: string[] = [];
      for (const [key] of store.iterate({ reverse: true })) {
        const text = new TextDecoder().decode(key);
        back.push(text);
        if (text === "d") fill("e", "bb");
      }
      expect(back).toEqual(["d", "c", "bb", "b", "a"]);
    });

    test("scan() → the same pairs as iterate(), whatever the size of the buffer", () => {
      fill("a", "bb", "ccc", "dddd");
      store.set(utf8("big"), new Uint8Array(1_000).fill(7));
      for (const size of [1, 16, 64, 100_000]) expect(framesOf(store, {}, size)).toEqual(pairsOf(store));
      const range = { start: utf8("b"), end: utf8("c") };
      expect(framesOf(store, range)).toEqual(pairsOf(store, range));
    });

    test("scan() with a buffer too small for a frame → minus the bytes it needs, and stays where it is", () => {
      store.set(utf8("key"), utf8("value"));
      const scan = store.scan();
      expect(scan.read(new Uint8Array(15))).toBe(-16);
      expect(scan.read(new Uint8Array(16))).toBe(16);
      expect(scan.read(new Uint8Array(16))).toBe(0);
    });

    test("scan() in reverse → UPG_INVALID_ARGUMENT", () => {
      expect(() => store.scan({ reverse: true })).toThrow(code("UPG_INVALID_ARGUMENT"));
    });

    test("writeFrames() → puts and deletes in order, the store index ignored", () => {
      fill("a", "b");
      store.writeFrames(
        concatBytes(
          putFrame(utf8("c"), utf8("1"), 5),
          deleteFrame(utf8("a"), 63),
          putFrame(utf8("c"), utf8("2")),
          deleteFrame(utf8("nope")),
          putFrame(utf8("e"), new Uint8Array()),
        ),
      );
      expect(pairsOf(store)).toEqual(["62=42", "63=32", "65="]);
      store.writeFrames(new Uint8Array());
    });

    test("writeFrames() with a malformed frame anywhere → UPG_INVALID_ARGUMENT, nothing written", () => {
      const good = putFrame(utf8("a"), utf8("1"));
      const bad = [
        good.slice(0, -1),
        good.slice(0, 6),
        good.slice(0, 3),
        fromHex("0100008000000000"),
        putFrame(new Uint8Array(), utf8("1")),
        deleteFrame(new Uint8Array()),
      ];
      for (const frame of bad) {
        expect(() => store.writeFrames(concatBytes(good, frame))).toThrow(code("UPG_INVALID_ARGUMENT"));
        expect(pairsOf(store)).toEqual([]);
      }
    });

    test("keys and values at their limits → kept; one past → UPG_INVALID_KEY, UPG_INVALID_VALUE", () => {
      const keyBytesMax = under.keyBytesMax ?? KEY_BYTES_MAX;
      const key = new Uint8Array(keyBytesMax).fill(1);
      const value = new Uint8Array(VALUE_BYTES_MAX).fill(2);
      store.set(key, value);
      store.set(utf8("z"), utf8("after"));
      expect(compareBytes(store.get(key) as Uint8Array, value)).toBe(0);
      expect(store.get(utf8("z"))).toEqual(utf8("after"));
      const longer = new Uint8Array(keyBytesMax + 1);
      for (const wrong of [longer, new Uint8Array()]) {
        expect(() => store.set(wrong, utf8("x"))).toThrow(code("UPG_INVALID_KEY"));
        expect(() => store.get(wrong)).toThrow(code("UPG_INVALID_KEY"));
        expect(() => store.has(wrong)).toThrow(code("UPG_INVALID_KEY"));
        expect(() => store.delete(wrong)).toThrow(code("UPG_INVALID_KEY"));
      }
      const tooLong = new Uint8Array(VALUE_BYTES_MAX + 1);
      expect(() => store.set(utf8("x"), tooLong)).toThrow(code("UPG_INVALID_VALUE"));
      expect(() => store.set("x" as unknown as Uint8Array, tooLong)).toThrow(code("UPG_INVALID_KEY"));
    });

    test("any history → what a sorted list would hold (property)", () => {
      const key = fc.uint8Array({ minLength: 1, maxLength: 3, max: 4 });
      const op = fc.oneof(
        { weight: 4, arbitrary: fc.tuple(fc.constant("set" as const), key, fc.uint8Array({ maxLength: 6 })) },
        { weight: 2, arbitrary: fc.tuple(fc.constant("delete" as const), key, fc.constant(new Uint8Array())) },
      );
      const history = fc.array(op, { maxLength: 200 });
      fc.assert(
        fc.property(history, fc.option(key), fc.option(key), fc.boolean(), (ops, start, end, reverse) => {
          const fresh = make();
          try {
            const model = new Map<string, string>();
            for (const [kind, k, v] of ops) {
              if (kind === "set") fresh.store.set(k, v);
              else fresh.store.delete(k);
              if (kind === "set") model.set(toHex(k), toHex(v));
              else model.delete(toHex(k));
            }
            const from = start === null ? "" : toHex(start);
            const to = end === null ? "~" : toHex(end);
            const expected = [...model].filter(([k]) => k >= from && k < to).sort(([a], [b]) => (a < b ? -1 : 1));
            const texts = expected.map(([k, v]) => `${k}=${v}`);
            const range = { start: start ?? undefined, end: end ?? undefined };
            expect(pairsOf(fresh.store, { ...range, reverse })).toEqual(reverse ? texts.toReversed() : texts);
            expect(framesOf(fresh.store, range, 40)).toEqual(texts);
            for (const [k, v] of model) expect(toHex(fresh.store.get(fromHex(k)) ?? utf8("absent"))).toBe(v);
          } finally {
            fresh.close?.();
          }
        }),
        { numRuns: 60 },
      );
    });
  });
}
