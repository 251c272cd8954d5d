/**
 * Spill files of a node: a folder beside the database. They are never synced and never needed after a crash; a start
 * removes the folder first, which takes neither space nor a write to the database. What they may take is capped, and
 * they leave alone a reserve of free space, so that what runs beside them and after them still can write.
 */
import { randomUUID } from "node:crypto";
import { closeSync, ftruncateSync, openSync, readSync, rmSync, statfsSync, unlinkSync, writeSync } from "node:fs";
import { dirname, join } from "node:path";
import { crc32 } from "node:zlib";
import { UpgradeError } from "../../../base/errors/errors.js";
import { asHost } from "../../../base/errors/synchronous.js";
import { type Access, diskFailure } from "../../../base/files/disk-errors.js";
import { makeFolder } from "../../../base/files/open-file.js";
import { SPILL_BYTES_MAX_DEFAULT } from "../../../base/types/limits.js";
import type { SpillFile, SpillFiles } from "../../branch/spill/spill-files.js";

/** Free space that is left alone, besides as much as was spilled: the commit writes it once more. 64 MiB. */
export const SPILL_RESERVE_BYTES = 64 * 1_048_576;

/** Written between two looks at the free space of the disk. */
const LOOK_BYTES = 4 * 1_048_576;
const FILE_MODE = 0o600;
const SLAB_BYTES = 262_144;

export interface SpillLimits {
  readonly bytesMax?: number | undefined;
  readonly reserveBytes?: number | undefined;
}

export class SpillFolder implements SpillFiles {
  bytes = 0;
  bytesPeak = 0;
  readonly bytesMax: number;
  readonly #reserveBytes: number;
  readonly #files = new Set<DiskFile>();
  /** Bytes written since the free space was looked at. */
  #unseen = Number.POSITIVE_INFINITY;
  #slab = new ArrayBuffer(0);
  #slabUsed = 0;

  /** `path`: the folder; it is made with the first file. */
  constructor(
    readonly path: string,
    limits: SpillLimits = {},
  ) {
    this.bytesMax = limits.bytesMax ?? SPILL_BYTES_MAX_DEFAULT;
    this.#reserveBytes = limits.reserveBytes ?? SPILL_RESERVE_BYTES;
  }

  create(): SpillFile {
    // Another process that was let in by mistake keeps its files: a name is never used twice.
    const path = join(this.path, asHost(randomUUID));
    const file = mapped("write", path, () => {
      makeFolder(this.path);
      return new DiskFile(this, path, openSync(path, "wx+", FILE_MODE));
    });
    this.#files.add(file);
    return file;
  }

  checksum(bytes: Uint8Array): number {
    return crc32(bytes);
  }

  clear(): void {
    for (const file of this.#files) file.drop();
    try {
      rmSync(this.path, { recursive: true, force: true });
    } catch {
      // What cannot be removed costs space, no more: nothing reads it.
    }
  }

  /** A file is about to grow. @throws UpgradeError UPG_STORE_FULL */
  grow(bytes: number): void {
    if (this.bytes + bytes > this.bytesMax) throw overCap(this.bytes, this.bytesMax);
    this.#unseen += bytes;
    if (this.#unseen >= LOOK_BYTES) this.#look(bytes);
    this.bytes += bytes;
    this.bytesPeak = Math.max(this.bytesPeak, this.bytes);
  }

  #look(bytes: number): void {
    const { bavail, bsize } = mapped("write", this.path, () => statfsSync(dirname(this.path)));
    const free = bavail * bsize;
    const needed = bytes + this.#reserveBytes + this.bytes;
    if (free < needed) throw noSpace(this.path, this.bytes, free, needed);
    this.#unseen = 0;
  }

  /** Room that is nobody else's. Many small pieces share one allocation, which would cost more than the reading. */
  room(length: number): Uint8Array {
    if (length > SLAB_BYTES / 8) return new Uint8Array(length);
    if (this.#slabUsed + length > this.#slab.byteLength) {
      this.#slab = new ArrayBuffer(SLAB_BYTES);
      this.#slabUsed = 0;
    }
    const at = this.#slabUsed;
    this.#slabUsed += length;
    return new Uint8Array(this.#slab, at, length);
  }

  gone(file: DiskFile): void {
    if (this.#files.delete(file)) this.bytes -= file.bytes;
  }
}

class DiskFile implements SpillFile {
  bytes = 0;
  #descriptor: number | undefined;

  constructor(
    private readonly folder: SpillFolder,
    private readonly path: string,
    descriptor: number,
  ) {
    this.#descriptor = descriptor;
  }

  append(bytes: Uint8Array): void {
    this.folder.grow(bytes.length);
    const from = this.bytes;
    this.bytes += bytes.length;
    mapped("write", this.path, () => {
      for (let done = 0; done < bytes.length; )
        done += writeSync(this.#open(), bytes, done, bytes.length - done, from + done);
    });
  }

  read(at: number, length: number): Uint8Array {
    const out = this.folder.room(length);
    this.readInto(at, out);
    return out;
  }

  readInto(at: number, out: Uint8Array): void {
    mapped("read", this.path, () => {
      for (let done = 0; done < out.length; ) {
        const read = readSync(this.#open(), out, done, out.length - done, at + done);
        if (read === 0) throw new Error(`the file ends at byte ${at + done}, and byte ${at + out.length} was written`);
        done += read;
      }
    });
  }

  drop(): void {
    if (this.#descriptor === undefined) return;
    const descriptor = this.#descriptor;
    this.#descriptor = undefined;
    this.folder.gone(this);
    // Each step alone frees the space; none is worth an error.
    for (const step of [() => ftruncateSync(descriptor), () => closeSync(descriptor), () => unlinkSync(this.path)]) {
      try {
        step();
      } catch {
        // The next start removes the folder.
      }
    }
  }

  #open(): number {
    if (this.#descriptor === undefined) throw new Error("it was given up");
    return this.#descriptor;
  }
}

function mapped<T>(access: Access, path: string, action: () => T): T {
  try {
    return action();
  } catch (cause) {
    if (cause instanceof UpgradeError) throw cause;
    const verb = access === "read" ? "read back from" : "spilled to";
    throw diskFailure(access, `nothing was committed: what the handler wrote cannot be ${verb} ${path}`, path, cause);
  }
}

function overCap(used: number, max: number): UpgradeError {
  return new UpgradeError(
    "UPG_STORE_FULL",
    `what the handler writes has taken ${used} bytes on disk, and ${max} are allowed. Nothing was committed. ` +
      `If the disk has room, start again with more: --handler-disk-max ${2 * max}`,
    { details: { used: String(used), limit: String(max) } },
  );
}

function noSpace(path: string, used: number, free: number, needed: number): UpgradeError {
  return new UpgradeError(
    "UPG_STORE_FULL",
    `what the handler writes has taken ${used} bytes in ${path}, and the disk has ${free} bytes free where ${needed} are needed: ` +
      "the commit takes as much again, and a reserve stays free. Nothing was committed. Make space on this disk, then start again",
    { details: { used: String(used), free: String(free), needed: String(needed) } },
  );
}
