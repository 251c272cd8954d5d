/**
 * Large values of spilled writes. They are written once: merging runs moves the records that lead to them.
 * Values that no run leads to any more free their space by segments; a segment that is mostly such values gives the
 * others up to the next merge (`isSparse`).
 */
import { UpgradeError } from "../../../base/errors/errors.js";
import type { FarPlace } from "../spill/run-block.js";
import type { SpillFile, SpillFiles } from "../spill/spill-files.js";

/** A segment takes values until it has this many bytes. */
const SEGMENT_BYTES = 32 * 1_048_576;
/** Smaller values are gathered before they are written. */
const BUFFER_BYTES = 262_144;

/** Bytes of values that a run leads to, by segment. */
export type FarTally = Map<number, number>;

interface Segment {
  readonly file: SpillFile;
  /** Bytes that runs lead to. */
  live: number;
}

export class ValueLog {
  readonly #segments = new Map<number, Segment>();
  /** The segment that values are added to. */
  #open = 0;
  #buffer: Uint8Array | undefined;
  #buffered = 0;

  constructor(private readonly files: SpillFiles) {}

  add(bytes: Uint8Array, at: number, length: number, tally: FarTally): FarPlace {
    const segment = this.#room();
    const value = bytes.subarray(at, at + length);
    const place = {
      segment: this.#open,
      at: segment.file.bytes + this.#buffered,
      checksum: this.files.checksum(value),
    };
    this.#buffer ??= new Uint8Array(BUFFER_BYTES);
    if (this.#buffered + length > BUFFER_BYTES) this.flush();
    if (length > BUFFER_BYTES) segment.file.append(value);
    else {
      this.#buffer.set(value, this.#buffered);
      this.#buffered += length;
    }
    this.keep(place, length, tally);
    return place;
  }

  /** Another record leads to a value. */
  keep({ segment: number }: FarPlace, length: number, tally: FarTally): void {
    const segment = this.#segments.get(number);
    if (!segment) throw gone();
    segment.live += length;
    tally.set(number, (tally.get(number) ?? 0) + length);
  }

  /** Writes what is gathered: only then can it be read. */
  flush(): void {
    const segment = this.#segments.get(this.#open);
    if (!segment || !this.#buffer || this.#buffered === 0) return;
    const gathered = this.#buffer.subarray(0, this.#buffered);
    this.#buffered = 0;
    segment.file.append(gathered);
  }

  /** Reads a value into room of its size. @throws UpgradeError UPG_STORE_IO when it is not what was written */
  readInto({ segment, at, checksum }: FarPlace, out: Uint8Array): void {
    const found = this.#segments.get(segment);
    if (!found) throw gone();
    found.file.readInto(at, out);
    if (this.files.checksum(out) === checksum) return;
    throw changedOnDisk(out.length);
  }

  /** A run is given up. */
  release(tally: FarTally): void {
    for (const [number, bytes] of tally) {
      const segment = this.#segments.get(number);
      if (!segment) continue;
      segment.live -= bytes;
      if (segment.live === 0) this.#drop(number, segment);
    }
    tally.clear();
  }

  /** Segments that are mostly values which nobody reads. */
  sparse(): Set<number> {
    const sparse = new Set<number>();
    for (const [number, { file, live }] of this.#segments) {
      if (number !== this.#open && 2 * live < file.bytes) sparse.add(number);
    }
    return sparse;
  }

  #room(): Segment {
    const open = this.#segments.get(this.#open);
    if (open && open.file.bytes + this.#buffered < SEGMENT_BYTES) return open;
    this.flush();
    const segment = { file: this.files.create(), live: 0 };
    this.#segments.set(++this.#open, segment);
    return segment;
  }

  #drop(number: number, { file }: Segment): void {
    if (number === this.#open) this.#buffered = 0;
    this.#segments.delete(number);
    file.drop();
  }
}

/** Returns the error for spilled bytes whose checksum no longer matches. */
export function changedOnDisk(bytes: number): UpgradeError {
  const what = `${bytes} bytes that the handler wrote were changed on disk`;
  return new UpgradeError("UPG_STORE_IO", `${what}: nothing was committed. Check the disk, then start again`);
}

function gone(): UpgradeError {
  return new UpgradeError("UPG_BUG_ASSERT", "a spilled value is read after its run was given up");
}
