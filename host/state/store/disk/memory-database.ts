/** A database in memory. Its contents outlive a CommitMultiStore, so a restart can be played with it. */

import { compareBytes } from "../../../base/text/bytes.js";
import { MemoryKVStore } from "../../branch/kv/memory-kv.js";
import { MemorySpill } from "../../branch/spill/memory-spill.js";
import type { Batch, Database, DatabaseRange } from "./database.js";

/**
 * A database in memory, for tests. Its contents outlive a `CommitMultiStore`, so a restart can be played with it.
 *
 * @example
 * const database = new MemoryDatabase();
 * database.transaction((batch) => batch.put(Uint8Array.of(1), Uint8Array.of(2)));
 * console.log(database.get(Uint8Array.of(1))?.[0]); // → 2
 */
export class MemoryDatabase implements Database {
  readonly spill = new MemorySpill();
  readonly #store = new MemoryKVStore();

  get(key: Uint8Array): Uint8Array | undefined {
    return this.#store._get(key);
  }

  keys({ start, end, reverse = false, limit = Number.POSITIVE_INFINITY }: DatabaseRange): Uint8Array[] {
    const keys: Uint8Array[] = [];
    if (compareBytes(start, end) >= 0) return keys;
    const cursor = this.#store._cursor(start, end, reverse);
    while (keys.length < limit && cursor.step()) {
      keys.push(cursor.bytes.slice(cursor.keyAt, cursor.keyAt + cursor.keyLen));
    }
    return keys;
  }

  transaction(changes: (batch: Batch) => void): void {
    const writes: (() => void)[] = [];
    changes({
      put: (key, value) => {
        const [k, v] = [copyOf(key), copyOf(value)];
        writes.push(() => this.#store._put(k, 0, k.length, v, 0, v.length));
      },
      remove: (key) => {
        const k = copyOf(key);
        writes.push(() => this.#store._remove(k, 0, k.length));
      },
    });
    for (const write of writes) write();
  }

  close(): void {
    // Nothing is held open.
  }
}

/** A copy of a Buffer too, whose `slice` would be a view. */
function copyOf(bytes: Uint8Array): Uint8Array {
  return new Uint8Array(bytes);
}
