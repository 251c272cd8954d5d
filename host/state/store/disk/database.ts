/**
 * What a CommitMultiStore is built on: an ordered map on disk whose changes become visible together or not at all.
 * LMDB in a node, memory in tests and browsers.
 */
import type { SpillFiles } from "../../branch/spill/spill-files.js";

export interface Batch {
  /** The bytes are taken before the call returns. */
  put(key: Uint8Array, value: Uint8Array): void;
  remove(key: Uint8Array): void;
}

/** What becomes of a record: its new value, or undefined when it is removed. */
export interface RecordChange {
  readonly key: Uint8Array;
  readonly value: Uint8Array | undefined;
}

/** Changes that are made later, with a commit that they are given to. */
export class RecordChanges implements Batch {
  readonly list: RecordChange[] = [];

  put(key: Uint8Array, value: Uint8Array): void {
    this.list.push({ key: key.slice(), value: value.slice() });
  }

  remove(key: Uint8Array): void {
    this.list.push({ key: key.slice(), value: undefined });
  }
}

export function makeChanges(batch: Batch, changes: Iterable<RecordChange>): void {
  for (const { key, value } of changes) {
    if (value === undefined) batch.remove(key);
    else batch.put(key, value);
  }
}

export interface DatabaseRange {
  readonly start: Uint8Array;
  /** Exclusive. */
  readonly end: Uint8Array;
  readonly reverse?: boolean;
  readonly limit?: number;
}

/** The last key of a range; undefined: there is none. */
export interface LastKey {
  readonly start: Uint8Array;
  /** Exclusive. */
  readonly end: Uint8Array;
  readonly last: Uint8Array | undefined;
}

export interface TransactionOptions {
  /**
   * Visible at once, durable with the next transaction at the latest: a power cut may undo it, alone. For records that
   * nothing points to yet. A database may sync it all the same.
   */
  readonly isDurableLater?: boolean;
  /** What `changes` has found. A database that writes after the call has returned looks again when it does. */
  readonly expected?: LastKey;
}

export interface Database {
  /** Nothing can be written. */
  readonly isReadOnly?: boolean;
  /** Files for what branches spill; without them branches hold all in memory. */
  readonly spill?: SpillFiles | undefined;
  /** A copy that the caller may keep, a plain Uint8Array. @throws UpgradeError UPG_STORE_CORRUPT, UPG_STORE_IO */
  get(key: Uint8Array): Uint8Array | undefined;
  /** Keys of a range, read as a whole before the call returns: keep `limit` small. */
  keys(range: DatabaseRange): Uint8Array[];
  /**
   * Runs `changes` and makes them visible and durable in one step. When it throws nothing has changed. Whether reads
   * made by `changes` see what it has put is open: LMDB shows it, memory does not. `changes` may be called twice. What is
   * durable later may fail later too, in the next call of any method.
   * @throws UpgradeError UPG_STORE_FULL, UPG_STORE_IO
   */
  transaction(changes: (batch: Batch) => void, options?: TransactionOptions): void;
  close(): void;
}
