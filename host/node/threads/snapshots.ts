/** Snapshots of a running node: one is taken each so many blocks, in a thread of its own, while blocks go on. */
import { statSync } from "node:fs";
import { Worker } from "node:worker_threads";
import { messageOf } from "../../base/errors/errors.js";
import { freeBytes } from "../../base/files/disk-errors.js";
import type { Snapshot } from "../../base/gen/cosmos/store/snapshots/v1/snapshot_pb.js";
import { toHex } from "../../base/text/bytes.js";
import type { Height } from "../../base/types/types.js";
import type { Database } from "../../state/store/disk/database.js";
import { PinnedVersions } from "../../state/store/versions/pinned-versions.js";
import type { LogLevel } from "../../upgrade/module/handlers.js";
import type { Home } from "../home/home.js";
import { SNAPSHOT_FORMAT } from "../snapshots/facts.js";
import { SnapshotFolder } from "../snapshots/folder.js";
import type { ThreadProgram } from "./engine-thread.js";
import type { SnapshotEnd, SnapshotJob } from "./snapshot-worker.js";

export interface SnapshotsOptions {
  readonly home: Home;
  readonly program: () => ThreadProgram;
  /** Blocks; 0: none is taken. */
  readonly interval: number;
  /** Snapshots to keep; 0: all. */
  readonly keepRecent: number;
  /** Take one of the state before each upgrade. */
  readonly beforeUpgrade: boolean;
  readonly log: (level: LogLevel, message: string) => void;
}

/** CometBFT waits so long for a chunk, and then gives the snapshot up. */
const FETCH_MILLIS = 120_000;

/** Free space that a snapshot is taken with, as a multiple of the database. */
const SPACE_FACTOR = 2;

export class Snapshots {
  readonly #folder: SnapshotFolder;
  /** When a peer asked for a chunk of each of these last; the last one at the end. */
  readonly #fetched = new Map<Height, number>();
  #worker: Worker | undefined;
  /** The state before an upgrade, while another snapshot is being made. */
  #waiting: Height | undefined;
  /** The last one that was due was not taken. */
  #isLeftOut = false;

  constructor(private readonly options: SnapshotsOptions) {
    this.#folder = new SnapshotFolder(options.home.snapshotsFolder);
  }

  /** Removes what an earlier process left in the middle, and takes the one before the last upgrade that it did not come to. */
  open(database: Database): void {
    try {
      this.#folder.removeUnfinished();
      const held = this.options.beforeUpgrade ? PinnedVersions.load(database).entries.at(-1) : undefined;
      if (held && !this.#folder.get(BigInt(held[0]), SNAPSHOT_FORMAT)) this.#takeBefore(BigInt(held[0]));
    } catch (error) {
      this.options.log("warn", `the folder of snapshots could not be put in order: ${messageOf(error)}`);
    }
  }

  /** The newest first. @throws UpgradeError UPG_STORE_IO */
  list(): Iterable<Snapshot> {
    return this.#folder.list();
  }

  /** For a peer, which will want the others too. Undefined: there is none. @throws UpgradeError UPG_STORE_IO */
  async chunk(height: Height, format: number, index: number): Promise<Uint8Array | undefined> {
    const bytes = await this.#folder.chunk(height, format, index);
    this.#fetched.delete(height);
    if (bytes) this.#fetched.set(height, performance.now());
    return bytes;
  }

  /** The last one first. */
  get #beingFetched(): Height[] {
    const since = performance.now() - FETCH_MILLIS;
    for (const [height, at] of this.#fetched) if (at < since) this.#fetched.delete(height);
    return [...this.#fetched.keys()].reverse();
  }

  /** A block was committed. */
  after(height: Height, isUpgrade: boolean): void {
    const { interval, log, beforeUpgrade } = this.options;
    if (isUpgrade && beforeUpgrade) this.#takeBefore(height - 1n);
    if (interval === 0 || height % BigInt(interval) !== 0n) return;
    const obstacle = this.#worker ? "the one before is still being made" : this.#lacksSpace();
    // Once, until one is taken again: blocks may be quicker than snapshots for a long time.
    if (obstacle && !this.#isLeftOut) log("warn", `no snapshot of height ${height} is taken: ${obstacle}`);
    this.#isLeftOut = obstacle !== undefined;
    if (!obstacle) this.#take(height);
  }

  /** The state before an upgrade is held, so it is there whenever its turn comes, and no block waits for it. */
  #takeBefore(height: Height): void {
    this.#waiting = this.#worker ? height : undefined;
    const obstacle = this.#worker ? undefined : this.#lacksSpace();
    if (obstacle)
      this.options.log("warn", `no snapshot of height ${height}, before the upgrade, is taken: ${obstacle}`);
    else if (!this.#worker) this.#take(height);
  }

  /** What is being made is given up; the next start removes it. */
  async close(): Promise<void> {
    this.#waiting = undefined;
    await this.#worker?.terminate();
  }

  /** Blocks need the disk more than snapshots do, and what a snapshot will need is known when it is made. */
  #lacksSpace(): string | undefined {
    const { databaseFile } = this.options.home;
    const free = freeBytes(databaseFile);
    const size = statSync(databaseFile, { throwIfNoEntry: false })?.size ?? 0;
    if (free === undefined || BigInt(free) >= BigInt(SPACE_FACTOR * size)) return undefined;
    return `${free} bytes are free, and it may take ${size}, the size of the database`;
  }

  #take(height: Height): void {
    const { home, program: programOf, keepRecent, log } = this.options;
    const { databaseFile, snapshotsFolder: folder } = home;
    const workerData: SnapshotJob = {
      kind: "snapshot",
      databaseFile,
      folder,
      height,
      keepRecent,
      fetched: this.#beingFetched,
    };
    const program = programOf();
    const [source, isCode] = "code" in program ? [program.code, true] : [program.file, false];
    const worker = new Worker(source, { workerData, name: "snapshot", eval: isCode });
    this.#worker = worker;
    const begun = performance.now();
    log("info", `a snapshot of height ${height} is being taken`);
    worker.once("message", (end: SnapshotEnd) => {
      if (end.kind === "failed") log("error", `no snapshot of height ${height}: ${end.message}`);
      else {
        const seconds = ((performance.now() - begun) / 1_000).toFixed(1);
        log("info", `snapshot of height ${height}: ${end.chunks} chunks in ${seconds} s, ${toHex(end.hash)}`);
        if (end.warning !== undefined) log("warn", `older snapshots could not be removed: ${end.warning}`);
      }
    });
    worker.once("error", (error) => log("error", `no snapshot of height ${height}: ${messageOf(error)}`));
    worker.once("exit", () => {
      this.#worker = undefined;
      if (this.#waiting !== undefined) this.#takeBefore(this.#waiting);
    });
  }
}
