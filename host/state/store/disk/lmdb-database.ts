/**
 * The database of a node: one LMDB file. A transaction is durable when it returns, and a process killed at any moment
 * leaves the last one whole. Every value has a checksum (lmdb-checksum.ts) that `get` compares.
 */
import { rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { open, type RootDatabase } from "lmdb";
import { isUpgradeError } from "../../../base/errors/errors.js";
import { asHost } from "../../../base/errors/synchronous.js";
import { type Access, diskFailure } from "../../../base/files/disk-errors.js";
import { makeFolder, requireAccess } from "../../../base/files/open-file.js";
import type { Batch, Database, DatabaseRange, LastKey, TransactionOptions } from "./database.js";
import { ChecksumWriter, unsealed } from "./lmdb-checksum.js";
import { makeLmdbFile, makeLmdbLockFile } from "./lmdb-create.js";
import { lmdbOptions, lmdbRange, plain } from "./lmdb-forms.js";
import { checkLmdbHead } from "./lmdb-head.js";
import { TransactionRoom } from "./lmdb-room.js";
import { SpillFolder, type SpillLimits } from "./lmdb-spill.js";
import { LmdbStager } from "./lmdb-stager.js";
import { COMPACT_COPY } from "./lmdb-temporary-path.js";

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
/** Of 4 MiB each: a commit that is not longer needs no thread, and none of its memory. */
const STAGED_HERE = 64;
const CANNOT_WRITE = "cannot write to the database";
/** No range has a key in it that ends where it starts. */
const NO_KEY: LastKey = { start: new Uint8Array(1), end: new Uint8Array(1), last: undefined };
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
  /** Transactions in a row that were durable later. */
  #staged = 0;
  #stager: LmdbStager | undefined;

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
      if (!options.readOnly) {
        makeFolder(dirname(path));
        rmSync(`${path}${COMPACT_COPY}`, { force: true });
      }
      requireAccess(path, this.isReadOnly);
      checkLmdbHead(path);
      if (!options.readOnly) {
        makeLmdbFile(path, options.isTemporary ?? false);
        makeLmdbLockFile(`${path}-lock`);
      }
      return open<Buffer, Buffer>({
        ...lmdbOptions(path),
        readOnly: this.isReadOnly,
        ...(options.isTemporary ? { noSync: true } : {}),
      });
    });
  }

  /** So many transactions in a row that are durable later are written in this thread, what follows in another. */
  protected get stagedHere(): number {
    return STAGED_HERE;
  }

  get(key: Uint8Array): Uint8Array | undefined {
    if (this.#stager?.has(key)) this.#settle();
    return this.#mapped("read", "cannot read the database", () => {
      const value = this.#db.getBinary(key as Buffer);
      return value && unsealed(key, plain(value));
    });
  }

  keys(range: DatabaseRange): Uint8Array[] {
    this.#settle();
    return this.#mapped("read", "cannot read the database", () =>
      Array.from(this.#db.getKeys(lmdbRange(range)), plain),
    );
  }

  /** What is read from now on may be newer: until then reads of one piece of work may all see one snapshot, which keeps its pages from being used again. */
  renew(): void {
    this.#db.resetReadTxn();
  }

  transaction(changes: (batch: Batch) => void, options: TransactionOptions = {}): void {
    this.#settle();
    this.#staged = options.isDurableLater ? this.#staged + 1 : 0;
    if (this.#staged > this.stagedHere && this.#hasSent(changes, options.expected)) return;
    if (!options.isDurableLater) this.#endStager();
    this.#transact(changes, DURABLE | (options.isDurableLater ? NO_META_SYNC : 0));
  }

  /** Gives a transaction to the thread; false when it is too long for it. */
  #hasSent(changes: (batch: Batch) => void, expected: LastKey = NO_KEY): boolean {
    const stager = this.#openStager();
    if (!stager) return false;
    let fits = true;
    this.#room.begin();
    stager.begin(expected);
    changes({
      put: (key, value) => {
        this.#room.add(key.length + value.length);
        fits &&= stager.hasAdded(key, this.#checksums.sealed(key, value));
      },
      remove: (key) => {
        fits &&= stager.hasAdded(key, undefined);
      },
    });
    this.#room.require();
    if (fits) stager.send();
    return fits;
  }

  /** Undefined: the system gives this process no more threads. */
  #openStager(): LmdbStager | undefined {
    try {
      this.#stager ??= new LmdbStager(lmdbOptions(this.#path), DURABLE | NO_META_SYNC);
    } catch {
      this.#staged = Number.NEGATIVE_INFINITY;
    }
    return this.#stager;
  }

  /** Waits for what the thread writes. */
  #settle(): void {
    if (!this.#stager) return;
    try {
      this.#stager.wait();
      // Reads go on from a snapshot of their own until they are asked to see that another thread has written.
      this.#db.resetReadTxn();
    } catch (cause) {
      this.#stager = undefined;
      if (isUpgradeError(cause)) throw cause;
      this.#hasFailed = true;
      throw diskFailure("write", `${CANNOT_WRITE} ${this.#path}`, this.#path, cause);
    }
  }

  #endStager(): void {
    this.#stager?.end();
    this.#stager = undefined;
  }

  #transact(changes: (batch: Batch) => void, flags: number): void {
    const batch: Batch = {
      put: (key, value) => {
        this.#room.add(key.length + value.length);
        const sealed = this.#checksums.sealed(key, value);
        this.#mapped("write", CANNOT_WRITE, () => void this.#db.putSync(key as Buffer, sealed));
      },
      remove: (key) => this.#mapped("write", CANNOT_WRITE, () => void this.#db.removeSync(key as Buffer)),
    };
    this.#room.begin();
    let thrown: unknown;
    try {
      this.#db.transactionSync(() => {
        try {
          changes(batch);
          this.#room.require();
        } catch (error) {
          thrown = error;
          throw error;
        }
      }, flags);
    } catch (cause) {
      this.#hasFailed = thrown === undefined;
      throw thrown ?? diskFailure("write", `${CANNOT_WRITE} ${this.#path}`, this.#path, cause);
    }
  }

  close(): void {
    this.spill?.clear();
    this.#settle();
    this.#endStager();
    // After a write that was refused LMDB's own memory may not be sound (lmdb-room.ts); the process ends anyway.
    if (!this.#hasFailed) void this.#db.close();
  }

  #mapped<T>(access: Access, what: string, action: () => T): T {
    try {
      return asHost(action);
    } catch (cause) {
      throw isUpgradeError(cause) ? cause : diskFailure(access, `${what} ${this.#path}`, this.#path, cause);
    }
  }
}
