/**
 * Where branches spill writes when they hold many (spill-space.ts): files that live no longer than the process and
 * that nothing on disk points to. A folder beside the database in a node (lmdb-spill.ts), memory in tests and browsers.
 */

/** A file that grows at its end. */
export interface SpillFile {
  /** Bytes appended so far. */
  readonly bytes: number;
  /** The bytes are taken before the call returns. @throws UpgradeError UPG_STORE_FULL, UPG_STORE_IO */
  append(bytes: Uint8Array): void;
  /** A copy of `length` bytes from byte `at` on, a plain Uint8Array. @throws UpgradeError UPG_STORE_IO */
  read(at: number, length: number): Uint8Array;
  /** The same into room of the caller's, from its first byte on. @throws UpgradeError UPG_STORE_IO */
  readInto(at: number, out: Uint8Array): void;
  /** Nobody reads the file any more: its space is free when this returns. Never throws. */
  drop(): void;
}

export interface SpillFiles {
  /** Bytes that all files together may have. */
  readonly bytesMax: number;
  /** Most bytes that they had at one time. */
  readonly bytesPeak: number;
  /** @throws UpgradeError UPG_STORE_FULL, UPG_STORE_IO */
  create(): SpillFile;
  /** Of what a file gives back unchanged or not at all: 32 bits. */
  checksum(bytes: Uint8Array): number;
  /** Drops every file, also those that a process before this one left behind. Never throws. */
  clear(): void;
}
