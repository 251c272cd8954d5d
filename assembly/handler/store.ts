// Store: a store of the manifest. What it is not given (another store, other prefixes, a write to a store for reading)
// does not exist for a handler; the host ends a run that tries.
import { Bytes } from "./bytes";
import { describePrefix } from "./describe";
import { flush, put, remove } from "./output";
import { openScan, Scan } from "./scan";
import { store_get } from "./imports";
import { Writer } from "./writer";

/** Where `get` puts what it found. */
const found = new Writer(1_024);

export class Store {
  /** Made by `readStore` and `writeStore`. */
  constructor(readonly handle: u32) {}

  /** Declares that only keys which begin with this (hex) are touched. Say it again for another one; never: every key. */
  prefix(hex: string): Store {
    if (isDefined(DESCRIBE)) describePrefix(this.handle, hex);
    return this;
  }

  /** Writes a pair. A key has 1 to 65,535 bytes (else code -5), a value at most 1 MiB (-6). */
  set(key: Bytes, value: Bytes): void {
    put(this.handle, key.ptr, key.length, value.ptr, value.length);
  }

  /** Deletes a pair; nothing happens when there is none. */
  delete(key: Bytes): void {
    remove(this.handle, key.ptr, key.length);
  }

  /** The value of a key, good until the next `get` of any store; null when there is none. */
  get(key: Bytes): Bytes | null {
    return this.read(key, found.clear()) ? found : null;
  }

  /** Is there a value? */
  has(key: Bytes): bool {
    flush();
    return store_get(this.handle, key.ptr, key.length, 0, 0) >= 0;
  }

  /** Writes the value of a key after what `into` holds; false when there is none. */
  read(key: Bytes, into: Writer): bool {
    flush();
    const before = into.length;
    const room: u32 = 512;
    const length = store_get(this.handle, key.ptr, key.length, into.reserve(room), room);
    into.length = before;
    if (length < 0) return false;
    const out = into.reserve(length);
    if (<u32>length > room) store_get(this.handle, key.ptr, key.length, out, length);
    return true;
  }

  /** Walks the pairs whose keys begin with `prefix`, ascending. */
  scan(prefix: Bytes): Scan {
    return openScan(this.handle).over(prefix);
  }

  /** Walks the pairs from `start` on, and before `end` (null: to the last one). */
  range(start: Bytes, end: Bytes | null = null): Scan {
    return openScan(this.handle).between(start, end);
  }
}
