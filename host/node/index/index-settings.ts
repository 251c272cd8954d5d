/**
 * What the event index holds, from which height on: a record with the first block that was made with other settings.
 *   b v height   layout of the index, which indexer, and the events that it holds: one a line
 */

import { UpgradeError } from "../../base/errors/errors.js";
import { bigEndian64, concatBytes, equalBytes, utf8 } from "../../base/text/bytes.js";
import { decodeLossy } from "../../base/text/text.js";
import type { Height } from "../../base/types/types.js";
import type { Batch, Database } from "../../state/store/disk/database.js";
import { BLOCKS_PREFIX } from "../../state/store/disk/keys.js";

/** "null": nothing is indexed. */
export type Indexer = "kv" | "null";

export interface IndexSettings {
  readonly indexer: Indexer;
  /** As `type.key`; none: all. */
  readonly events: readonly string[];
}

export const INDEX_ALL: IndexSettings = Object.freeze({ indexer: "kv", events: Object.freeze([]) });

const RECORD = Uint8Array.of(BLOCKS_PREFIX, "v".charCodeAt(0));
const RECORDS_END = Uint8Array.of(BLOCKS_PREFIX, "w".charCodeAt(0));
const LAYOUT = "2";

const keyOf = (height: Height): Uint8Array => concatBytes(RECORD, bigEndian64(height));

export class IndexHistory {
  constructor(private readonly database: Database) {}

  /** What held when the block was made. @throws UpgradeError UPG_STORE_VERSION_MISMATCH */
  at(height: Height): IndexSettings {
    const [key] = this.database.keys({ start: RECORD, end: keyOf(height + 1n), reverse: true, limit: 1 });
    const bytes = key && this.database.get(key);
    if (!bytes) throw otherLayout("none that is recorded");
    return decode(bytes);
  }

  /** With the block that is made with these settings: a record, if they are new. */
  put(batch: Pick<Batch, "put">, height: Height, settings: IndexSettings): void {
    const [key] = this.database.keys({ start: RECORD, end: RECORDS_END, reverse: true, limit: 1 });
    const [known, bytes] = [key && this.database.get(key), encode(settings)];
    if (!known || !equalBytes(known, bytes)) batch.put(keyOf(height), bytes);
  }

  /** Takes back what came with a block. */
  remove(batch: Pick<Batch, "remove">, height: Height): void {
    batch.remove(keyOf(height));
  }

  /** Removes what held for no block from `base` on. */
  removeBelow(batch: Pick<Batch, "remove">, base: Height): void {
    const keys = this.database.keys({ start: RECORD, end: keyOf(base + 1n) });
    for (const key of keys.slice(0, -1)) batch.remove(key);
  }

  /** How many records there are. */
  count(): number {
    return this.database.keys({ start: RECORD, end: RECORDS_END }).length;
  }
}

/** The order in which events were named does not matter. */
function encode({ indexer, events }: IndexSettings): Uint8Array {
  return utf8([LAYOUT, indexer, ...new Set([...events].sort())].join("\n"));
}

function decode(bytes: Uint8Array): IndexSettings {
  const [layout, indexer, ...events] = decodeLossy(bytes).split("\n");
  if (layout === LAYOUT && (indexer === "kv" || indexer === "null")) return { indexer, events };
  throw otherLayout(`${layout}, for ${indexer}`);
}

function otherLayout(found: string): UpgradeError {
  return new UpgradeError(
    "UPG_STORE_VERSION_MISMATCH",
    `the layout of the event index is ${found}, and this program knows layout ${LAYOUT}: run the program that wrote this home`,
  );
}
