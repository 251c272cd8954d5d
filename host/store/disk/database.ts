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

export interface DatabaseRange {
  readonly start: Uint8Array;
  /** Exclusive. */
  readonly end: Uint8Array;
  readonly reverse?: boolean;
  readonly limit?: number;
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
   * made by `changes` see what it has put is open: LMDB shows it, memory does not.
   * @throws UpgradeError UPG_STORE_FULL, UPG_STORE_IO
   */
  transaction(changes: (batch: Batch) => void): void;
  close(): void;
}
