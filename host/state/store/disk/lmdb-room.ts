/**
 * Is there room for a transaction? Asked before LMDB writes any of it: LMDB can only find out by a write that the system
 * refuses, and for that one it makes a text longer than the buffer it has for it (lmdb 3.5.6, mdb_page_flush), after which
 * the process may end anywhere. A full disk found here costs nothing and leaves room for what is written about it.
 */
import { UpgradeError } from "../../../base/errors/errors.js";
import { freeBytes } from "../../../base/files/disk-errors.js";

/** What a transaction leaves free at least. */
export const FREE_BYTES_MIN = 2 * 1_024 * 1_024;
/** Of a larger transaction not all need be free: it may go where older pages were. */
export const NEEDED_BYTES_MAX = 64 * 1_024 * 1_024;

export class TransactionRoom {
  #bytes = 0;

  /** @param path of the database */
  constructor(private readonly path: string) {}

  begin(): void {
    this.#bytes = 0;
  }

  add(bytes: number): void {
    this.#bytes += bytes;
  }

  /** @throws UpgradeError UPG_STORE_FULL */
  require(): void {
    const free = freeBytes(this.path);
    const needed = FREE_BYTES_MIN + Math.min(this.#bytes, NEEDED_BYTES_MAX);
    if (free === undefined || BigInt(free) >= BigInt(needed)) return;
    throw new UpgradeError(
      "UPG_STORE_FULL",
      `cannot write to the database ${this.path}: its disk has ${free} bytes free, this transaction needs ${needed}; make room and start again`,
      { details: { path: this.path, free, needed: String(needed) } },
    );
  }
}
