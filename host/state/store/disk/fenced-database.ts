/**
 * The database of a process that writes versions: each of its transactions first compares the last version on disk with
 * the one that this process committed or loaded. A second writer, which the lock of the home should have kept out, is
 * found before it changes anything: it would write chunks under numbers that the other one has used.
 */

import { UpgradeError } from "../../../base/errors/errors.js";
import type { SpillFiles } from "../../branch/spill/spill-files.js";
import type { Batch, Database, DatabaseRange, TransactionOptions } from "./database.js";
import { commitKey, commitsEnd, versionOfCommitKey } from "./keys.js";

export class FencedDatabase implements Database {
  /** `expected`: the last version as this process knows it; 0: none. */
  constructor(
    private readonly inner: Database,
    private readonly expected: () => number,
  ) {}

  get isReadOnly(): boolean {
    return this.inner.isReadOnly ?? false;
  }

  get spill(): SpillFiles | undefined {
    return this.inner.spill;
  }

  get(key: Uint8Array): Uint8Array | undefined {
    return this.inner.get(key);
  }

  keys(range: DatabaseRange): Uint8Array[] {
    return this.inner.keys(range);
  }

  /** @throws UpgradeError UPG_STORE_LOCKED when somebody else made a version; nothing has changed then */
  transaction(changes: (batch: Batch) => void, options?: TransactionOptions): void {
    const version = this.expected();
    const expected = { start: commitKey(0), end: commitsEnd(), last: version === 0 ? undefined : commitKey(version) };
    this.inner.transaction(
      (batch) => {
        requireLastVersion(this.inner, version);
        changes(batch);
      },
      { ...options, expected },
    );
  }

  close(): void {
    this.inner.close();
  }
}

/** The greatest version that has a record; 0 when there is none. */
export function lastVersionOf(database: Database): number {
  const [key] = database.keys({ start: commitKey(0), end: commitsEnd(), reverse: true, limit: 1 });
  return key ? versionOfCommitKey(key) : 0;
}

/** Call it inside a transaction. @throws UpgradeError UPG_STORE_LOCKED */
export function requireLastVersion(database: Database, expected: number): void {
  const found = lastVersionOf(database);
  if (found === expected) return;
  throw new UpgradeError(
    "UPG_STORE_LOCKED",
    `another process writes to this database: its last version is ${found}, and this process knows ${expected} as the ` +
      "last. This process wrote nothing and must end; see that only one node runs on this home (also in other " +
      "containers and on other machines that share the volume), then start that one",
  );
}
