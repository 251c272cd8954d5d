/**
 * A node's database as another thread of its process reads it: the writer's environment is shared, nothing can be
 * written. All reads of one turn of the event loop see one snapshot; the next turn sees what was committed since. Where
 * the writer counts its commits a snapshot serves until the next one, and else it is given back at the end of its turn:
 * nothing that waits keeps old pages from being used again.
 */
import { open, type RootDatabase, type Transaction } from "lmdb";
import { isUpgradeError, UpgradeError } from "../../../base/errors/errors.js";
import { asHost } from "../../../base/errors/synchronous.js";
import { diskFailure } from "../../../base/files/disk-errors.js";
import type { Database, DatabaseRange } from "./database.js";
import { unsealed } from "./lmdb-checksum.js";
import { lmdbOptions, lmdbRange, plain } from "./lmdb-forms.js";

const CANNOT_READ = "cannot read the database";

export class LmdbReader implements Database {
  readonly isReadOnly = true;
  readonly #db: RootDatabase<Buffer, Buffer>;
  #held: Transaction | undefined;
  #snapshot = 0;
  #end: NodeJS.Immediate | undefined;
  /** Of the snapshot that is held. */
  #commit: number | undefined;

  /**
   * @param path a database that this process has open for writing
   * @param commits a number that grows with each commit, before anybody is notified of it; `renew` is called soon after
   * @throws UpgradeError UPG_STORE_IO, UPG_STORE_CORRUPT
   */
  constructor(
    private readonly path: string,
    private readonly commits?: () => number,
  ) {
    this.#db = this.#mapped("cannot open the database", () =>
      open<Buffer, Buffer>({ ...lmdbOptions(path), readOnly: true }),
    );
  }

  /** Number of the snapshot that reads see now: while it is the same, so is all that is read. */
  get snapshot(): number {
    this.#hold();
    return this.#snapshot;
  }

  /** The next read sees what is committed by then. */
  renew(): void {
    clearImmediate(this.#end);
    this.#end = undefined;
    this.#held?.done();
    this.#held = undefined;
  }

  get(key: Uint8Array): Uint8Array | undefined {
    return this.#mapped(CANNOT_READ, () => {
      const value = this.#db.get(key as Buffer, { transaction: this.#hold() });
      return value && unsealed(key, plain(value));
    });
  }

  keys(range: DatabaseRange): Uint8Array[] {
    return this.#mapped(CANNOT_READ, () =>
      Array.from(this.#db.getKeys({ ...lmdbRange(range), transaction: this.#hold() }), plain),
    );
  }

  transaction(): never {
    throw new UpgradeError("UPG_BUG_ASSERT", "the database is open for reading alone");
  }

  close(): void {
    this.renew();
    void this.#db.close();
  }

  #mapped<T>(what: string, action: () => T): T {
    try {
      return asHost(action);
    } catch (cause) {
      throw isUpgradeError(cause) ? cause : diskFailure("read", `${what} ${this.path}`, this.path, cause);
    }
  }

  #hold(): Transaction {
    // One look a turn: within it, all reads see the same.
    if (this.#held && this.#end) return this.#held;
    const commit = this.commits?.();
    this.#end = setImmediate(() => this.#endTurn());
    if (this.#held && commit === this.#commit) return this.#held;
    this.#held?.done();
    this.#db.resetReadTxn();
    this.#held = this.#db.useReadTransaction();
    this.#commit = commit;
    this.#snapshot++;
    return this.#held;
  }

  #endTurn(): void {
    this.#end = undefined;
    if (!this.commits || this.commits() !== this.#commit) this.renew();
  }
}
