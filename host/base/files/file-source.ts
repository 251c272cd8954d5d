/** A file that is read a part at a time. */
import { createHash } from "node:crypto";
import { closeSync, createReadStream, fstatSync, readSync } from "node:fs";
import { isUpgradeError, messageOf, UpgradeError } from "../errors/errors.js";
import type { ByteSource } from "./byte-source.js";
import { openRegularFile } from "./open-file.js";

const HASH_PART_BYTES = 1_048_576;

export interface FileSource extends ByteSource {
  close(): void;
}

/** Does this with the genesis document of a file. @throws UpgradeError UPG_INVALID_GENESIS that names the file, and what `work` throws */
export function inGenesisFile<T>(path: string, work: () => T): T {
  try {
    return work();
  } catch (cause) {
    if (!isUpgradeError(cause) || cause.code !== "UPG_INVALID_GENESIS" || cause.message.includes(path)) throw cause;
    throw new UpgradeError("UPG_INVALID_GENESIS", `${path}: ${cause.template}`, { cause, details: cause.details });
  }
}

/** Undefined when there is no such file. @throws UpgradeError UPG_STORE_IO */
export function openFileSource(path: string): FileSource | undefined {
  let file: number;
  try {
    file = openRegularFile(path);
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw cannotRead(path, cause);
  }
  const { size } = fstatSync(file);
  return {
    size,
    read: (at, into) => readFully(file, path, at, into),
    close: () => closeSync(file),
  };
}

/** The system may return less than was asked for. */
function readFully(file: number, path: string, at: number, into: Uint8Array): number {
  try {
    let filled = 0;
    while (filled < into.length) {
      const count = readSync(file, into, filled, into.length - filled, at + filled);
      if (count === 0) break;
      filled += count;
    }
    return filled;
  } catch (cause) {
    throw cannotRead(path, cause);
  }
}

/** SHA-256 of all bytes. */
export function hashOfSource(source: ByteSource): Uint8Array {
  const hash = createHash("sha256");
  const part = new Uint8Array(HASH_PART_BYTES);
  for (let at = 0; at < source.size; at += part.length) hash.update(part.subarray(0, source.read(at, part)));
  return new Uint8Array(hash.digest());
}

/** The same of a file, between other work. Rejects when the signal is aborted. */
export async function hashOfFile(path: string, signal: AbortSignal): Promise<Uint8Array> {
  const hash = createHash("sha256");
  for await (const part of createReadStream(path, {
    fd: openRegularFile(path),
    highWaterMark: HASH_PART_BYTES,
    signal,
  })) {
    hash.update(part as Uint8Array);
  }
  return new Uint8Array(hash.digest());
}

function cannotRead(path: string, cause: unknown): UpgradeError {
  const message = messageOf(cause);
  return new UpgradeError("UPG_STORE_IO", `cannot read ${path}: ${message}`, { cause });
}
