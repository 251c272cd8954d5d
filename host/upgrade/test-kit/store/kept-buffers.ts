/** Pairs of a walk belong to the one who asked for them: kept or changed, they touch neither each other nor the store. */
import { concatBytes, toHex, utf8 } from "../../../base/text/bytes.js";
import type { KVStore } from "../../../base/types/types.js";
import { expectSame, pairsOf } from "./comparisons.js";

const TEXTS = ["a", "bb", "ccc", "dd", "e"];
const FILLED = TEXTS.map((text) => `${toHex(utf8(text))}=${toHex(utf8(text.toUpperCase()))}`);

function filled(store: KVStore): KVStore {
  for (const text of TEXTS) store.set(utf8(text), utf8(text.toUpperCase()));
  return store;
}

export const KEPT_BUFFERS: Readonly<Record<string, (store: KVStore) => void>> = {
  "iterate() whose pairs are all kept to its end → each as it was given, both ways": (store) => {
    filled(store);
    for (const reverse of [false, true]) {
      const kept = [...store.iterate({ reverse })];
      const shown = kept.map(([key, value]) => `${toHex(key)}=${toHex(value)}`);
      expectSame(shown, reverse ? FILLED.toReversed() : FILLED);
    }
  },
  "iterate() whose keys and values are overwritten by the receiver → the walk goes on, and the store stays": (
    store,
  ) => {
    filled(store);
    const seen: string[] = [];
    for (const [key, value] of store.iterate()) {
      seen.push(`${toHex(key)}=${toHex(value)}`);
      key.fill(0xff);
      value.fill(0xff);
    }
    expectSame(seen, FILLED);
    expectSame(pairsOf(store), FILLED);
  },
  "get() twice, and of another key → three values that do not touch each other": (store) => {
    filled(store);
    const values = ["a", "a", "e"].map((text) => store.get(utf8(text)) ?? new Uint8Array());
    values[0]?.fill(0);
    expectSame(concatBytes(...values), concatBytes(new Uint8Array(1), utf8("AE")));
  },
};
