/** A database that outlives the processes of a scenario: closed with one, opened again with the next. */

import type { SpillFiles } from "../../host/state/branch/spill/spill-files.js";
import type { Batch, Database, DatabaseRange } from "../../host/state/store/disk/database.js";
import { MemoryDatabase } from "../../host/state/store/disk/memory-database.js";

export class KeptDatabase implements Database {
  #inner: Database | undefined;
  readonly #open: () => Database;
  /** The next transaction ends with this, once: a disk that refuses. */
  refusal: Error | undefined;

  constructor(open?: () => Database) {
    const memory = new MemoryDatabase();
    this.#open = open ?? (() => memory);
  }

  get #database(): Database {
    this.#inner ??= this.#open();
    return this.#inner;
  }

  get spill(): SpillFiles | undefined {
    return this.#database.spill;
  }

  get(key: Uint8Array): Uint8Array | undefined {
    return this.#database.get(key);
  }

  keys(range: DatabaseRange): Uint8Array[] {
    return this.#database.keys(range);
  }

  transaction(changes: (batch: Batch) => void): void {
    const { refusal } = this;
    this.refusal = undefined;
    this.#database.transaction((batch) => {
      changes(batch);
      if (refusal) throw refusal;
    });
  }

  close(): void {
    this.#inner?.close();
    this.#inner = undefined;
  }
}
