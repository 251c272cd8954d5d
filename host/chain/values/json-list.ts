/** Lists of a genesis document whose entries are checked against one another during a walk. */
import type { JsonReader } from "./json-reader.js";
import { KeySet } from "./key-set.js";

/** A list that may be long: it is read each time that it is walked over, and checked until a walk has come to its end. */
export interface GenesisList<T> extends Iterable<T> {
  readonly length: number;
}

/** A list of which no two entries have the same key. `begin` makes what sees every entry of a walk, and its end. */
export function listOnce<T>(
  list: Iterable<JsonReader> & { readonly length: number },
  read: (item: JsonReader) => T,
  keyOf: (entry: T) => Uint8Array,
  begin: () => { see(entry: T): void; end(): void } = () => NO_WATCH,
): GenesisList<T> {
  let isChecked = false;
  return {
    length: list.length,
    *[Symbol.iterator]() {
      if (isChecked) {
        for (const item of list) yield read(item);
        return;
      }
      const keys = new KeySet();
      const watch = begin();
      for (const item of list) {
        const entry = read(item);
        const other = keys.add(keyOf(entry));
        if (other !== undefined) {
          throw item.wrong(`is a second entry for the key of ${item.path.replace(/\[\d+\]$/, `[${other}]`)}`);
        }
        watch.see(entry);
        yield entry;
      }
      watch.end();
      isChecked = true;
    },
  };
}

const NO_WATCH = { see: () => undefined, end: () => undefined };
