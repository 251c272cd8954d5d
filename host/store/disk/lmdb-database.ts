/**
 * The database of a node: one LMDB file. A transaction is durable when it returns, and a process killed at any moment
 * leaves the last one whole. Every value has a checksum (lmdb-checksum.ts) that `get` compares.
 */
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { open, type RangeOptions, type RootDatabase, type RootDatabaseOptionsWithPath } from "lmdb";
import { isUpgradeError } from "../../errors.js";
import type { Batch, Database, DatabaseRange, TransactionOptions } from "./database.js";
import { makeFolder, requireAccess, syncFolder } from "./lmdb-access.js";
import { ChecksumWriter, unsealed } from "./lmdb-checksum.js";
import { type Access, diskFailure } from "./lmdb-errors.js";
import { checkLmdbHead } from "./lmdb-head.js";
import { TransactionRoom } from "./lmdb-room.js";
import { SpillFolder, type SpillLimits } from "./lmdb-spill.js";

export interface LmdbOptions {
  readonly readOnly?: boolean;
  /** Of what branches spill, in a folder beside the database. */
  readonly spill?: SpillLimits;
  /** Nothing in it is needed once the process has ended, so nothing is synced. */
  readonly isTemporary?: boolean;
}

/** lmdb-js: may be given up, and is on disk when it returns (TXN_ABORTABLE, TXN_SYNCHRONOUS_COMMIT); its default. */
const DURABLE = 3;
/**
 * LMDB's MDB_NOMETASYNC: the pages of the transaction are synced, its meta page with the next one. One sync of two is
 * saved, and after a power cut the file is whole with or without the transaction.
 */
const NO_META_SYNC = 0x40000;
/** Beside the database file. */
const SPILL_FOLDER = "spill";

/**
 * A durable database in one LMDB file: a transaction is on disk when `transaction` returns, or not at all.
 *
 * @example
 * const database = new LmdbDatabase("chain.mdb");
 * database.transaction((batch) => batch.put(Uint8Array.of(1), Uint8Array.of(5)));
 * console.log(database.get(Uint8Array.of(1))?.[0]); // → 5
 * database.close();
 */
export class LmdbDatabase implements Database {
  readonly isReadOnly: boolean;
  readonly spill: SpillFolder | undefined;
  readonly #db: RootDatabase<Buffer, Buffer>;
  readonly #checksums = new ChecksumWriter();
  readonly #path: string;
  readonly #room: TransactionRoom;
  #hasFailed = false;

  /**
   * `path`: the database file; its folder is made when it is absent.
   * @throws UpgradeError UPG_STORE_IO, UPG_STORE_CORRUPT, UPG_STORE_FULL
   */
  constructor(path: string, options: LmdbOptions = {}) {
    this.isReadOnly = options.readOnly ?? false;
    this.#path = path;
    this.#room = new TransactionRoom(path);
    if (!this.isReadOnly) this.spill = new SpillFolder(join(dirname(path), SPILL_FOLDER), options.spill);
    // First of all: files that a process left behind may fill the disk.
    this.spill?.clear();
    this.#db = this.#mapped(this.isReadOnly ? "read" : "write", "cannot open the database", () => {
      if (!options.readOnly) makeFolder(dirname(path));
      requireAccess(path, this.isReadOnly);
      checkLmdbHead(path);
      const isNew = !existsSync(path);
      const db = open<Buffer, Buffer>({
        ...lmdbOptions(path),
        readOnly: this.isReadOnly,
        ...(options.isTemporary ? { noSync: true } : {}),
      });
      // LMDB syncs what is in the file, not that there is one.
      if (isNew && !options.isTemporary) syncFolder(dirname(path));
      return db;
    });
  }

  get(key: Uint8Array): Uint8Array | undefined {
    return this.#mapped("read", "cannot read the database", () => {
      const value = this.#db.getBinary(key as Buffer);
      return value && unsealed(key, plain(value));
    });
  }

  keys(range: DatabaseRange): Uint8Array[] {
    return this.#mapped("read", "cannot read the database", () =>
      Array.from(this.#db.getKeys(lmdbRange(range)), plain),
    );
  }

  transaction(changes: (batch: Batch) => void, options: TransactionOptions = {}): void {
    const what = "cannot write to the database";
    const batch: Batch = {
      put: (key, value) => {
        this.#room.add(key.length + value.length);
        this.#mapped("write", what, () => void this.#db.putSync(key as Buffer, this.#checksums.sealed(key, value)));
      },
      remove: (key) => this.#mapped("write", what, () => void this.#db.removeSync(key as Buffer)),
    };
    this.#room.begin();
    let thrown: unknown;
    try {
      this.#db.transactionSync(
        () => {
          try {
            changes(batch);
            this.#room.require();
          } catch (error) {
            thrown = error;
            throw error;
          }
        },
        DURABLE | (options.isDurableLater ? NO_META_SYNC : 0),
      );
    } catch (cause) {
      this.#hasFailed = thrown === undefined;
      throw thrown ?? diskFailure("write", `${what} ${this.#path}`, this.#path, cause);
    }
  }

  close(): void {
    this.spill?.clear();
    // After a write that was refused LMDB's own memory may not be sound (lmdb-room.ts); the process ends anyway.
    if (!this.#hasFailed) void this.#db.close();
  }

  #mapped<T>(access: Access, what: string, action: () => T): T {
    try {
      return action();
    } catch (cause) {
      throw isUpgradeError(cause) ? cause : diskFailure(access, `${what} ${this.#path}`, this.#path, cause);
    }
  }
}

/** What all openers of one file agree on: threads of one process share its environment. */
export function lmdbOptions(path: string): RootDatabaseOptionsWithPath {
  return {
    path,
    noSubdir: true,
    encoding: "binary",
    keyEncoding: "binary",
    // A commit is on disk when it returns, not some time later.
    overlappingSync: false,
    cache: false,
    maxDbs: 1,
  };
}

/** Downwards LMDB wants the bounds the other way round, and which of them counts as well. */
export function lmdbRange({ start, end, reverse = false, limit }: DatabaseRange): RangeOptions {
  const down = { start: end, end: start, exclusiveStart: true, inclusiveEnd: true, reverse };
  const range = { ...(reverse ? down : { start, end }), ...(limit === undefined ? {} : { limit }) };
  return range as { start: Buffer; end: Buffer };
}

/** The same bytes, not as a Buffer: `slice` of a Buffer is a view, where every caller expects a copy. */
export function plain(bytes: Buffer): Uint8Array {
  return new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.length);
}
