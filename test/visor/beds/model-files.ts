/** The port of files over the model's disk, as one process has it: its calls are counted, and one of them may fail or be its last. */
import type { FileFacts, Files, OpenFile } from "../../../host/base/files/files.js";
import { type Inode, type ModelDisk, systemError } from "./model-disk.js";

/** As they are counted and hit. */
export const FILE_CALLS = [
  ...[
    "facts",
    "linkFacts",
    "readLink",
    "read",
    "readPart",
    "list",
    "makeFolder",
    "open new",
    "open append",
    "write",
    "sync",
    "close",
  ],
  ...["rename", "remove", "symlink", "chmod", "copy", "syncFolder", "syncFile", "freeBytes", "tryWrite"],
] as const;
export type FileCall = (typeof FILE_CALLS)[number];

/** What happens at a call: an error instead of it, or the process is gone before, in the middle of or after it. */
export interface Interference {
  readonly error?: string;
  readonly crash?: "before" | "middle" | "after";
}

/** Asked before each call. @throws Dead when the process is gone */
type Interfere = (call: FileCall, path: string) => Interference | undefined;

export interface ModelFilesOptions {
  readonly disk: ModelDisk;
  readonly interfere: Interfere;
  /** The process is gone: throws. */
  readonly die: () => never;
  readonly sleep: (millis: number) => Promise<void>;
  readonly bytesMax: number;
}

const DEFAULT_MODE = 0o644;
const FOLDER_MODE = 0o755;
const COPY_MILLIS = 20;
const FREE_BYTES = 100_000_000_000;

export class ModelFiles implements Files {
  readonly #disk: ModelDisk;

  constructor(private readonly options: ModelFilesOptions) {
    this.#disk = options.disk;
  }

  facts(path: string): FileFacts | undefined {
    return this.#call("facts", path, () => factsOf(this.#disk.find(path, true)));
  }

  linkFacts(path: string): FileFacts | undefined {
    return this.#call("linkFacts", path, () => factsOf(this.#disk.find(path, false)));
  }

  readLink(path: string): string {
    return this.#call("readLink", path, () => {
      const inode = this.#required(path, false);
      if (inode.kind !== "link") throw systemError("EINVAL", path);
      return new TextDecoder().decode(inode.bytes);
    });
  }

  read(path: string, bytesMax = Number.POSITIVE_INFINITY): Uint8Array | undefined {
    return this.#call("read", path, () => {
      const inode = this.#disk.find(path, true);
      if (!inode) return undefined;
      if (inode.kind !== "file") throw systemError("EISDIR", path);
      if (inode.bytes.length > bytesMax) throw new Error(`${path} has more than ${bytesMax} bytes`);
      return inode.bytes.slice();
    });
  }

  readPart(path: string, at: number, length: number): Uint8Array {
    return this.#call("readPart", path, () => {
      const inode = this.#required(path, true);
      if (inode.kind !== "file") throw systemError("EISDIR", path);
      return inode.bytes.slice(at, at + length);
    });
  }

  list(path: string): readonly string[] | undefined {
    return this.#call("list", path, () => {
      const inode = this.#disk.find(path, true);
      if (inode && inode.kind !== "folder") return undefined;
      return inode && [...inode.names.keys()].sort();
    });
  }

  makeFolder(path: string, mode = FOLDER_MODE): void {
    this.#call("makeFolder", path, () => this.#makeFolder(path, mode));
  }

  #makeFolder(path: string, mode: number): void {
    const found = this.#disk.find(path, true);
    if (found?.kind === "folder") return;
    if (found) throw systemError("EEXIST", path);
    const above = path.slice(0, path.lastIndexOf("/"));
    if (above !== "") this.#makeFolder(above, mode);
    this.#disk.change({ ...this.#disk.folderOf(path), inode: this.#disk.make("folder", mode) });
  }

  open(path: string, how: "new" | "append", mode: number): OpenFile {
    const inode = this.#call(`open ${how}`, path, () => {
      const found = this.#disk.find(path, true);
      if (found && how === "new") throw systemError("EEXIST", path);
      if (found && found.kind !== "file") throw systemError("EISDIR", path);
      if (found) return found;
      const made = this.#disk.make("file", mode);
      this.#disk.change({ ...this.#disk.folderOf(path), inode: made });
      return made;
    });
    return this.#opened(path, inode);
  }

  #opened(path: string, inode: Inode): OpenFile {
    const append = (bytes: Uint8Array) => {
      const whole = new Uint8Array(inode.bytes.length + bytes.length);
      whole.set(inode.bytes);
      whole.set(bytes, inode.bytes.length);
      if (whole.length > this.options.bytesMax) throw systemError("EFBIG", path);
      this.#disk.write(inode, whole);
    };
    return {
      // A disk that refuses, and a process that dies, may have taken a part.
      write: (bytes) =>
        this.#call(
          "write",
          path,
          () => append(bytes),
          () => append(bytes.subarray(0, bytes.length >> 1)),
        ),
      sync: () => this.#call("sync", path, () => this.#disk.syncFile(inode)),
      close: () => this.#call("close", path, () => undefined),
    };
  }

  rename(from: string, to: string): void {
    this.#call("rename", to, () => {
      const inode = this.#required(from, false);
      const target = this.#disk.folderOf(to);
      const there = target.folder.names.get(target.name);
      if (there?.kind === "folder" && (inode.kind !== "folder" || there.names.size > 0))
        throw systemError("ENOTEMPTY", to);
      if (there && there.kind !== "folder" && inode.kind === "folder") throw systemError("ENOTDIR", to);
      this.#disk.change({ ...this.#disk.folderOf(from), inode: undefined }, { ...target, inode });
    });
  }

  remove(path: string): void {
    const half = () => {
      const inode = this.#disk.find(path, false);
      const [first] = inode?.names.keys() ?? [];
      if (inode && first !== undefined) this.#disk.change({ folder: inode, name: first, inode: undefined });
    };
    this.#call("remove", path, () => this.#remove(path), half);
  }

  #remove(path: string): void {
    const inode = this.#disk.find(path, false);
    if (!inode) return;
    for (const name of [...inode.names.keys()]) this.#remove(`${path}/${name}`);
    this.#disk.change({ ...this.#disk.folderOf(path), inode: undefined });
  }

  symlink(target: string, path: string): void {
    this.#call("symlink", path, () => {
      const place = this.#disk.folderOf(path);
      if (place.folder.names.has(place.name)) throw systemError("EEXIST", path);
      this.#disk.change({ ...place, inode: this.#disk.make("link", 0o777, new TextEncoder().encode(target)) });
    });
  }

  chmod(path: string, mode: number): void {
    this.#call("chmod", path, () => {
      this.#required(path, true).mode = mode;
    });
  }

  async copy(from: string, to: string): Promise<void> {
    await this.options.sleep(COPY_MILLIS);
    const copied = (part: number) => {
      const source = this.#required(from, true);
      if (source.kind !== "file") throw systemError("EISDIR", from);
      const place = this.#disk.folderOf(to);
      if (place.folder.names.has(place.name)) throw systemError("EEXIST", to);
      const made = this.#disk.make("file", source.mode);
      this.#disk.change({ ...place, inode: made });
      this.#disk.write(made, source.bytes.slice(0, source.bytes.length * part));
    };
    this.#call(
      "copy",
      to,
      () => copied(1),
      () => copied(0.5),
    );
  }

  syncFolder(path: string): void {
    this.#call("syncFolder", path, () => this.#disk.syncFolder(this.#required(path, true)));
  }

  syncFile(path: string): void {
    this.#call("syncFile", path, () => this.#disk.syncFile(this.#required(path, true)));
  }

  freeBytes(path: string): number {
    return this.#call("freeBytes", path, () => {
      this.#required(path, true);
      return FREE_BYTES;
    });
  }

  freeFiles(): undefined {
    return undefined;
  }

  tryWrite(path: string): void {
    this.#call("tryWrite", path, () => void this.#required(path, true));
  }

  #required(path: string, isFollowed: boolean): Inode {
    const inode = this.#disk.find(path, isFollowed);
    if (!inode) throw systemError("ENOENT", path);
    return inode;
  }

  /** @param half what is done of it when it is interrupted in the middle */
  #call<T>(call: FileCall, path: string, work: () => T, half: () => void = () => undefined): T {
    const { error, crash } = this.options.interfere(call, path) ?? {};
    if (error !== undefined) {
      if (call === "write" || call === "copy") half();
      throw systemError(error, path);
    }
    if (crash === "before") return this.options.die();
    if (crash === "middle") {
      half();
      return this.options.die();
    }
    const result = work();
    return crash === "after" ? this.options.die() : result;
  }
}

function factsOf(inode: Inode | undefined): FileFacts | undefined {
  if (!inode) return undefined;
  const { id, kind, mode, bytes, changedAt } = inode;
  return { kind, mode, bytes: bytes.length, print: `${id} ${bytes.length} ${changedAt}`, changedAt };
}

/** For what prepares a disk: nothing fails. */
export function calmFiles(disk: ModelDisk, mode = DEFAULT_MODE) {
  const files = new ModelFiles({
    ...{ disk, interfere: () => undefined, bytesMax: Number.MAX_SAFE_INTEGER, sleep: () => Promise.resolve() },
    die: () => {
      throw new Error("nothing dies here");
    },
  });
  return Object.assign(files, {
    put(path: string, content: string | Uint8Array, fileMode = mode): void {
      files.makeFolder(path.slice(0, path.lastIndexOf("/")));
      files.remove(path);
      const file = files.open(path, "new", fileMode);
      file.write(typeof content === "string" ? new TextEncoder().encode(content) : content);
      file.close();
    },
    text: (path: string): string | undefined => {
      const bytes = files.read(path);
      return bytes && new TextDecoder().decode(bytes);
    },
  });
}
