/**
 * The database of a node: one LMDB file. A transaction is durable when it returns, and a process killed at any moment
 * leaves the last one whole. Every value has a checksum (lmdb-checksum.ts) that `get` compares.
 */
import { mkdirSync } from "node:fs";
import { dirname } from "node:path";
import { open, type RootDatabase } from "lmdb";
import { isUpgradeError, UpgradeError } from "../errors.js";
import type { Batch, Database, DatabaseRange } from "./database.js";
import { ChecksumWriter, unsealed } from "./lmdb-checksum.js";
import { checkLmdbHead } from "./lmdb-head.js";

export interface LmdbOptions {
  readonly readOnly?: boolean;
}

export class LmdbDatabase implements Database {
  readonly isReadOnly: boolean;
  readonly #db: RootDatabase<Buffer, Buffer>;
  readonly #checksums = new ChecksumWriter();

  /**
   * `path`: the database file; its folder is made when it is not there.
   * @throws UpgradeError UPG_STORE_IO, UPG_STORE_CORRUPT
   */
  constructor(path: string, options: LmdbOptions = {}) {
    this.isReadOnly = options.readOnly ?? false;
    this.#db = mapped(`cannot open the database ${path}`, () => {
      if (!options.readOnly) mkdirSync(dirname(path), { recursive: true });
      checkLmdbHead(path);
      return open<Buffer, Buffer>({
        path,
        noSubdir: true,
        readOnly: this.isReadOnly,
        encoding: "binary",
        keyEncoding: "binary",
        // A commit is on disk when it returns, not some time later.
        overlappingSync: false,
        cache: false,
        maxDbs: 1,
      });
    });
  }

  get(key: Uint8Array): Uint8Array | undefined {
    return mapped("cannot read the database", () => {
      const value = this.#db.getBinary(key as Buffer);
      return value && unsealed(key, plain(value));
    });
  }

  keys({ start, end, reverse = false, limit }: DatabaseRange): Uint8Array[] {
    const options = limit === undefined ? {} : { limit };
    // Downwards LMDB wants the bounds the other way round, and which of them counts as well.
    const down = { start: end, end: start, exclusiveStart: true, inclusiveEnd: true, reverse };
    const range = { ...(reverse ? down : { start, end }), ...options };
    return mapped("cannot read the database", () =>
      Array.from(this.#db.getKeys(range as { start: Buffer; end: Buffer }), plain),
    );
  }

  transaction(changes: (batch: Batch) => void): void {
    const what = "cannot write to the database";
    const batch: Batch = {
      put: (key, value) => mapped(what, () => void this.#db.putSync(key as Buffer, this.#checksums.sealed(key, value))),
      remove: (key) => mapped(what, () => void this.#db.removeSync(key as Buffer)),
    };
    let thrown: unknown;
    try {
      this.#db.transactionSync(() => {
        try {
          changes(batch);
        } catch (error) {
          thrown = error;
          throw error;
        }
      });
    } catch (cause) {
      throw thrown ?? databaseError(what, cause);
    }
  }

  close(): void {
    void this.#db.close();
  }
}

/** The same bytes, not as a Buffer: `slice` of a Buffer is a view, where every caller expects a copy. */
function plain(bytes: Buffer): Uint8Array {
  return new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.length);
}

function mapped<T>(what: string, action: () => T): T {
  try {
    return action();
  } catch (cause) {
    throw isUpgradeError(cause) ? cause : databaseError(what, cause);
  }
}

function databaseError(what: string, cause: unknown): UpgradeError {
  const message = cause instanceof Error ? cause.message : String(cause);
  return new UpgradeError(codeOf(message), `${what}: ${message}`, { cause });
}

function codeOf(message: string): "UPG_STORE_FULL" | "UPG_STORE_CORRUPT" | "UPG_STORE_IO" {
  if (/MDB_MAP_FULL|No space left|ENOSPC|Disk quota/.test(message)) return "UPG_STORE_FULL";
  return /MDB_(CORRUPTED|PAGE_NOTFOUND|INVALID|PANIC)/.test(message) ? "UPG_STORE_CORRUPT" : "UPG_STORE_IO";
}
