/**
 * Takes back the last versions: an earlier one becomes the last again, as if the commits after it had never happened. One
 * transaction decides; what those versions alone had is swept afterwards, and by the next start if that does not happen.
 */

import { UpgradeError } from "../../../base/errors/errors.js";
import { concatBytes } from "../../../base/text/bytes.js";
import type { Height } from "../../../base/types/types.js";
import type { Batch, Database, DatabaseRange } from "../disk/database.js";
import { lastVersionOf, requireLastVersion } from "../disk/fenced-database.js";
import { commitKey, commitsEnd, goneStoresFrom, pinnedEnd, pinnedKey } from "../disk/keys.js";
import { checkFormat, readCommit } from "./commit-record.js";
import { sweepStaged } from "./sweep.js";

const KEYS_AT_ONCE = 1_024;

export interface RolledBack {
  /** The last version before. */
  readonly from: Height;
  /** The last one now. */
  readonly to: Height;
  readonly appHash: Uint8Array;
}

/**
 * `alongside` takes back what became visible with a version (the engine's block).
 * Nothing may have the stores open for writing.
 *
 * @throws UpgradeError UPG_NOT_FOUND_VERSION when there is no version before the last one; nothing is written then
 */
export function rollbackLastVersion(database: Database, alongside: Alongside = () => undefined): RolledBack {
  checkFormat(database);
  const version = lastVersionOf(database);
  return rollbackTo(database, version - 1, alongside);
}

/**
 * Takes back all versions after `target`, whose record must exist; `alongside` is called for each height, the last one first,
 * also for those whose version was pruned.
 *
 * @throws UpgradeError UPG_NOT_FOUND_VERSION; nothing is written then
 */
export function rollbackTo(database: Database, target: number, alongside: Alongside = () => undefined): RolledBack {
  checkFormat(database);
  const version = lastVersionOf(database);
  const before = target < version ? readCommit(database, target) : undefined;
  if (!before) throw notKept(version, target);
  database.transaction((batch) => {
    requireLastVersion(database, version);
    remove(database, batch, { start: commitKey(target + 1), end: commitsEnd() });
    // What was held was so for an upgrade that is taken back.
    remove(database, batch, { start: pinnedKey(target), end: pinnedEnd() });
    // Stores that a version left behind are those of the versions before it again.
    remove(database, batch, { start: goneStoresFrom(target), end: goneStoresFrom(Number.MAX_SAFE_INTEGER) });
    for (let each = version; each > target; each--) alongside(batch, BigInt(each));
  });
  sweepStaged(database, before);
  return { from: BigInt(version), to: BigInt(target), appHash: before.appHash };
}

type Alongside = (batch: Batch, version: Height) => void;

/** Not every database shows a transaction its own removals, so the next keys are those after the last one. */
function remove(database: Database, batch: Batch, { start, end }: DatabaseRange): void {
  for (let from = start; ; ) {
    const keys = database.keys({ start: from, end, limit: KEYS_AT_ONCE });
    for (const key of keys) batch.remove(key);
    const last = keys.at(-1);
    if (!last || keys.length < KEYS_AT_ONCE) return;
    from = concatBytes(last, Uint8Array.of(0));
  }
}

function notKept(version: number, target: number): UpgradeError {
  const why =
    target >= version
      ? `the last height is ${version}, so there is nothing to take back to height ${target}`
      : target === version - 1
        ? `the version before the last one, ${version}, is not kept, so there is nothing to go back to`
        : `the version of height ${target} is not kept, so there is nothing to go back to`;
  return new UpgradeError("UPG_NOT_FOUND_VERSION", version === 0 ? "there is no version yet" : why);
}
