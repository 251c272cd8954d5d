/** The regular files and folders of an archive, as they are written: nothing else, nothing twice, and not more than was allowed. */
import { dirname, join } from "node:path";
import { UpgradeError } from "../../base/errors/errors.js";
import type { Files } from "../../base/files/files.js";
import { partsOf, refused } from "./entry-name.js";
import { Reserve } from "./reserve.js";

export interface TreeEntry {
  readonly name: string | Uint8Array;
  readonly kind: "file" | "folder";
  /** Permission bits, of which only "may be executed" counts. */
  readonly mode: number;
}

export interface TreeLimits {
  readonly bytesMax: number;
  readonly entriesMax: number;
  /** Looked at before each entry. */
  readonly signal: AbortSignal;
}

const FOLDER_MODE = 0o755;
const FILE_MODE = 0o644;
const EXECUTE = 0o111;

export class Tree {
  readonly #kinds = new Map<string, TreeEntry["kind"]>();
  #entries = 0;
  #bytes = 0;
  readonly #reserve: Reserve;

  constructor(
    private readonly files: Files,
    private readonly root: string,
    private readonly limits: TreeLimits,
  ) {
    this.#reserve = new Reserve(files, root);
    files.remove(root);
    files.makeFolder(root, FOLDER_MODE);
  }

  /** Below the root, with `/`, in the order they came. */
  get paths(): readonly string[] {
    return [...this.#kinds].filter(([, kind]) => kind === "file").map(([path]) => path);
  }

  /** One more of whatever an archive has, also what is not written. @throws UpgradeError UPG_INVALID_PLAN_INFO */
  count(): void {
    if (++this.#entries <= this.limits.entriesMax) return;
    throw tooMuch(`it has more than ${this.limits.entriesMax} entries`);
  }

  /** Bytes that are unpacked, also those that are not written. @throws UpgradeError UPG_INVALID_PLAN_INFO */
  countBytes(bytes: number): void {
    this.#bytes += bytes;
    if (this.#bytes > this.limits.bytesMax) throw tooMuch(`it unpacks to more than ${this.limits.bytesMax} bytes`);
  }

  /** @throws UpgradeError UPG_INVALID_PLAN_INFO; what the disk says; the signal's reason */
  async add(entry: TreeEntry, body: AsyncIterable<Uint8Array>): Promise<void> {
    // Many small files come in one piece: timers have their turn between them.
    await new Promise(setImmediate);
    this.limits.signal.throwIfAborted();
    const parts = partsOf(entry.name);
    const path = parts.join("/");
    if (entry.kind === "folder") {
      this.#claimFolders(parts);
      return;
    }
    if (parts.length === 0) throw refused(path, "a file must have a name");
    this.#claimFolders(parts.slice(0, -1));
    if (this.#kinds.has(path)) throw refused(path, "the archive has it twice");
    this.#kinds.set(path, "file");
    await this.#write(path, entry.mode & EXECUTE ? FILE_MODE | EXECUTE : FILE_MODE, body);
  }

  /** Makes all names durable; the files' bytes are. */
  sync(): void {
    for (const [path, kind] of this.#kinds) if (kind === "folder") this.files.syncFolder(join(this.root, path));
    this.files.syncFolder(this.root);
    this.files.syncFolder(dirname(this.root));
  }

  #claimFolders(parts: readonly string[]): void {
    for (let length = 1; length <= parts.length; length++) {
      const path = parts.slice(0, length).join("/");
      const kind = this.#kinds.get(path);
      if (kind === "file") throw refused(path, "the archive has it as a file and as a folder");
      if (kind) continue;
      this.#kinds.set(path, "folder");
      this.files.makeFolder(join(this.root, path), FOLDER_MODE);
    }
  }

  async #write(path: string, mode: number, body: AsyncIterable<Uint8Array>): Promise<void> {
    const file = this.files.open(join(this.root, path), "new", mode);
    try {
      for await (const piece of body) {
        this.countBytes(piece.length);
        this.#reserve.spend(piece.length);
        file.write(piece);
      }
      file.sync();
    } finally {
      file.close();
    }
  }
}

function tooMuch(why: string): UpgradeError {
  return new UpgradeError("UPG_INVALID_PLAN_INFO", `the archive is refused: ${why}`);
}
