/** The machine's own files. */
import {
  chmodSync,
  closeSync,
  constants,
  fsyncSync,
  lstatSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  readSync,
  renameSync,
  rmSync,
  type Stats,
  statfsSync,
  statSync,
  symlinkSync,
  writeSync,
} from "node:fs";
import { copyFile } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import type { FileFacts, Files, OpenFile } from "./files.js";
import { giveToOwner } from "./home-owner.js";
import { makeFolder, openRegularFile, syncFolder } from "./open-file.js";
import { tryWrite } from "./write-probe.js";

const MODE_BITS = 0o7777;

/** The user of this process owns the files and folders that it makes. */
export const plainFiles: Files = {
  facts: (path) => unlessMissing(() => factsOf(statSync(path))),
  linkFacts: (path) => unlessMissing(() => factsOf(lstatSync(path))),
  readLink: (path) => readlinkSync(path),
  read: (path, bytesMax) => unlessMissing(() => readWhole(path, bytesMax)),
  readPart,
  list: (folder) => unlessMissing(() => readdirSync(folder).sort()),
  makeFolder: (path, mode) => void makeFolder(path, mode),
  open: (path, how, mode) => new DiskFile(openSync(path, how === "new" ? "wx" : "a", mode)),
  rename: (from, to) => renameSync(from, to),
  remove: (path) => rmSync(path, { recursive: true, force: true }),
  symlink: (target, path) => symlinkSync(target, path),
  chmod: (path, mode) => chmodSync(path, mode),
  copy: async (from, to, how) => {
    const reflink = how === "reflink" ? constants.COPYFILE_FICLONE_FORCE : constants.COPYFILE_FICLONE;
    await copyFile(from, to, reflink | constants.COPYFILE_EXCL);
  },
  syncFolder: (path) => syncFolder(path),
  syncFile,
  freeBytes: (path) => {
    const { bavail, bsize } = statfsSync(path);
    return bavail * bsize;
  },
  freeFiles: (path) => {
    const { files, ffree } = statfsSync(path);
    // Some file systems create inodes as they need them, and count none.
    return files === 0 ? undefined : ffree;
  },
  tryWrite,
};

/** Files and folders that root makes in a home of another user are given to that user. */
export const diskFiles: Files = {
  ...plainFiles,
  makeFolder: (path, mode) => {
    const first = makeFolder(path, mode);
    for (const folder of first === undefined ? [] : foldersBetween(first, path)) giveToOwner(folder);
  },
  open: (path, how, mode) => {
    const file = openSync(path, how === "new" ? "wx" : "a", mode);
    giveToOwner(path, file);
    return new DiskFile(file);
  },
  copy: async (from, to, how) => {
    await plainFiles.copy(from, to, how);
    giveToOwner(to);
  },
};

/** From the first one that was made to the last, which may be the same. */
function foldersBetween(first: string, last: string): readonly string[] {
  const folders: string[] = [];
  for (let at = resolve(last); at.startsWith(first); at = dirname(at)) folders.unshift(at);
  return folders;
}

class DiskFile implements OpenFile {
  constructor(private readonly file: number) {}

  write(bytes: Uint8Array): void {
    // A disk that is nearly full takes a part, and says why at the next one.
    for (let at = 0; at < bytes.length; ) at += writeSync(this.file, bytes, at);
  }

  sync(): void {
    fsyncSync(this.file);
  }

  close(): void {
    closeSync(this.file);
  }
}

function readWhole(path: string, bytesMax = Number.POSITIVE_INFINITY): Uint8Array {
  const file = openRegularFile(path);
  try {
    const { size } = statSync(path);
    if (size > bytesMax) throw new Error(`it has ${size} bytes, more than ${bytesMax}`);
    return readFileSync(file);
  } finally {
    closeSync(file);
  }
}

function readPart(path: string, at: number, length: number): Uint8Array {
  const file = openRegularFile(path);
  try {
    const bytes = new Uint8Array(length);
    let have = 0;
    for (let count = -1; count !== 0 && have < length; have += count) {
      count = readSync(file, bytes, have, length - have, at + have);
    }
    return bytes.subarray(0, have);
  } finally {
    closeSync(file);
  }
}

function syncFile(path: string): void {
  const file = openSync(path, "r");
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

function factsOf(stat: Stats): FileFacts {
  const kind = stat.isFile() ? "file" : stat.isDirectory() ? "folder" : stat.isSymbolicLink() ? "link" : "other";
  const print = `${stat.ino} ${stat.size} ${stat.mtimeMs}`;
  const { uid, gid } = stat;
  return { kind, mode: stat.mode & MODE_BITS, uid, gid, bytes: stat.size, print, changedAt: stat.mtimeMs };
}

function unlessMissing<T>(ask: () => T): T | undefined {
  try {
    return ask();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ENOTDIR") return undefined;
    throw error;
  }
}
