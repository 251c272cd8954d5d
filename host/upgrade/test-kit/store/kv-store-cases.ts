/** What every KVStore does, case by case. */
import { concatBytes, fromHex, toHex, utf8 } from "../../../base/text/bytes.js";
import { decodeText } from "../../../base/text/text.js";
import { KEY_BYTES_MAX, VALUE_BYTES_MAX } from "../../../base/types/limits.js";
import type { KeyRange, KVStore } from "../../../base/types/types.js";
import { deleteFrame, expectCode, expectSame, framesOf, pairsOf, putFrame } from "./comparisons.js";
import { KEPT_BUFFERS } from "./kept-buffers.js";
import { MANY_WRITES } from "./many-writes.js";

/** A fresh, empty store. */
export interface StoreUnderTest {
  readonly store: KVStore;
  /** Longest key the store takes, when that is less than 65,535 bytes (a prefix takes its share). */
  readonly keyBytesMax?: number;
  close?(): void;
}

type Case = (store: KVStore, under: StoreUnderTest) => void;

function fill(store: KVStore, ...keys: string[]): void {
  for (const key of keys) store.set(utf8(key), utf8(key.toUpperCase()));
}

function keys(store: KVStore, range?: KeyRange): string[] {
  return Array.from(store.iterate(range), ([key]) => decodeText(key));
}

const SINGLE_KEYS: Readonly<Record<string, Case>> = {
  "get() and has() of a key that was never set → undefined, false": (store) => {
    expectSame(store.get(utf8("a")), undefined);
    expectSame(store.has(utf8("a")), false);
  },
  "set() then get() → the value; set() again → the new value": (store) => {
    for (const value of ["first value", "2", "a longer value than both"]) {
      store.set(utf8("a"), utf8(value));
      expectSame(store.get(utf8("a")), utf8(value));
    }
  },
  "set() with an empty value → an empty value, not absence": (store) => {
    store.set(utf8("a"), new Uint8Array());
    expectSame(store.get(utf8("a")), new Uint8Array());
    expectSame(store.has(utf8("a")), true);
    expectSame(pairsOf(store), ["61="]);
  },
  "delete() → absent; of an absent key → nothing happens": (store) => {
    fill(store, "a", "b");
    store.delete(utf8("a"));
    store.delete(utf8("nope"));
    expectSame(store.has(utf8("a")), false);
    expectSame(keys(store), ["b"]);
  },
  "set() after delete() → there again": (store) => {
    fill(store, "a");
    store.delete(utf8("a"));
    store.set(utf8("a"), utf8("again"));
    expectSame(store.get(utf8("a")), utf8("again"));
  },
  "set() copies key and value: what the caller does with them later changes nothing": (store) => {
    const [key, value] = [utf8("key"), utf8("value")];
    store.set(key, value);
    key.fill(0);
    value.fill(0);
    expectSame(store.get(utf8("key")), utf8("value"));
  },
  "get() gives a copy: changing it changes nothing": (store) => {
    fill(store, "a");
    store.get(utf8("a"))?.fill(0);
    expectSame(store.get(utf8("a")), utf8("A"));
  },
  "keys and values at their limits → kept; one past → UPG_INVALID_KEY, UPG_INVALID_VALUE": (store, under) => {
    const keyBytesMax = under.keyBytesMax ?? KEY_BYTES_MAX;
    const key = new Uint8Array(keyBytesMax).fill(1);
    const value = new Uint8Array(VALUE_BYTES_MAX).fill(2);
    store.set(key, value);
    store.set(utf8("z"), utf8("after"));
    expectSame(store.get(key), value);
    expectSame(store.get(utf8("z")), utf8("after"));
    for (const wrong of [new Uint8Array(keyBytesMax + 1), new Uint8Array()]) {
      expectCode("UPG_INVALID_KEY", () => store.set(wrong, utf8("x")));
      expectCode("UPG_INVALID_KEY", () => store.get(wrong));
      expectCode("UPG_INVALID_KEY", () => store.has(wrong));
      expectCode("UPG_INVALID_KEY", () => store.delete(wrong));
    }
    const tooLong = new Uint8Array(VALUE_BYTES_MAX + 1);
    expectCode("UPG_INVALID_VALUE", () => store.set(utf8("x"), tooLong));
    // What a caller in JavaScript may pass: no type keeps it out there.
    expectCode("UPG_INVALID_KEY", () => store.set("x" as unknown as Uint8Array, tooLong));
  },
};

const WALKS: Readonly<Record<string, Case>> = {
  "keys are bytes: order is bytewise, a prefix first": (store) => {
    for (const key of ["ff", "00", "61", "6100", "80", "7f", "0000", "ffff"]) store.set(fromHex(key), fromHex("01"));
    const order = ["00", "0000", "61", "6100", "7f", "80", "ff", "ffff"];
    expectSame(
      pairsOf(store).map((pair) => pair.slice(0, -3)),
      order,
    );
  },
  "iterate() with start and end → start inclusive, end exclusive, both ways": (store) => {
    fill(store, "a", "b", "c", "d", "e");
    const range = { start: utf8("b"), end: utf8("d") };
    expectSame(keys(store, range), ["b", "c"]);
    expectSame(keys(store, { ...range, reverse: true }), ["c", "b"]);
    expectSame(keys(store, { start: utf8("bb") }), ["c", "d", "e"]);
    expectSame(keys(store, { end: utf8("bb"), reverse: true }), ["b", "a"]);
    expectSame(keys(store, { reverse: true }), ["e", "d", "c", "b", "a"]);
  },
  "iterate() with an empty range or bounds outside → nothing, or everything": (store) => {
    fill(store, "b", "c");
    expectSame(keys(store, { start: utf8("c"), end: utf8("b") }), []);
    expectSame(keys(store, { start: utf8("b"), end: utf8("b") }), []);
    expectSame(keys(store, { start: utf8("x") }), []);
    expectSame(keys(store, { end: utf8("a"), reverse: true }), []);
    expectSame(keys(store, { start: utf8("a"), end: utf8("x") }), ["b", "c"]);
    expectSame(keys(store, { start: new Uint8Array(), end: new Uint8Array() }), ["b", "c"]);
  },
  "iterate() while deleting what it shows → every pair once": (store) => {
    fill(store, "a", "b", "c", "d");
    const seen: string[] = [];
    for (const [key] of store.iterate()) {
      seen.push(decodeText(key));
      store.delete(key);
    }
    expectSame(seen, ["a", "b", "c", "d"]);
    expectSame(keys(store), []);
  },
  "iterate() while writing on both sides → sees what lies ahead, both ways": (store) => {
    fill(store, "b", "d", "f");
    const seen: string[] = [];
    for (const [key] of store.iterate()) {
      const text = decodeText(key);
      seen.push(text);
      if (text === "b") fill(store, "a", "c");
      if (text === "d") store.delete(utf8("f"));
    }
    expectSame(seen, ["b", "c", "d"]);
    const back: string[] = [];
    for (const [key] of store.iterate({ reverse: true })) {
      const text = decodeText(key);
      back.push(text);
      if (text === "d") fill(store, "e", "bb");
    }
    expectSame(back, ["d", "c", "bb", "b", "a"]);
  },
  "scan() → the same pairs as iterate(), whatever the size of the buffer": (store) => {
    fill(store, "a", "bb", "ccc", "dddd");
    store.set(utf8("big"), new Uint8Array(1_000).fill(7));
    for (const size of [1, 16, 64, 100_000]) expectSame(framesOf(store, {}, size), pairsOf(store));
    const range = { start: utf8("b"), end: utf8("c") };
    expectSame(framesOf(store, range), pairsOf(store, range));
  },
  "scan() with a buffer too small for a frame → minus the bytes it needs, and stays where it is": (store) => {
    store.set(utf8("key"), utf8("value"));
    const scan = store.scan();
    expectSame(
      [15, 16, 16].map((size) => scan.read(new Uint8Array(size))),
      [-16, 16, 0],
    );
  },
  "scan() in reverse → UPG_INVALID_ARGUMENT": (store) => {
    expectCode("UPG_INVALID_ARGUMENT", () => store.scan({ reverse: true }));
  },
};

const FRAMES: Readonly<Record<string, Case>> = {
  "writeFrames() → puts and deletes in order, the store index ignored": (store) => {
    fill(store, "a", "b");
    store.writeFrames(
      concatBytes(
        putFrame(utf8("c"), utf8("1"), 5),
        deleteFrame(utf8("a"), 63),
        putFrame(utf8("c"), utf8("2")),
        deleteFrame(utf8("nope")),
        putFrame(utf8("e"), new Uint8Array()),
      ),
    );
    expectSame(pairsOf(store), ["62=42", "63=32", "65="]);
    store.writeFrames(new Uint8Array());
  },
  "writeFrames() with a malformed frame anywhere → UPG_INVALID_ARGUMENT, nothing written": (store) => {
    const good = putFrame(utf8("a"), utf8("1"));
    const cut = [good.slice(0, -1), good.slice(0, 6), good.slice(0, 3)];
    const empty = [putFrame(new Uint8Array(), utf8("1")), deleteFrame(new Uint8Array())];
    for (const frame of [...cut, fromHex("0100008000000000"), ...empty]) {
      expectCode("UPG_INVALID_ARGUMENT", () => store.writeFrames(concatBytes(good, frame)));
      expectSame(pairsOf(store), []);
    }
  },
};

/** Histories that look random and come from a number alone, beside what a map and a sort make of them. */
const HISTORIES: Readonly<Record<string, Case>> = {
  "500 writes → at each what a sorted list would hold, by get(), iterate() both ways and scan()": (store) => {
    let state = 1;
    const next = (below: number) => {
      state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
      return (state >>> 16) % below;
    };
    const key = () => Uint8Array.from({ length: 1 + next(3) }, () => next(5));
    const model = new Map<string, string>();
    for (let step = 0; step < 500; step++) {
      const [k, v] = [key(), Uint8Array.from({ length: next(7) }, () => next(256))];
      if (next(3) > 0) {
        store.set(k, v);
        model.set(toHex(k), toHex(v));
      } else {
        store.delete(k);
        model.delete(toHex(k));
      }
      compareWalks(store, model, next(2) === 0 ? undefined : key(), next(2) === 0 ? undefined : key());
    }
    for (const [k, v] of model) expectSame(store.get(fromHex(k)), fromHex(v));
  },
};

function compareWalks(
  store: KVStore,
  model: ReadonlyMap<string, string>,
  start: Uint8Array | undefined,
  end: Uint8Array | undefined,
): void {
  const [from, to] = [start ? toHex(start) : "", end ? toHex(end) : "~"];
  const within = [...model].filter(([k]) => k >= from && k < to).sort(([a], [b]) => (a < b ? -1 : 1));
  const pairs = within.map(([k, v]) => `${k}=${v}`);
  expectSame(pairsOf(store, { start, end }), pairs);
  expectSame(pairsOf(store, { start, end, reverse: true }), pairs.toReversed());
  expectSame(framesOf(store, { start, end }, 40), pairs);
}

export const KV_STORE_CASES: Readonly<Record<string, Case>> = {
  ...SINGLE_KEYS,
  ...WALKS,
  ...KEPT_BUFFERS,
  ...FRAMES,
  ...HISTORIES,
  ...MANY_WRITES,
};
