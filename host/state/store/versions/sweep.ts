/**
 * Clears away what a commit that never happened has staged. Run at start and when staged work is given up, before
 * anything is staged again: ids and keys are used again then, and marks and lists left behind would name living nodes.
 */

import type { Database, DatabaseRange } from "../disk/database.js";
import { chunkKey, chunksEnd, chunksFrom, deadEnd, deadFrom, deadKey, orphansEnd, orphansFrom } from "../disk/keys.js";
import type { CommitState } from "./commit-record.js";

const KEYS_AT_ONCE = 1_024;

/** `last`: the last commit, or undefined before the first; everything that it does not know is swept. */
export function sweepStaged(database: Database, last: CommitState | undefined): void {
  for (const { number, nextChunk } of last?.stores ?? []) {
    removeRange(database, { start: chunkKey(number, nextChunk), end: chunksFrom(number + 1) });
    removeRange(database, { start: deadKey(number, nextChunk), end: deadFrom(number + 1) });
  }
  const nextStore = last?.nextStore ?? 1;
  removeRange(database, { start: chunksFrom(nextStore), end: chunksEnd() });
  removeRange(database, { start: deadFrom(nextStore), end: deadEnd() });
  removeRange(database, { start: orphansFrom(last?.version ?? 0), end: orphansEnd() });
}

function removeRange(database: Database, range: DatabaseRange): void {
  for (;;) {
    const keys = database.keys({ ...range, limit: KEYS_AT_ONCE });
    if (keys.length === 0) return;
    database.transaction((batch) => {
      for (const key of keys) batch.remove(key);
    });
  }
}
