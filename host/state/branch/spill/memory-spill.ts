/** Spill files in memory, for databases in memory: the same paths run, and nothing is saved. */

import { UpgradeError } from "../../../base/errors/errors.js";
import { lastOf } from "../../../base/text/checked-index.js";
import type { SpillFile, SpillFiles } from "./spill-files.js";

const PAGE_BYTES = 65_536;

export class MemorySpill implements SpillFiles {
  bytes = 0;
  bytesPeak = 0;
  readonly #files = new Set<MemoryFile>();

  constructor(readonly bytesMax = Number.MAX_SAFE_INTEGER) {}

  /** Number of files that were not dropped. */
  get count(): number {
    return this.#files.size;
  }

  create(): SpillFile {
    const file = new MemoryFile({
      grow: (bytes) => {
        if (this.bytes + bytes > this.bytesMax)
          throw new UpgradeError("UPG_STORE_FULL", `spilled writes need more than ${this.bytesMax} bytes`);
        this.bytes += bytes;
        this.bytesPeak = Math.max(this.bytesPeak, this.bytes);
      },
      drop: (dropped) => {
        if (this.#files.delete(dropped)) this.bytes -= dropped.bytes;
      },
    });
    this.#files.add(file);
    return file;
  }

  /** Memory gives back what it got. */
  checksum(): number {
    return 0;
  }

  clear(): void {
    for (const file of this.#files) file.drop();
  }
}

class MemoryFile implements SpillFile {
  bytes = 0;
  #pages: Uint8Array[] = [];
  #isDropped = false;

  constructor(private readonly space: { grow(bytes: number): void; drop(file: MemoryFile): void }) {}

  append(bytes: Uint8Array): void {
    this.space.grow(bytes.length);
    for (let from = 0; from < bytes.length; ) {
      const at = this.bytes % PAGE_BYTES;
      if (at === 0) this.#pages.push(new Uint8Array(PAGE_BYTES));
      const part = bytes.subarray(from, from + PAGE_BYTES - at);
      lastOf(this.#pages)?.set(part, at);
      this.bytes += part.length;
      from += part.length;
    }
  }

  read(at: number, length: number): Uint8Array {
    const out = new Uint8Array(length);
    this.readInto(at, out);
    return out;
  }

  readInto(at: number, out: Uint8Array): void {
    if (this.#isDropped || at + out.length > this.bytes) {
      throw new UpgradeError("UPG_STORE_IO", `spilled writes are gone: bytes ${at} to ${at + out.length}`);
    }
    for (let to = 0; to < out.length; ) {
      const within = (at + to) % PAGE_BYTES;
      const page = this.#pages[Math.floor((at + to) / PAGE_BYTES)] as Uint8Array;
      const part = page.subarray(within, Math.min(PAGE_BYTES, within + out.length - to));
      out.set(part, to);
      to += part.length;
    }
  }

  drop(): void {
    this.space.drop(this);
    this.#isDropped = true;
    this.#pages = [];
  }
}
