/**
 * Where branches put writes aside when they hold many: sorted runs under keys that no commit points to. A process that
 * died leaves runs behind; the next one sweeps them away when it opens its stores.
 */
import { UpgradeError } from "../errors.js";
import type { Batch, Database } from "./database.js";
import { KeyFilter } from "./key-filter.js";
import { runPartKey } from "./keys.js";
import type { PairCursor } from "./pair-cursor.js";
import { PartWriter, SpilledRun } from "./spilled-run.js";

/** Bytes that one transaction writes: the database holds them in memory until its end. */
const TRANSACTION_BYTES = 4 * 1_048_576;

export class SpillSpace {
  #nextRun = 1;
  /** Runs that nobody reads any more. */
  #dead: SpilledRun[] = [];

  /** `branchBytes`: what a branch of one store may hold in memory. */
  constructor(
    private readonly database: Database,
    readonly branchBytes: number,
  ) {}

  /** Puts everything aside that a cursor still has, at least one pair; `keys`: how many they are. */
  write(cursor: PairCursor, keys: number): SpilledRun {
    const firstKeys: Uint8Array[] = [];
    const filter = new KeyFilter(keys);
    const run = new SpilledRun(this, this.#nextRun++, firstKeys, filter);
    try {
      this.#writeParts(run.number, cursor, firstKeys, filter);
    } catch (error) {
      this.drop(run); // the branch still holds what it would hold
      throw error;
    }
    return run;
  }

  #writeParts(number: number, cursor: PairCursor, firstKeys: Uint8Array[], filter: KeyFilter): void {
    const writer = new PartWriter();
    let isMore = cursor.step();
    const fill = (): Uint8Array => {
      firstKeys.push(cursor.bytes.slice(cursor.keyAt, cursor.keyAt + cursor.keyLen));
      for (; isMore && writer.add(cursor); isMore = cursor.step()) {
        filter.add(cursor.bytes, cursor.keyAt, cursor.keyLen);
      }
      return writer.finish();
    };
    while (isMore) {
      this.database.transaction((batch) => {
        for (let bytes = 0; isMore && bytes < TRANSACTION_BYTES; ) {
          const key = runPartKey(number, firstKeys.length);
          const part = fill();
          batch.put(key, part);
          bytes += part.length;
        }
      });
    }
  }

  /** Nobody reads this run any more. */
  drop(run: SpilledRun): void {
    this.#dead.push(run);
  }

  /** Removes these runs and the dropped ones with a transaction; when it is through, `forget` what this answered. */
  clear(batch: Batch, done: readonly SpilledRun[]): readonly SpilledRun[] {
    const runs = [...new Set([...this.#dead, ...done])];
    for (const { number, parts } of runs) {
      for (let part = 0; part < parts; part++) batch.remove(runPartKey(number, part));
    }
    return runs;
  }

  forget(runs: readonly SpilledRun[]): void {
    this.#dead = this.#dead.filter((run) => !runs.includes(run));
  }

  /** A part's bytes, a copy. @throws UpgradeError UPG_STORE_CORRUPT when it is not there */
  read(run: number, part: number): Uint8Array {
    const bytes = this.database.get(runPartKey(run, part));
    if (bytes) return bytes;
    throw new UpgradeError("UPG_STORE_CORRUPT", `writes that were put aside are missing: run ${run}, part ${part}`);
  }
}
