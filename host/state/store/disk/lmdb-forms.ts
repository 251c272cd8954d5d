/** The forms in which LMDB takes and gives what a database has: options, ranges, bytes. */
import type { RangeOptions, RootDatabaseOptionsWithPath } from "lmdb";
import type { DatabaseRange } from "./database.js";

/** What all openers of one file agree on: threads of one process share its environment. */
export function lmdbOptions(path: string): RootDatabaseOptionsWithPath {
  return {
    path,
    noSubdir: true,
    encoding: "binary",
    keyEncoding: "binary",
    // A commit is on disk when it returns, not some time later.
    overlappingSync: false,
    cache: false,
    maxDbs: 1,
  };
}

/** Downwards LMDB wants the bounds the other way round, and which of them counts as well. */
export function lmdbRange({ start, end, reverse = false, limit }: DatabaseRange): RangeOptions {
  const down = { start: end, end: start, exclusiveStart: true, inclusiveEnd: true, reverse };
  const range = { ...(reverse ? down : { start, end }), ...(limit === undefined ? {} : { limit }) };
  return range as { start: Buffer; end: Buffer };
}

/** The same bytes, not as a Buffer: `slice` of a Buffer is a view, where every caller expects a copy. */
export function plain(bytes: Buffer): Uint8Array {
  return new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.length);
}
