/**
 * A database whose changes go to another one, that is given up afterwards: the database below is read and never written.
 */

import { compareBytes, toHex } from "../../../base/text/bytes.js";
import type { SpillFiles } from "../../branch/spill/spill-files.js";
import type { Batch, Database, DatabaseRange } from "./database.js";

const PAGE_KEYS = 1_024;

export class OverlayDatabase implements Database {
  /** Keys of the database below that were removed or replaced, in hex. */
  readonly #covered = new Set<string>();

  constructor(
    private readonly below: Database,
    private readonly changed: Database,
  ) {}

  get spill(): SpillFiles | undefined {
    return this.changed.spill;
  }

  get(key: Uint8Array): Uint8Array | undefined {
    const changed = this.changed.get(key);
    return changed ?? (this.#covered.has(toHex(key)) ? undefined : this.below.get(key));
  }

  keys(range: DatabaseRange): Uint8Array[] {
    const { limit = Number.POSITIVE_INFINITY, reverse = false } = range;
    const keys = [...this.changed.keys(range), ...this.#keysBelow(range, limit)];
    keys.sort(reverse ? (a, b) => compareBytes(b, a) : compareBytes);
    return limit === Number.POSITIVE_INFINITY ? keys : keys.slice(0, limit);
  }

  transaction(changes: (batch: Batch) => void): void {
    const covered: string[] = [];
    // Most keys that are put are new, and would only take memory here.
    const cover = (key: Uint8Array) => {
      if (this.below.get(key)) covered.push(toHex(key));
    };
    this.changed.transaction((batch) => {
      changes({
        put: (key, value) => {
          cover(key);
          batch.put(key, value);
        },
        remove: (key) => {
          cover(key);
          batch.remove(key);
        },
      });
    });
    for (const key of covered) this.#covered.add(key);
  }

  close(): void {
    this.changed.close();
    this.below.close();
  }

  /** Page by page, since the first ones may all be covered. */
  *#keysBelow(range: DatabaseRange, limit: number): Iterable<Uint8Array> {
    let { start, end } = range;
    for (let left = limit; left > 0; ) {
      const page = this.below.keys({ ...range, start, end, limit: PAGE_KEYS });
      for (const key of page) {
        if (left === 0 || this.#covered.has(toHex(key))) continue;
        left--;
        yield key;
      }
      const last = page.at(-1);
      if (!last || page.length < PAGE_KEYS) return;
      if (range.reverse) end = last;
      else start = Uint8Array.from([...last, 0]);
    }
  }
}
