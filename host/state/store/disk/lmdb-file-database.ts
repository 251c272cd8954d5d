/**
 * A database of a home that no node holds, for reading only and without LMDB: nothing is made, locked for others or
 * written, so it works on a read-only file system and as any user who may read the file.
 */

import { UpgradeError } from "../../../base/errors/errors.js";
import { compareBytes } from "../../../base/text/bytes.js";
import type { Database, DatabaseRange } from "./database.js";
import { unsealed } from "./lmdb-checksum.js";
import { LmdbFile } from "./lmdb-file.js";
import { damaged, type LmdbPage, withinBounds } from "./lmdb-page.js";

const PAGES_HELD_MAX = 4_096;
const DEPTH_MAX = 32;

export class LmdbFileDatabase implements Database {
  readonly isReadOnly = true;
  readonly #pages = new Map<number, LmdbPage>();

  constructor(readonly file: LmdbFile) {}

  /** @throws UpgradeError UPG_STORE_IO, UPG_STORE_CORRUPT */
  static open(path: string): LmdbFileDatabase {
    return new LmdbFileDatabase(new LmdbFile(path));
  }

  get(key: Uint8Array): Uint8Array | undefined {
    return withinBounds(() => this.#get(key));
  }

  #get(key: Uint8Array): Uint8Array | undefined {
    const { root } = this.file.meta.main;
    if (root === undefined) return undefined;
    let page = this.#page(root);
    for (let depth = 0; !page.isLeaf; depth++) {
      if (depth > DEPTH_MAX) throw damaged(`page ${page.number} is its own ancestor`);
      page = this.#page(page.child(childOf(page, key)));
    }
    const index = firstFrom(page, key, 0);
    if (index === page.count || compareBytes(page.key(index), key) !== 0) return undefined;
    const stored = page.isLong(index) ? this.file.last.longValue(page.longValue(index)) : page.value(index).slice();
    return unsealed(key, stored);
  }

  keys(range: DatabaseRange): Uint8Array[] {
    return withinBounds(() => this.#keys(range));
  }

  #keys({ start, end, reverse = false, limit = Number.POSITIVE_INFINITY }: DatabaseRange): Uint8Array[] {
    const keys: Uint8Array[] = [];
    const { root } = this.file.meta.main;
    if (root === undefined || limit <= 0 || compareBytes(start, end) >= 0) return keys;
    for (const key of this.#walk(root, start, end, reverse, 0)) {
      keys.push(key.slice());
      if (keys.length >= limit) break;
    }
    return keys;
  }

  transaction(): void {
    throw new UpgradeError("UPG_STORE_IO", "cannot write to the database: it was opened for reading only");
  }

  close(): void {
    this.file.close();
  }

  *#walk(number: number, start: Uint8Array, end: Uint8Array, reverse: boolean, depth: number): Generator<Uint8Array> {
    const page = this.#page(number);
    if (depth > DEPTH_MAX) throw damaged(`page ${number} is its own ancestor`);
    const first = page.isLeaf ? firstFrom(page, start, 0) : childOf(page, start);
    const behind = page.isLeaf ? firstFrom(page, end, 0) : childOf(page, end) + 1;
    for (let i = 0; i < behind - first; i++) {
      const index = reverse ? behind - 1 - i : first + i;
      if (page.isLeaf) yield page.key(index);
      else yield* this.#walk(page.child(index), start, end, reverse, depth + 1);
    }
  }

  #page(number: number): LmdbPage {
    const known = this.#pages.get(number);
    if (known) return known;
    const page = this.file.last.page(number);
    page.checkNodes();
    if (this.#pages.size >= PAGES_HELD_MAX) this.#pages.clear();
    this.#pages.set(number, page);
    return page;
  }
}

/** The child below which a key is: the last one whose separator is not greater. The first one's does not count. */
function childOf(page: LmdbPage, key: Uint8Array): number {
  const index = firstFrom(page, key, 1);
  return index < page.count && compareBytes(page.key(index), key) === 0 ? index : index - 1;
}

/** Index of the first key from `from` on that is not below `key`. */
function firstFrom(page: LmdbPage, key: Uint8Array, from: number): number {
  let [low, high] = [from, page.count];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (compareBytes(page.key(middle), key) < 0) low = middle + 1;
    else high = middle;
  }
  return low;
}
