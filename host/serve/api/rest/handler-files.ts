/** Handlers by their hash: the `.wasm` files of the node's folders, which may come and go while it runs. */
import { type FileHandle, readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { openRegularHandle } from "../../../base/files/open-file.js";
import { toHex } from "../../../base/text/bytes.js";
import { HANDLER_BYTES_MAX } from "../../../base/types/limits.js";
import type { Sha256 } from "../../../base/types/types.js";

/** Files that are looked at; folders of handlers have a few. */
const FILES_MAX = 256;
/** However often somebody asks for what is absent, the folders are read so often at most. */
const LOOK_MILLIS = 1_000;

interface Seen {
  /** Changes when the file does. */
  readonly stamp: string;
  /** Lower-case hex; "": it is too large for a handler, or cannot be read. */
  readonly hash: string;
}

export interface FoundFile {
  readonly handle: FileHandle;
  readonly bytes: number;
}

export class HandlerFiles {
  #seen = new Map<string, Seen>();
  #look: Promise<void> | undefined;
  #lookedAt = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly folders: readonly string[],
    private readonly sha256: Sha256,
  ) {}

  /** An open file with this hash; undefined: there is none. */
  async find(hash: string): Promise<FoundFile | undefined> {
    return (await this.#open(hash)) ?? ((await this.#lookAgain()) ? this.#open(hash) : undefined);
  }

  async #open(hash: string): Promise<FoundFile | undefined> {
    for (const [file, seen] of this.#seen) {
      if (seen.hash !== hash) continue;
      const handle = await openRegularHandle(file).catch(() => undefined);
      if (!handle) continue;
      const { size, stamp } = await stampOf(handle);
      if (stamp === seen.stamp) return { handle, bytes: size };
      await handle.close();
    }
    return undefined;
  }

  /** False: they were looked at a moment ago. */
  async #lookAgain(): Promise<boolean> {
    if (!this.#look && performance.now() - this.#lookedAt < LOOK_MILLIS) return false;
    this.#look ??= this.#lookAll().finally(() => {
      this.#look = undefined;
      this.#lookedAt = performance.now();
    });
    await this.#look;
    return true;
  }

  async #lookAll(): Promise<void> {
    const seen = new Map<string, Seen>();
    for (const folder of new Set(this.folders)) {
      const names = await readdir(folder).catch(() => []);
      for (const name of names.filter((each) => each.endsWith(".wasm")).sort()) {
        if (seen.size >= FILES_MAX) break;
        const file = join(folder, name);
        const found = await this.#lookAt(file);
        if (found) seen.set(file, found);
      }
    }
    this.#seen = seen;
  }

  async #lookAt(file: string): Promise<Seen | undefined> {
    const before = this.#seen.get(file);
    const now = await stat(file, { bigint: true }).catch(() => undefined);
    if (now && before?.stamp === stampText(now)) return before;
    const handle = await openRegularHandle(file).catch(() => undefined);
    if (!handle) return undefined;
    try {
      const { size, stamp } = await stampOf(handle);
      if (size > HANDLER_BYTES_MAX) return { stamp, hash: "" };
      const bytes = new Uint8Array(size);
      const { bytesRead } = await handle.read(bytes, 0, size, 0);
      return { stamp, hash: bytesRead === size ? toHex(this.sha256(bytes)) : "" };
    } catch {
      return undefined;
    } finally {
      await handle.close();
    }
  }
}

async function stampOf(handle: FileHandle): Promise<{ readonly size: number; readonly stamp: string }> {
  const now = await handle.stat({ bigint: true });
  return { size: Number(now.size), stamp: stampText(now) };
}

interface Stamped {
  readonly mtimeNs: bigint;
  readonly ctimeNs: bigint;
  readonly size: bigint;
  readonly ino: bigint;
}

const stampText = ({ mtimeNs, ctimeNs, size, ino }: Stamped) => `${mtimeNs} ${ctimeNs} ${size} ${ino}`;
