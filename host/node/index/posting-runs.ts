/**
 * Where values are found, as sorted runs: each block writes one, and runs of one level become one of the next, so that
 * blocks write next to each other however many values there were before. A run is whole or absent, and never changes.
 *   b <directory> end low level bits entries   the entries when bits is 0, else nothing
 *   b <buckets>   end bucket                   entries of the digests that begin with these bits
 * Heights 8 bytes, level and bits 1, entries 4, bucket 2. Runs do not overlap; the newest have the lowest levels.
 */

import { bigEndian64, concatBytes, joinBytes } from "../../base/text/bytes.js";
import { byteAt, itemAt } from "../../base/text/checked-index.js";
import type { Height } from "../../base/types/types.js";
import type { Batch, Database } from "../../state/store/disk/database.js";
import { BLOCKS_PREFIX } from "../../state/store/disk/keys.js";
import { EntryCursor, EntryWriter, type HeightRange, type Posting, placesIn, type TxPlace } from "./postings.js";

export interface RunsLayout {
  readonly directory: string;
  readonly buckets: string;
  readonly digestBytes: number;
}

export interface Run extends HeightRange {
  readonly level: number;
  /** Its buckets, as a power of two; 0: it has none. */
  readonly bits: number;
  readonly entries: number;
  readonly key: Uint8Array;
}

/** As many runs of a level become one of the next. */
const FAN_IN = 16;
/** No run is made larger than this by merging: one merge is one block's work. */
export const RUN_ENTRIES_MAX = 65_536;
const BUCKET_ENTRIES = 64;
const BITS_MAX = 12;
const RUNS_AT_ONCE = 256;
/** Newest runs that a merge looks at: all of the lower levels. */
const TAIL_RUNS = 4 * FAN_IN;
const NOTHING = Uint8Array.of(0);
const KEY_BYTES = 24;

interface Source {
  readonly low: Height;
  readonly cursor: EntryCursor;
}

export class PostingRuns {
  readonly #directory: Uint8Array;
  readonly #directoryEnd: Uint8Array;
  readonly #buckets: Uint8Array;

  constructor(
    private readonly database: Database,
    readonly layout: RunsLayout,
  ) {
    const [directory, buckets] = [layout.directory.charCodeAt(0), layout.buckets.charCodeAt(0)];
    this.#directory = Uint8Array.of(BLOCKS_PREFIX, directory);
    this.#directoryEnd = Uint8Array.of(BLOCKS_PREFIX, directory + 1);
    this.#buckets = Uint8Array.of(BLOCKS_PREFIX, buckets);
  }

  /** Writes a block's run, and merges it with those before it when there are enough. */
  put(batch: Batch, height: Height, postings: readonly Posting[]): void {
    if (postings.length === 0) return;
    const own = this.#blockBytes(postings);
    const tail = this.#list({ start: this.#directory, end: this.#directoryEnd, reverse: true, limit: TAIL_RUNS });
    let [level, entries, taken] = [0, postings.length, 0];
    for (;;) {
      let [sum, to] = [entries, taken];
      for (let run = tail[to]; run?.level === level && sum + run.entries <= RUN_ENTRIES_MAX; run = tail[++to]) {
        sum += run.entries;
      }
      if (to - taken + 1 < FAN_IN) break;
      [level, entries, taken] = [level + 1, sum, to];
    }
    const merged = tail.slice(0, taken).reverse();
    const sources = [...merged.map((run) => this.#source(run)), { low: height, cursor: this.#cursor(own) }];
    for (const run of merged) this.#remove(batch, run);
    const low = merged[0]?.low ?? height;
    this.#write(batch, { low, high: height, level, entries }, mergedEntries(sources, low));
  }

  /** Takes back the last block's entries; the blocks merged with it have runs of their own again. */
  removeLast(batch: Batch, height: Height): void {
    const [run] = this.#list({ start: this.#directory, end: this.#directoryEnd, reverse: true, limit: 1 });
    if (run?.high !== height) return;
    const blocks = new Map<number, { postings: Posting[] }>();
    const cursor = this.#cursor(this.#bytes(run));
    while (cursor.next()) {
      const at = cursor.heightOffset;
      if (run.low + BigInt(at) === height) continue;
      const block = blocks.get(at) ?? { postings: [] };
      blocks.set(at, block);
      block.postings.push({ digest: cursor.digest, places: cursor.places });
    }
    this.#remove(batch, run);
    for (const [at, { postings }] of blocks) {
      const low = run.low + BigInt(at);
      const sources = [{ low, cursor: this.#cursor(this.#blockBytes(postings)) }];
      this.#write(batch, { low, high: low, level: 0, entries: postings.length }, mergedEntries(sources, low));
    }
  }

  /** Removes runs that end before `base`, the oldest `runsMax` of them. */
  removeBelow(batch: Batch, base: Height, runsMax: number): void {
    const end = concatBytes(this.#directory, bigEndian64(base));
    for (const run of this.#list({ start: this.#directory, end, limit: runsMax })) this.#remove(batch, run);
  }

  /**
   * Places of a digest from the end that is asked for, and undefined after each run. Runs may be merged while it waits:
   * it goes on by heights.
   */
  *places(digest: Uint8Array, range: HeightRange, isDescending: boolean): Generator<TxPlace | undefined> {
    let { low, high } = range;
    for (let isDone = false; !isDone && low <= high; ) {
      const runs = isDescending ? this.#runsDown(high) : this.#runsUp(low);
      isDone = runs.length < RUNS_AT_ONCE;
      for (const run of runs) {
        if (run.low > high || run.high < low) return;
        const found = this.#placesOf(run, digest);
        if (!found) {
          isDone = false;
          break;
        }
        const fits = found.filter(({ height }) => height >= low && height <= high);
        if (isDescending) high = run.low - 1n;
        else low = run.high + 1n;
        yield* isDescending ? fits.reverse() : fits;
        yield undefined;
      }
    }
  }

  /** What the run with this height has for a digest. */
  around(digest: Uint8Array, height: Height): (HeightRange & { readonly places: readonly TxPlace[] }) | undefined {
    const [run] = this.#runsUp(height, 1);
    if (!run || run.low > height) return undefined;
    return { low: run.low, high: run.high, places: this.#placesOf(run, digest) ?? [] };
  }

  /** All runs from the lowest height on. */
  *all(): Generator<Run> {
    for (let low: Height = 0n; ; ) {
      const runs = this.#runsUp(low);
      yield* runs;
      const last = runs.at(-1);
      if (!last || runs.length < RUNS_AT_ONCE) return;
      low = last.high + 1n;
    }
  }

  /** Entries of a run with the buckets that they are in, and how many records it has. */
  read(run: Run): { readonly parts: readonly { readonly bucket: number; readonly bytes: Uint8Array }[] } {
    if (run.bits === 0) return { parts: [{ bucket: 0, bytes: this.database.get(run.key) ?? NOTHING }] };
    return {
      parts: this.#bucketKeys(run).map((key) => ({
        bucket: new DataView(key.buffer, key.byteOffset).getUint16(10),
        bytes: this.database.get(key) ?? NOTHING,
      })),
    };
  }

  #runsUp(low: Height, limit = RUNS_AT_ONCE): Run[] {
    return this.#list({ start: concatBytes(this.#directory, bigEndian64(low)), end: this.#directoryEnd, limit });
  }

  #runsDown(high: Height): Run[] {
    const around = this.#runsUp(high, 1).filter(({ low }) => low <= high);
    const end = concatBytes(this.#directory, bigEndian64(high));
    const limit = RUNS_AT_ONCE;
    const below = this.#list({ start: this.#directory, end, reverse: true, limit });
    return [...around, ...below];
  }

  #list(range: { start: Uint8Array; end: Uint8Array; reverse?: boolean; limit: number }): Run[] {
    return this.database.keys(range).map(runOf);
  }

  /** Undefined: the run is no more. */
  #placesOf(run: Run, digest: Uint8Array): TxPlace[] | undefined {
    const key = run.bits === 0 ? run.key : this.#bucketKey(run, bucketOf(digest, run.bits));
    const bytes = this.database.get(key);
    if (bytes) return placesIn(bytes, digest, run.low);
    return run.bits > 0 && this.database.get(run.key) ? [] : undefined;
  }

  #bucketKey({ high }: HeightRange, bucket: number): Uint8Array {
    return concatBytes(this.#buckets, bigEndian64(high), Uint8Array.of(bucket >> 8, bucket & 0xff));
  }

  #bucketKeys(run: Run): Uint8Array[] {
    const end = concatBytes(this.#buckets, bigEndian64(run.high + 1n));
    return this.database.keys({ start: this.#bucketKey(run, 0), end });
  }

  #bytes(run: Run): Uint8Array {
    return joinBytes(this.read(run).parts.map(({ bytes }) => bytes));
  }

  #source(run: Run): Source {
    return { low: run.low, cursor: this.#cursor(this.#bytes(run)) };
  }

  #cursor(bytes: Uint8Array): EntryCursor {
    return new EntryCursor(bytes, this.layout.digestBytes);
  }

  #blockBytes(postings: readonly Posting[]): Uint8Array {
    const out = new EntryWriter();
    for (const { digest, places } of postings) out.entry(digest, 0, places);
    return out.taken();
  }

  #remove(batch: Batch, run: Run): void {
    batch.remove(run.key);
    if (run.bits > 0) for (const key of this.#bucketKeys(run)) batch.remove(key);
  }

  #write(batch: Batch, run: Omit<Run, "bits" | "key">, entries: Iterable<MergedEntry>): void {
    const bits = bitsFor(run.entries);
    const out = new EntryWriter();
    const key = runKey(this.#directory, { ...run, bits });
    let bucket = 0;
    const flush = () => {
      if (out.length > 0) batch.put(bits === 0 ? key : this.#bucketKey(run, bucket), out.taken());
    };
    for (const { digest, heightOffset, places } of entries) {
      const next = bucketOf(digest, bits);
      if (next !== bucket) flush();
      bucket = next;
      out.entry(digest, heightOffset, places);
    }
    flush();
    if (bits > 0) batch.put(key, NOTHING);
  }
}

interface MergedEntry {
  readonly digest: Uint8Array;
  readonly heightOffset: number;
  readonly places: Uint8Array;
}

/** Entries of all sources by digest; the sources ascend by height, so of one digest the first comes first. */
function* mergedEntries(all: readonly Source[], low: Height): Generator<MergedEntry> {
  let sources = all.filter(({ cursor }) => cursor.next());
  while (sources.length > 0) {
    let least = itemAt(sources, 0);
    for (const source of sources) if (source.cursor.compare(least.cursor.digest) < 0) least = source;
    const { cursor } = least;
    const heightOffset = Number(least.low - low) + cursor.heightOffset;
    yield { digest: cursor.digest, heightOffset, places: cursor.places };
    if (!cursor.next()) sources = sources.filter((source) => source !== least);
  }
}

function bitsFor(entries: number): number {
  return entries <= 2 * BUCKET_ENTRIES ? 0 : Math.min(BITS_MAX, Math.ceil(Math.log2(entries / BUCKET_ENTRIES)));
}

export function bucketOf(digest: Uint8Array, bits: number): number {
  return ((byteAt(digest, 0) << 8) | byteAt(digest, 1)) >> (16 - bits);
}

function runKey(prefix: Uint8Array, { low, high, level, bits, entries }: Omit<Run, "key">): Uint8Array {
  const key = new Uint8Array(KEY_BYTES);
  key.set(prefix);
  const view = new DataView(key.buffer);
  view.setBigUint64(2, high);
  view.setBigUint64(10, low);
  view.setUint8(18, level);
  view.setUint8(19, bits);
  view.setUint32(20, entries);
  return key;
}

function runOf(key: Uint8Array): Run {
  const view = new DataView(key.buffer, key.byteOffset, key.length);
  return {
    high: view.getBigUint64(2),
    low: view.getBigUint64(10),
    level: view.getUint8(18),
    bits: view.getUint8(19),
    entries: view.getUint32(20),
    key,
  };
}
