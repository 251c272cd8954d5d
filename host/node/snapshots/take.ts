/** Makes a snapshot of one committed version: all nodes of all trees, compressed, cut into chunks, described. */

import { createHash } from "node:crypto";
import { closeSync, fsyncSync, openSync, writeSync } from "node:fs";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createDeflate } from "node:zlib";
import { create } from "@bufbuild/protobuf";
import { diskFailure } from "../../base/files/disk-errors.js";
import { syncFolder } from "../../base/files/open-file.js";
import { type Snapshot, SnapshotSchema } from "../../base/gen/cosmos/store/snapshots/v1/snapshot_pb.js";
import type { Height, Sha256 } from "../../base/types/types.js";
import type { Database } from "../../state/store/disk/database.js";
import { CommitMultiStore } from "../../state/store/versions/commit-multi-store.js";
import type { Core } from "../../upgrade/core/core.js";
import { factsOf, SNAPSHOT_FORMAT } from "./facts.js";
import type { SnapshotFolder } from "./folder.js";
import { encodeItems } from "./items.js";

/** Of the Cosmos SDK's format. */
const CHUNK_BYTES = 10_000_000;
/** The size hardly falls beyond it, and the time doubles. */
const COMPRESSION_LEVEL = 3;
const PROGRESS_NODES = 65_536;

export interface TakeOptions {
  readonly height: Height;
  readonly sha256: Sha256;
  readonly core: Core;
  /** App version of genesis. */
  readonly firstVersion: bigint;
  /** Of a chunk; that of the Cosmos SDK's format without. */
  readonly chunkBytes?: number;
  /** Hears how many nodes are done, now and then. */
  readonly onProgress?: (store: string, nodes: number) => void;
}

/**
 * @param database whose reads all see one state until this is done
 * @throws UpgradeError UPG_NOT_FOUND_VERSION, UPG_STORE_*
 */
export async function takeSnapshot(
  database: Database,
  folder: SnapshotFolder,
  { height, sha256, core, firstVersion, chunkBytes = CHUNK_BYTES, onProgress }: TakeOptions,
): Promise<Snapshot> {
  const view = new CommitMultiStore(database, { sha256 }).at(height);
  const files = new ChunkFiles(folder.begin(height, SNAPSHOT_FORMAT), chunkBytes);
  let nodes = 0;
  const items = encodeItems(view, (store) => {
    if (++nodes % PROGRESS_NODES === 0) onProgress?.(store, nodes);
  });
  let refusal: unknown;
  try {
    await pipeline(Readable.from(items), createDeflate({ level: COMPRESSION_LEVEL }), async (compressed) => {
      for await (const part of compressed as AsyncIterable<Uint8Array>) {
        try {
          files.write(part);
        } catch (error) {
          refusal = error;
          throw error;
        }
      }
    });
    const { chunkHashes, hash } = files.finish();
    const snapshot = create(SnapshotSchema, {
      ...{ height, format: SNAPSHOT_FORMAT, chunks: chunkHashes.length, hash },
      metadata: { chunkHashes: [...chunkHashes], facts: factsOf(view, core, firstVersion) },
    });
    folder.publish(snapshot);
    return snapshot;
  } catch (error) {
    files.close();
    folder.giveUp(height, SNAPSHOT_FORMAT);
    // The streams that end with it say that they were aborted, and not why.
    throw refusal ?? error;
  }
}

/** Writes one chunk after the other, each on disk before the next begins. */
class ChunkFiles {
  readonly #chunkHashes: Uint8Array[] = [];
  readonly #all = createHash("sha256");
  #hash = createHash("sha256");
  #file: number | undefined;
  #length = 0;

  constructor(
    private readonly folder: string,
    private readonly chunkBytes: number,
  ) {}

  write(bytes: Uint8Array): void {
    for (let at = 0; at < bytes.length; ) {
      const part = bytes.subarray(at, at + this.chunkBytes - this.#length);
      this.#append(part);
      at += part.length;
      this.#length += part.length;
      if (this.#length === this.chunkBytes) this.#end();
    }
  }

  finish(): { readonly chunkHashes: readonly Uint8Array[]; readonly hash: Uint8Array } {
    if (this.#length > 0) this.#end();
    syncFolder(this.folder);
    return { chunkHashes: this.#chunkHashes, hash: this.#all.digest() };
  }

  /** Gives up the chunk in the making. */
  close(): void {
    if (this.#file !== undefined) closeSync(this.#file);
    this.#file = undefined;
  }

  #append(bytes: Uint8Array): void {
    this.#hash.update(bytes);
    this.#all.update(bytes);
    this.#onDisk((file) => {
      for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at);
    });
  }

  #end(): void {
    this.#onDisk(fsyncSync);
    this.close();
    this.#chunkHashes.push(this.#hash.digest());
    this.#hash = createHash("sha256");
    this.#length = 0;
  }

  #onDisk(work: (file: number) => void): void {
    const path = join(this.folder, String(this.#chunkHashes.length));
    try {
      this.#file ??= openSync(path, "w", 0o600);
      work(this.#file);
    } catch (cause) {
      throw diskFailure("write", `cannot write ${path}`, path, cause);
    }
  }
}
