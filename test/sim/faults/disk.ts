/**
 * What a disk may hold after the power went at a point of a journal. Durable are: what was synced, what went through a
 * syncing descriptor, and names whose folder was synced. Of everything else each 512-byte sector of a write, each
 * truncation and each change of a name may be there or not; of names a folder's journal keeps the order, or does not.
 */
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Random } from "../random.js";
import type { Change } from "./journal.js";

const SECTOR = 512;

/** How much of the unsynced is there. */
export type Luck = "nothing" | "some" | "most" | "all" | "the first";
export const LUCKS: readonly Luck[] = ["nothing", "some", "most", "all", "the first"];
const CHANCE: Readonly<Record<Luck, number>> = { nothing: 0, some: 0.5, most: 0.95, all: 1, "the first": 1 };

interface File {
  /** As it was when it was last synced. */
  bytes: Buffer;
  /** Since then. */
  pending: Change[];
}

interface NameChange {
  readonly path: string;
  /** Undefined: the name goes. */
  readonly file: number | undefined;
  readonly isFolder?: boolean;
}

/** Folders and files as they are before the process, by path relative to the home. */
export interface Snapshot {
  readonly folders: readonly string[];
  readonly files: readonly { readonly path: string; readonly file: number; readonly bytes: Buffer }[];
}

export function takeSnapshot(home: string): Snapshot {
  const entries = readdirSync(home, { recursive: true, withFileTypes: true });
  const relative = (entry: (typeof entries)[number]) => join(entry.parentPath, entry.name).slice(home.length + 1);
  return {
    folders: entries.filter((entry) => entry.isDirectory()).map(relative),
    files: entries
      .filter((entry) => entry.isFile())
      .map((entry) => {
        const path = relative(entry);
        return { path, file: statSync(join(home, path)).ino, bytes: readFileSync(join(home, path)) };
      }),
  };
}

export interface Crash {
  /** Changes before this one were made; this one was under way. */
  readonly at: number;
  readonly luck: Luck;
}

export class Disk {
  readonly #files = new Map<number, File>();
  readonly #names = new Map<string, number>();
  readonly #folders: Set<string>;
  #pendingNames: { readonly folder: string; readonly changes: readonly NameChange[] }[] = [];

  /** @param home where the journal was written, for its paths */
  constructor(
    snapshot: Snapshot,
    private readonly home: string,
  ) {
    this.#folders = new Set(snapshot.folders);
    for (const { path, file, bytes } of snapshot.files) {
      this.#files.set(file, { bytes, pending: [] });
      this.#names.set(path, file);
    }
  }

  apply(change: Change): void {
    const { kind, file } = change;
    const path = this.#relative(change.path);
    if (kind === "write" || kind === "truncate") this.#file(file).pending.push(change);
    else if (kind === "sync" && change.isFolder) this.#syncFolder(path);
    else if (kind === "sync") this.#sync(file);
    else this.#rename(change, path);
  }

  /** Makes a home of it. */
  write(to: string, random: Random, luck: Luck): void {
    const names = this.#namesAfter(random, luck);
    rmSync(to, { recursive: true, force: true });
    for (const folder of ["", ...this.#folders]) mkdirSync(join(to, folder), { recursive: true });
    for (const [path, file] of names) {
      mkdirSync(dirname(join(to, path)), { recursive: true });
      writeFileSync(join(to, path), contents(this.#file(file), random, luck));
    }
  }

  #relative(path: string): string {
    return path.slice(this.home.length + 1);
  }

  #file(file: number): File {
    let found = this.#files.get(file);
    if (!found) {
      found = { bytes: Buffer.alloc(0), pending: [] };
      this.#files.set(file, found);
    }
    return found;
  }

  #sync(number: number): void {
    const file = this.#file(number);
    file.bytes = withChanges(
      file.bytes,
      file.pending,
      () => true,
      () => true,
    );
    file.pending = [];
  }

  #rename(change: Change, path: string): void {
    const { kind, file } = change;
    const folder = dirname(path);
    const to = kind === "rename" || kind === "link" ? this.#relative(change.data.toString("utf8")) : "";
    if (kind === "create") {
      this.#files.set(file, { bytes: Buffer.alloc(0), pending: [] });
      this.#pendingNames.push({ folder, changes: [{ path, file }] });
    } else if (kind === "unlink") this.#pendingNames.push({ folder, changes: [{ path, file: undefined }] });
    else if (kind === "link") this.#pendingNames.push({ folder, changes: [{ path: to, file }] });
    else if (kind === "mkdir")
      this.#folders.add(path); // an empty folder hurts nobody
    else if (kind === "rename") {
      // One step: the new name with the file, or the old one.
      this.#pendingNames.push({
        folder,
        changes: [
          { path: to, file },
          { path, file: undefined },
        ],
      });
    }
  }

  #syncFolder(folder: string): void {
    for (const each of this.#pendingNames) if (each.folder === folder) applyNames(this.#names, each.changes);
    this.#pendingNames = this.#pendingNames.filter((each) => each.folder !== folder);
  }

  #namesAfter(random: Random, luck: Luck): Map<string, number> {
    const names = new Map(this.#names);
    // As most file systems do it, in order up to some point; or each for itself.
    const isOrdered = luck === "the first" || random.chance(0.5);
    const upTo = luck === "all" ? this.#pendingNames.length : random.below(this.#pendingNames.length + 1);
    this.#pendingNames.forEach(({ changes }, index) => {
      if (luck === "all" || (isOrdered ? index < upTo && luck !== "nothing" : random.chance(CHANCE[luck]))) {
        applyNames(names, changes);
      }
    });
    return names;
  }
}

function applyNames(names: Map<string, number>, changes: readonly NameChange[]): void {
  for (const { path, file } of changes) {
    if (file === undefined) names.delete(path);
    else names.set(path, file);
  }
}

function contents({ bytes, pending }: File, random: Random, luck: Luck): Buffer {
  if (pending.length === 0) return bytes;
  const upTo = random.below(pending.length + 1);
  const isThere = (index: number) => luck !== "the first" || index < upTo;
  return withChanges(
    bytes,
    pending,
    (change, index) => change.isDurable || (isThere(index) && (change.kind === "write" || random.chance(CHANCE[luck]))),
    (change) => change.isDurable || luck === "the first" || luck === "all" || random.chance(CHANCE[luck]),
  );
}

/** @param hasSector asked for each sector of a write that is there at all */
function withChanges(
  before: Buffer,
  changes: readonly Change[],
  isThere: (change: Change, index: number) => boolean,
  hasSector: (change: Change) => boolean,
): Buffer {
  const most = changes.reduce((size, { offset, data }) => Math.max(size, offset + data.length), before.length);
  const bytes = Buffer.alloc(most);
  before.copy(bytes);
  let size = before.length;
  for (const [index, change] of changes.entries()) {
    if (!isThere(change, index)) continue;
    const { offset, data } = change;
    if (change.kind === "truncate") {
      bytes.fill(0, Math.min(offset, size), size);
      size = offset;
      continue;
    }
    for (let at = 0; at < data.length; ) {
      const next = Math.min(data.length, at + SECTOR - ((offset + at) % SECTOR));
      if (hasSector(change)) {
        data.copy(bytes, offset + at, at, next);
        size = Math.max(size, offset + next);
      }
      at = next;
    }
  }
  return bytes.subarray(0, size);
}

/** Plays the journal up to a point; the change at the point itself is under way, and nothing of it is promised. */
export function diskAt(snapshot: Snapshot, home: string, changes: readonly Change[], at: number): Disk {
  const disk = new Disk(snapshot, home);
  for (const change of changes.slice(0, at)) if (change.kind !== "log") disk.apply(change);
  const last = changes[at];
  if (last?.kind === "write") disk.apply({ ...last, isDurable: false });
  return disk;
}
