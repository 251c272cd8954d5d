/** Snapshots of a running node: one is taken each so many blocks, in a thread of its own, while blocks go on. */
import { statSync } from "node:fs";
import { Worker } from "node:worker_threads";
import { toHex } from "../bytes.js";
import type { Home } from "../engine/home/home.js";
import { messageOf } from "../errors.js";
import type { Snapshot } from "../gen/cosmos/store/snapshots/v1/snapshot_pb.js";
import { SnapshotFolder } from "../snapshot/folder.js";
import { freeBytes } from "../store/disk/lmdb-errors.js";
import type { Height } from "../types.js";
import type { LogLevel } from "../upgrade/handlers.js";
import type { ThreadProgram } from "./engine-thread.js";
import type { SnapshotEnd, SnapshotJob } from "./snapshot-worker.js";

export interface SnapshotsOptions {
  readonly home: Home;
  readonly program: ThreadProgram;
  /** Blocks; 0: none is taken. */
  readonly interval: number;
  /** Snapshots to keep; 0: all. */
  readonly keepRecent: number;
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
  /** The last one that was due was not taken. */
  #isLeftOut = false;

  constructor(private readonly options: SnapshotsOptions) {
    this.#folder = new SnapshotFolder(options.home.snapshotsFolder);
  }

  /** Removes what an earlier process left in the middle. */
  open(): void {
    try {
      this.#folder.removeUnfinished();
    } catch (error) {
      this.options.log("warn", `an unfinished snapshot could not be removed: ${messageOf(error)}`);
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
  after(height: Height): void {
    const { interval, log } = this.options;
    if (interval === 0 || height % BigInt(interval) !== 0n) return;
    const obstacle = this.#worker ? "the one before is still being made" : this.#lacksSpace();
    // Once, until one is taken again: blocks may be quicker than snapshots for a long time.
    if (obstacle && !this.#isLeftOut) log("warn", `no snapshot of height ${height} is taken: ${obstacle}`);
    this.#isLeftOut = obstacle !== undefined;
    if (!obstacle) this.#take(height);
  }

  /** What is being made is given up; the next start removes it. */
  async close(): Promise<void> {
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
    const { home, program, keepRecent, log } = this.options;
    const { databaseFile, snapshotsFolder: folder } = home;
    const workerData: SnapshotJob = {
      kind: "snapshot",
      databaseFile,
      folder,
      height,
      keepRecent,
      fetched: this.#beingFetched,
    };
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
    });
  }
}
