/** A snapshot on its way into an empty database: chunks come in order, each is checked, decompressed and built in at once. */
import { createInflate } from "node:zlib";
import { assert } from "../../base/errors/errors.js";
import type { Snapshot } from "../../base/gen/cosmos/store/snapshots/v1/snapshot_pb.js";
import { equalBytes } from "../../base/text/bytes.js";
import type { CommitID, Sha256 } from "../../base/types/types.js";
import type { Database, RecordChange } from "../../state/store/disk/database.js";
import { VersionRestore } from "../../state/store/versions/restore-version.js";
import type { VersionView } from "../../state/store/versions/version-view.js";
import { invalid, requireSnapshot } from "./facts.js";
import { ItemReader } from "./items.js";

/** Bytes that leave the decompressor at once. */
const INFLATED_BYTES = 262_144;

export interface RestoreOptions {
  readonly sha256: Sha256;
  /** App hash of the snapshot's height, which somebody else vouches for. */
  readonly appHash: Uint8Array;
  /** The engine's mark in the record of the commit. */
  readonly engine: string;
}

export class SnapshotRestore {
  readonly #restore: VersionRestore;
  readonly #items: ItemReader;
  readonly #inflate = createInflate({ chunkSize: INFLATED_BYTES });
  readonly #chunkHashes: readonly Uint8Array[];
  /** Settles when the compressed stream has come to its end. */
  readonly #ended: Promise<void>;
  #failure: unknown;
  /** Of the chunks that were applied. */
  #bytes = 0;
  /** The next chunk, once it was compared with its hash. */
  #checked: Uint8Array | undefined;

  /** Index of the chunk that comes next. */
  next = 0;

  /** @throws UpgradeError UPG_INVALID_SNAPSHOT; UPG_STORE_LOCKED when the database has a version; UPG_STORE_* */
  constructor(
    database: Database,
    readonly snapshot: Snapshot,
    private readonly options: RestoreOptions,
  ) {
    const { sha256, appHash, engine } = options;
    requireSnapshot(snapshot, sha256, appHash);
    const { chunkHashes = [], facts } = snapshot.metadata ?? {};
    const stores = (facts?.stores ?? []).map(({ name, hash, size }) => ({ name, hash, size: Number(size) }));
    this.#chunkHashes = chunkHashes;
    this.#restore = new VersionRestore(database, { sha256, version: Number(snapshot.height), stores, engine });
    this.#items = new ItemReader(this.#restore);
    this.#inflate.on("data", (part: Uint8Array) => this.#take(part));
    this.#ended = new Promise((resolve) => {
      this.#inflate.once("end", resolve);
      this.#inflate.once("error", (cause: Error) => {
        this.#failure ??= invalid("it cannot be decompressed", cause);
        resolve();
      });
    });
  }

  get isComplete(): boolean {
    return this.next === this.#chunkHashes.length;
  }

  /** Are these the bytes of the next chunk? */
  isNext(bytes: Uint8Array): boolean {
    const expected = this.#chunkHashes[this.next];
    const isSo = expected !== undefined && equalBytes(this.options.sha256(bytes), expected);
    this.#checked = isSo ? bytes : undefined;
    return isSo;
  }

  /** @throws UpgradeError UPG_INVALID_SNAPSHOT: nothing can come of this snapshot; UPG_STORE_* */
  async apply(bytes: Uint8Array): Promise<void> {
    assert(bytes === this.#checked || this.isNext(bytes), "a chunk is checked before it is applied");
    this.#bytes += bytes.length;
    await Promise.race([new Promise<void>((done) => this.#inflate.write(bytes, () => done())), this.#ended]);
    this.next++;
    this.#checked = undefined;
    if (this.isComplete) {
      this.#inflate.end();
      await this.#ended;
      if (this.#inflate.bytesWritten !== this.#bytes) this.#failure ??= invalid("bytes come after its end");
    }
    if (this.#failure !== undefined) throw this.#failure;
  }

  /**
   * All chunks have come. Gives the version to read, before it counts.
   * @throws UpgradeError UPG_INVALID_SNAPSHOT
   */
  finish(): VersionView {
    this.#items.end();
    return this.#restore.finish(this.options.appHash);
  }

  /** Makes the version the database's first, with `alongside`. @throws UpgradeError UPG_STORE_* */
  commit(alongside: Iterable<RecordChange>): CommitID {
    return this.#restore.commit(alongside);
  }

  /** Gives up what has come. @throws UpgradeError UPG_STORE_* */
  discard(): void {
    this.#inflate.destroy();
    this.#restore.discard();
  }

  /** What fails is thrown where the chunk was applied; what comes after it is nobody's. */
  #take(part: Uint8Array): void {
    if (this.#failure !== undefined) return;
    try {
      this.#items.take(part);
    } catch (error) {
      this.#failure = error;
    }
  }
}
