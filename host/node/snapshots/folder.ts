/**
 * The snapshots of a home: `data/snapshots/<height>/<format>/`, with the file `snapshot` that describes it and a file for each
 * chunk. A snapshot is made under another name and gets its own when all of it is on disk.
 */

import { closeSync, readdirSync, readFile, renameSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { fromBinary, toBinary } from "@bufbuild/protobuf";
import { readFileIfThere, writeFileAtomically } from "../../base/files/atomic-file.js";
import { diskFailure } from "../../base/files/disk-errors.js";
import { makeFolder, openRegularFile, syncFolder } from "../../base/files/open-file.js";
import { type Snapshot, SnapshotSchema } from "../../base/gen/cosmos/store/snapshots/v1/snapshot_pb.js";
import type { Height } from "../../base/types/types.js";

const DESCRIPTION = "snapshot";
const UNFINISHED = ".part";
const readOpened = promisify<number, Buffer>(readFile);
const NUMBER = /^(0|[1-9][0-9]{0,15})$/;

/** Snapshots that stay though newer ones exist. */
export interface SparedSnapshots {
  /** Heights whose chunks peers have asked for lately, the last one first. */
  readonly fetched?: readonly Height[];
  /** Heights before upgrades, as long as their state is held. */
  readonly held?: readonly Height[];
}

export class SnapshotFolder {
  constructor(readonly path: string) {}

  /** The newest first. One that cannot be read is left out. @throws UpgradeError UPG_STORE_IO */
  *list(): Generator<Snapshot, void, undefined> {
    for (const height of this.heights) {
      for (const format of names(join(this.path, String(height)))) {
        const found = NUMBER.test(format) ? this.get(height, Number(format)) : undefined;
        if (found) yield found;
      }
    }
  }

  /** Undefined: there is none. @throws UpgradeError UPG_STORE_IO */
  async chunk(height: Height, format: number, index: number): Promise<Uint8Array | undefined> {
    const path = join(this.#folder(height, format), String(index));
    try {
      const file = openRegularFile(path);
      try {
        return await readOpened(file);
      } finally {
        closeSync(file);
      }
    } catch (cause) {
      if ((cause as NodeJS.ErrnoException).code === "ENOENT") return undefined;
      throw diskFailure("read", `cannot read ${path}`, path, cause);
    }
  }

  /** Where the chunks of a snapshot are written before `publish`. What an earlier attempt left is removed. */
  begin(height: Height, format: number): string {
    const folder = `${this.#folder(height, format)}${UNFINISHED}`;
    rmSync(folder, { recursive: true, force: true });
    makeFolder(folder);
    return folder;
  }

  /** All chunks are on disk: from now on the snapshot can be had. @throws UpgradeError UPG_STORE_* */
  publish(snapshot: Snapshot): void {
    const folder = this.#folder(snapshot.height, snapshot.format);
    writeFileAtomically(join(`${folder}${UNFINISHED}`, DESCRIPTION), toBinary(SnapshotSchema, snapshot));
    try {
      rmSync(folder, { recursive: true, force: true });
      renameSync(`${folder}${UNFINISHED}`, folder);
      syncFolder(dirname(folder));
      syncFolder(this.path);
    } catch (cause) {
      throw diskFailure("write", `cannot write ${folder}`, folder, cause);
    }
  }

  /** Removes what was begun. One of that height from before stays. */
  giveUp(height: Height, format: number): void {
    rmSync(`${this.#folder(height, format)}${UNFINISHED}`, { recursive: true, force: true });
    this.#removeIfEmpty(height);
  }

  /** All of a height, whole or not, whatever their format. @throws UpgradeError UPG_STORE_IO */
  removeHeight(height: Height): void {
    const folder = join(this.path, String(height));
    try {
      rmSync(folder, { recursive: true, force: true });
    } catch (cause) {
      throw diskFailure("write", `cannot remove ${folder}`, folder, cause);
    }
  }

  /** False: there was none. */
  remove(height: Height, format: number): boolean {
    const folder = this.#folder(height, format);
    const isThere = this.get(height, format) !== undefined;
    rmSync(folder, { recursive: true, force: true });
    this.giveUp(height, format);
    return isThere;
  }

  /**
   * Removes all but the newest that can be had, those that are held, and of the others the first one that is fetched.
   * @param count 0: all are kept
   * @throws UpgradeError UPG_STORE_IO
   */
  keepRecent(count: number, { fetched = [], held = [] }: SparedSnapshots = {}): void {
    if (count === 0) return;
    const heights = [...new Set([...this.list()].map(({ height }) => height))].filter((each) => !held.includes(each));
    const old = heights.slice(count);
    const spared = fetched.find((height) => old.includes(height));
    for (const height of old.filter((each) => each !== spared)) {
      this.removeHeight(height);
    }
  }

  /** What a process left that died while it made one. */
  removeUnfinished(): void {
    for (const height of this.heights) {
      for (const name of names(join(this.path, String(height)))) {
        if (name.endsWith(UNFINISHED)) rmSync(join(this.path, String(height), name), { recursive: true, force: true });
      }
      this.#removeIfEmpty(height);
    }
  }

  /** Of all that lies there, whole or not, the newest first. @throws UpgradeError UPG_STORE_IO */
  get heights(): Height[] {
    const heights = names(this.path)
      .filter((name) => NUMBER.test(name))
      .map(BigInt);
    return heights.sort((a, b) => (a < b ? 1 : a > b ? -1 : 0));
  }

  /** What describes a snapshot; undefined: there is none that can be had. @throws UpgradeError UPG_STORE_IO */
  get(height: Height, format: number): Snapshot | undefined {
    const bytes = readFileIfThere(join(this.#folder(height, format), DESCRIPTION));
    if (!bytes) return undefined;
    try {
      const snapshot = fromBinary(SnapshotSchema, bytes);
      return snapshot.height === height && snapshot.format === format ? snapshot : undefined;
    } catch {
      return undefined;
    }
  }

  #folder(height: Height, format: number): string {
    return join(this.path, String(height), String(format));
  }

  #removeIfEmpty(height: Height): void {
    const folder = join(this.path, String(height));
    if (names(folder).length === 0) rmSync(folder, { recursive: true, force: true });
  }
}

/** None where there is no folder, or a file in its place. @throws UpgradeError UPG_STORE_IO */
function names(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (cause) {
    const { code = "" } = cause as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ENOTDIR") return [];
    throw diskFailure("read", `cannot read ${folder}`, folder, cause);
  }
}
