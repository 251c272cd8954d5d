/**
 * Takes back the last version: the one before it becomes the last again, as if the commit had never happened. One
 * transaction decides; what the version alone had is swept afterwards, and by the next start if that does not happen.
 */
import { UpgradeError } from "../../errors.js";
import type { Height } from "../../types.js";
import type { Batch, Database } from "../disk/database.js";
import { lastVersionOf, requireLastVersion } from "../disk/fenced-database.js";
import { commitKey, goneStoresFrom, heldKey } from "../disk/keys.js";
import { type CommitState, checkFormat, readCommit } from "./commit-record.js";
import { sweepStaged } from "./sweep.js";

export interface RolledBack {
  /** The version that was taken back. */
  readonly from: Height;
  /** The last one now. */
  readonly to: Height;
  readonly appHash: Uint8Array;
}

/**
 * `alongside` takes back what became visible with the version (the engine's block).
 * Nothing may have the stores open for writing.
 *
 * @throws UpgradeError UPG_NOT_FOUND_VERSION when there is no version before the last one; nothing is written then
 */
export function rollbackLastVersion(
  database: Database,
  alongside: (batch: Batch, version: Height) => void = () => undefined,
): RolledBack {
  checkFormat(database);
  const version = lastVersionOf(database);
  const before = readCommit(database, version - 1);
  if (!before) throw notKept(version);
  // Stores that the version left behind are the one before's again.
  const gone = database.keys({ start: goneStoresFrom(version - 1), end: goneStoresFrom(Number.MAX_SAFE_INTEGER) });
  database.transaction((batch) => {
    requireLastVersion(database, version);
    batch.remove(commitKey(version));
    batch.remove(heldKey(version - 1));
    for (const record of gone) batch.remove(record);
    alongside(batch, BigInt(version));
  });
  sweepStaged(database, before);
  return answer(version, before);
}

function answer(version: number, { version: to, appHash }: CommitState): RolledBack {
  return { from: BigInt(version), to: BigInt(to), appHash };
}

function notKept(version: number): UpgradeError {
  const what =
    version === 0
      ? "there is no version yet"
      : `the version before the last one, ${version}, is not kept, so there is nothing to go back to`;
  return new UpgradeError("UPG_NOT_FOUND_VERSION", what);
}
