/** A database whose process dies at a chosen moment, or whose disk refuses once. */

import type { SpillFiles } from "../../../../host/state/branch/spill/spill-files.js";
import type { Batch, Database, DatabaseRange } from "../../../../host/state/store/disk/database.js";

export class Crash extends Error {
  override readonly name = "Crash";
}

/**
 * Counts moments: each beginning of a transaction, each put and remove, each end before anything is durable, and each
 * return after everything is. At moment number `at` it throws; in mode "dies" at every later call too.
 */
export class CrashingDatabase implements Database {
  moments = 0;
  hasCrashed = false;

  constructor(
    private readonly inner: Database,
    private readonly at: number,
    private readonly mode: "dies" | "refuses once" = "dies",
  ) {}

  get spill(): SpillFiles | undefined {
    return this.inner.spill;
  }

  get(key: Uint8Array): Uint8Array | undefined {
    this.#checkAlive();
    return this.inner.get(key);
  }

  keys(range: DatabaseRange): Uint8Array[] {
    this.#checkAlive();
    return this.inner.keys(range);
  }

  transaction(changes: (batch: Batch) => void): void {
    this.#checkAlive();
    this.#moment();
    this.inner.transaction((batch) => {
      changes({
        put: (key, value) => {
          this.#moment();
          batch.put(key, value);
        },
        remove: (key) => {
          this.#moment();
          batch.remove(key);
        },
      });
      this.#moment();
    });
    // A disk that refuses says so before the end; a process can also die after it.
    if (this.mode === "dies") this.#moment();
  }

  close(): void {
    this.inner.close();
  }

  #checkAlive(): void {
    if (this.hasCrashed && this.mode === "dies") throw new Crash("this process is dead");
  }

  #moment(): void {
    if (this.moments++ !== this.at) return;
    this.hasCrashed = true;
    throw new Crash(`at moment ${this.at}`);
  }
}
