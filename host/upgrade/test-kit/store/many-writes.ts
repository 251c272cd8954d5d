/**
 * A thousand writes of each kind, each read back at once and all of them at the end: a store that loses every n-th of a
 * kind is noticed for every n up to that.
 */
import { concatBytes, toHex } from "../../../base/text/bytes.js";
import type { KVStore } from "../../../base/types/types.js";
import { deleteFrame, expectSame, framesOf, pairsOf, putFrame } from "./comparisons.js";

const COUNT = 1_000;
const SCAN_BYTES = 4_096;

/** Two bytes, so that their order is that of the numbers. */
const keyOf = (index: number) => Uint8Array.of(0x6d, index >> 8, index & 0xff);
const madeOf = (index: number, round = 0) => Uint8Array.of(round, index & 0xff, index >> 8);

const each = (work: (index: number) => void) => {
  for (let index = 0; index < COUNT; index++) work(index);
};
const pairs = (round = 0) =>
  Array.from({ length: COUNT }, (_, index) => `${toHex(keyOf(index))}=${toHex(madeOf(index, round))}`);

/** @param round the values that are due; undefined: all are absent */
function expectAll(store: KVStore, round?: number): void {
  const due = round === undefined ? [] : pairs(round);
  expectSame(pairsOf(store), due);
  expectSame(pairsOf(store, { reverse: true }), due.toReversed());
  expectSame(framesOf(store, {}, SCAN_BYTES), due);
  each((index) => {
    expectSame(store.has(keyOf(index)), round !== undefined);
    expectSame(store.get(keyOf(index)), round === undefined ? undefined : madeOf(index, round));
  });
}

function fill(store: KVStore): void {
  store.writeFrames(concatBytes(...Array.from({ length: COUNT }, (_, index) => putFrame(keyOf(index), madeOf(index)))));
}

export const MANY_WRITES: Readonly<Record<string, (store: KVStore) => void>> = {
  "1,000 set() of new keys, then of the same keys → each is read back, and all are there": (store) => {
    for (const round of [0, 1]) {
      each((index) => {
        store.set(keyOf(index), madeOf(index, round));
        expectSame(store.get(keyOf(index)), madeOf(index, round));
      });
      expectAll(store, round);
    }
  },
  "1,000 delete() of keys that are there → each is absent at once, and nothing is left": (store) => {
    fill(store);
    each((index) => {
      store.delete(keyOf(index));
      expectSame(store.has(keyOf(index)), false);
    });
    expectAll(store);
  },
  "1,000 writeFrames() of one put, then of one delete → each is read back": (store) => {
    each((index) => {
      store.writeFrames(putFrame(keyOf(index), madeOf(index)));
      expectSame(store.get(keyOf(index)), madeOf(index));
    });
    expectAll(store, 0);
    each((index) => {
      store.writeFrames(deleteFrame(keyOf(index)));
      expectSame(store.has(keyOf(index)), false);
    });
    expectAll(store);
  },
  "writeFrames() of 1,000 puts, of 1,000 over them, of 1,000 deletes → all of each": (store) => {
    for (const round of [0, 1]) {
      const frames = Array.from({ length: COUNT }, (_, index) => putFrame(keyOf(index), madeOf(index, round)));
      store.writeFrames(concatBytes(...frames));
      expectAll(store, round);
    }
    store.writeFrames(concatBytes(...Array.from({ length: COUNT }, (_, index) => deleteFrame(keyOf(index)))));
    expectAll(store);
  },
};
