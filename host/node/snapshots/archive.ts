/** A snapshot as one file, to be carried elsewhere: a gzipped tar of its description and its chunks, as the Cosmos SDK has it. */
import { createHash } from "node:crypto";
import { createReadStream, renameSync, rmSync } from "node:fs";
import { open } from "node:fs/promises";
import { dirname, join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGunzip, createGzip } from "node:zlib";
import { fromBinary, toBinary } from "@bufbuild/protobuf";
import { isUpgradeError, UpgradeError } from "../../base/errors/errors.js";
import { writeFileAtomically } from "../../base/files/atomic-file.js";
import { diskFailure } from "../../base/files/disk-errors.js";
import { syncFolder } from "../../base/files/open-file.js";
import { type Snapshot, SnapshotSchema } from "../../base/gen/cosmos/store/snapshots/v1/snapshot_pb.js";
import { equalBytes } from "../../base/text/bytes.js";
import { visible } from "../../base/text/visible.js";
import type { Sha256 } from "../../base/types/types.js";
import { removedAtEnd } from "../../state/store/disk/lmdb-temporary-path.js";
import { requireInputFile } from "../home/input-file.js";
import { invalid, namedAppHash, requireSnapshot, SNAPSHOT_FORMAT } from "./facts.js";
import type { SnapshotFolder } from "./folder.js";
import { readTar, TAR_END, type TarFile, tarParts } from "./tar.js";

/** Of the Cosmos SDK; the chunks are `0`, `1` and so on. */
const DESCRIPTION = "_snapshot";
/** Chunks are compressed already. */
const GZIP_LEVEL = 1;
const FILE_MODE = 0o644;

/**
 * Writes an archive, whole or not at all; a file of that name is replaced, a device or a pipe (`isStream`) written to.
 * @throws UpgradeError UPG_INVALID_SNAPSHOT where a chunk is not what its description says; UPG_STORE_*
 */
export async function writeArchive(
  folder: SnapshotFolder,
  snapshot: Snapshot,
  { path, isStream }: { readonly path: string; readonly isStream: boolean },
  sha256: Sha256,
): Promise<void> {
  const temporary = `${path}.${process.pid}.tmp`;
  const release = isStream ? () => undefined : removedAtEnd(temporary);
  try {
    // Opened before anything can fail: a file that is made later would stay.
    const opened = await open(isStream ? path : temporary, "w", FILE_MODE);
    const file = opened.createWriteStream({ flush: !isStream });
    await pipeline(Readable.from(archiveParts(folder, snapshot, sha256)), createGzip({ level: GZIP_LEVEL }), file);
    if (isStream) return;
    renameSync(temporary, path);
    syncFolder(dirname(path));
  } catch (cause) {
    rmSync(temporary, { force: true });
    if (isUpgradeError(cause)) throw cause;
    throw diskFailure("write", `cannot write ${path}`, path, cause);
  } finally {
    release();
  }
}

async function* archiveParts(folder: SnapshotFolder, snapshot: Snapshot, sha256: Sha256): AsyncGenerator<Uint8Array> {
  yield* tarParts({ name: DESCRIPTION, bytes: toBinary(SnapshotSchema, snapshot) });
  for (let index = 0; index < snapshot.chunks; index++) {
    yield* tarParts({ name: String(index), bytes: await checkedChunk(folder, snapshot, index, sha256) });
  }
  yield TAR_END;
}

/** @throws UpgradeError UPG_INVALID_SNAPSHOT where it is absent, or not what its description says; UPG_STORE_IO */
export async function checkedChunk(
  folder: SnapshotFolder,
  { height, format, metadata }: Snapshot,
  index: number,
  sha256: Sha256,
): Promise<Uint8Array> {
  const bytes = await folder.chunk(height, format, index);
  if (!bytes) throw invalid(`chunk ${index} of height ${height} is absent from ${folder.path}`);
  requireChunk(metadata?.chunkHashes[index], bytes, index, sha256);
  return bytes;
}

function requireChunk(hash: Uint8Array | undefined, bytes: Uint8Array, index: number, sha256: Sha256): void {
  if (!hash || !equalBytes(sha256(bytes), hash)) throw invalid(`chunk ${index} is not what its description says`);
}

/**
 * Puts the snapshot of an archive among those of a home. Each chunk is checked against the description, and that against
 * itself; the snapshot counts when all is on disk.
 * @throws UpgradeError UPG_INVALID_SNAPSHOT, UPG_INVALID_ARGUMENT where there is one of that height; UPG_STORE_*
 */
export async function loadArchive(folder: SnapshotFolder, path: string, sha256: Sha256): Promise<Snapshot> {
  requireInputFile(path);
  const files = readTar(unpacked(path));
  try {
    const snapshot = described((await files.next()).value ?? undefined, sha256);
    const { height, format } = snapshot;
    if (folder.get(height, format)) {
      const what = `there is a snapshot of height ${height} in format ${format} already: delete it first`;
      throw new UpgradeError("UPG_INVALID_ARGUMENT", what);
    }
    try {
      await takeChunks(files, snapshot, folder.begin(height, format), sha256);
      folder.publish(snapshot);
    } catch (error) {
      folder.giveUp(height, format);
      throw error;
    }
    return snapshot;
  } finally {
    await files.return();
  }
}

async function takeChunks(
  files: AsyncGenerator<TarFile, void, undefined>,
  { chunks, hash, metadata }: Snapshot,
  into: string,
  sha256: Sha256,
): Promise<void> {
  const all = createHash("sha256");
  let taken = 0;
  for await (const { name, bytes } of files) {
    if (name !== String(taken) || taken === chunks)
      throw invalid(`the archive holds ${visible(name)} after ${taken} chunks`);
    requireChunk(metadata?.chunkHashes[taken], bytes, taken, sha256);
    writeFileAtomically(join(into, name), bytes);
    all.update(bytes);
    taken++;
  }
  if (taken !== chunks) throw invalid(`the archive has ${taken} chunks of ${chunks}`);
  if (!equalBytes(all.digest(), hash)) throw invalid("its chunks together have another hash");
}

function described(first: TarFile | undefined, sha256: Sha256): Snapshot {
  if (first?.name !== DESCRIPTION) throw invalid(`the archive does not begin with ${DESCRIPTION}`);
  let snapshot: Snapshot;
  try {
    snapshot = fromBinary(SnapshotSchema, first.bytes);
  } catch (cause) {
    throw invalid("its description cannot be decoded", cause);
  }
  if (snapshot.format !== SNAPSHOT_FORMAT) {
    throw invalid(`its format is ${snapshot.format}, and this program has ${SNAPSHOT_FORMAT}`);
  }
  requireSnapshot(snapshot, sha256, namedAppHash(snapshot, sha256));
  return snapshot;
}

async function* unpacked(path: string): AsyncGenerator<Uint8Array> {
  const gunzip = createGunzip();
  // Its errors are thrown where it is read; one that comes when nobody reads any more is nobody's.
  gunzip.on("error", () => undefined);
  const fed = pipeline(createReadStream(path), gunzip).catch(() => undefined);
  try {
    yield* gunzip as AsyncIterable<Uint8Array>;
  } catch (cause) {
    const { code = "" } = cause as NodeJS.ErrnoException;
    if (code.startsWith("Z_")) throw invalid("the archive cannot be unpacked", cause);
    throw diskFailure("read", `cannot read ${path}`, path, cause);
  } finally {
    gunzip.destroy();
    await fed;
  }
}
