/**
 * A disk in memory with what POSIX promises of one and no more: a write is durable after its file was synced, a name after its folder
 * was. When the power goes, each of the rest is kept, torn or lost, as a seed decides; a rename is made whole or not at all.
 */
import { dirname, join, resolve, sep } from "node:path";
import type { Random } from "../../sim/random.js";

export interface Inode {
  readonly id: number;
  readonly kind: "file" | "folder" | "link";
  mode: number;
  changedAt: number;
  /** Of a file; a link's target, as text. */
  bytes: Uint8Array;
  durable: Uint8Array;
  /** Of a folder. */
  readonly names: Map<string, Inode>;
  durableNames: Map<string, Inode>;
}

/** Names that change together: one, or the two of a rename. */
type NameChange = readonly { readonly folder: Inode; readonly name: string; readonly inode: Inode | undefined }[];

const FOLDER_MODE = 0o755;
const LINKS_MAX = 8;

export class ModelDisk {
  readonly #root: Inode;
  #ids = 0;
  /** In the order they were made; not yet durable. */
  #pending: NameChange[] = [];
  /** Inodes that were written to and not synced since. */
  readonly #dirty = new Set<Inode>();

  constructor(private readonly wall: () => number) {
    this.#root = this.make("folder", FOLDER_MODE);
  }

  make(kind: Inode["kind"], mode: number, bytes = new Uint8Array()): Inode {
    const inode: Inode = {
      ...{ id: ++this.#ids, kind, mode, changedAt: this.wall(), bytes, durable: new Uint8Array() },
      ...{ names: new Map(), durableNames: new Map() },
    };
    // What a link leads to is written with it.
    if (kind === "link") inode.durable = bytes;
    return inode;
  }

  /** Undefined: nothing is there. @param isFollowed a link at the end is gone through too */
  find(path: string, isFollowed: boolean, links = 0): Inode | undefined {
    if (links > LINKS_MAX) throw systemError("ELOOP", path);
    let inode = this.#root;
    const parts = path.split(sep).filter((part) => part !== "");
    for (const [at, part] of parts.entries()) {
      const next = inode.names.get(part);
      if (!next) return undefined;
      inode = next;
      if (inode.kind === "link" && (isFollowed || at < parts.length - 1)) {
        const before = `${sep}${parts.slice(0, at).join(sep)}`;
        const target = resolve(before, new TextDecoder().decode(inode.bytes));
        return this.find(join(target, ...parts.slice(at + 1)), isFollowed, links + 1);
      }
    }
    return inode;
  }

  /** The folder that a path's last name is in. @throws Error ENOENT, ENOTDIR */
  folderOf(path: string): { folder: Inode; name: string } {
    const folder = this.find(dirname(path), true);
    if (!folder) throw systemError("ENOENT", path);
    if (folder.kind !== "folder") throw systemError("ENOTDIR", path);
    return { folder, name: path.slice(path.lastIndexOf(sep) + 1) };
  }

  /** Changes names in one step; durable with a sync of any folder of it. */
  change(...names: NameChange): void {
    for (const { folder, name, inode } of names) {
      if (inode) folder.names.set(name, inode);
      else folder.names.delete(name);
      folder.changedAt = this.wall();
    }
    this.#pending.push(names);
  }

  write(inode: Inode, bytes: Uint8Array): void {
    inode.bytes = bytes;
    inode.changedAt = this.wall();
    this.#dirty.add(inode);
  }

  syncFile(inode: Inode): void {
    inode.durable = inode.bytes;
    this.#dirty.delete(inode);
  }

  syncFolder(folder: Inode): void {
    const isOf = (change: NameChange) => change.some((each) => each.folder === folder);
    const settled = new Map<Inode, Set<string>>();
    const pending: NameChange[] = [];
    for (const change of [...this.#pending].reverse()) {
      // What a name was before is nothing that may come back: a folder that was renamed would be in two places.
      const open = change.filter((each) => !settled.get(each.folder)?.has(each.name));
      if (!isOf(change)) {
        if (open.length > 0) pending.unshift(open);
        continue;
      }
      makeDurable(open);
      for (const { folder: at, name } of change) settled.set(at, (settled.get(at) ?? new Set()).add(name));
    }
    this.#pending = pending;
  }

  /** Everything that was written is durable, as after a while without a crash. */
  settle(): void {
    for (const change of this.#pending) makeDurable(change);
    this.#pending = [];
    for (const inode of this.#dirty) inode.durable = inode.bytes;
    this.#dirty.clear();
  }

  /** The power goes, and comes back: what was not synced is kept, torn or lost. */
  losePower(random: Random): void {
    // A journaling file system keeps the first so many changes of names; another one any of them.
    const isJournaled = random.below(2) === 0;
    const kept = random.below(this.#pending.length + 1);
    for (const [at, change] of this.#pending.entries()) {
      if (isJournaled ? at < kept : random.below(2) === 0) makeDurable(change);
    }
    this.#pending = [];
    for (const inode of this.#dirty) inode.durable = torn(inode, random);
    this.#dirty.clear();
    this.#forget(this.#root);
  }

  #forget(inode: Inode): void {
    inode.bytes = inode.durable;
    if (inode.kind !== "folder") return;
    inode.names.clear();
    for (const [name, each] of inode.durableNames) {
      inode.names.set(name, each);
      this.#forget(each);
    }
  }
}

function makeDurable(change: NameChange): void {
  for (const { folder, name, inode } of change) {
    if (inode) folder.durableNames.set(name, inode);
    else folder.durableNames.delete(name);
  }
}

/** What a disk may hold of a file that was not synced. */
function torn({ bytes, durable }: Inode, random: Random): Uint8Array {
  switch (random.below(4)) {
    case 0:
      return durable;
    case 1:
      return bytes;
    case 2:
      return bytes.slice(0, random.below(bytes.length + 1));
    default: {
      // The length is written, the content is not.
      const zeros = new Uint8Array(bytes.length);
      zeros.set(durable.subarray(0, bytes.length));
      return zeros;
    }
  }
}

export function systemError(code: string, path: string): NodeJS.ErrnoException {
  return Object.assign(new Error(`${code}: the model's disk, '${path}'`), { code });
}
