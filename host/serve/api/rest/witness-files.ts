/** Witnesses of a home as REST serves them: each file is checked once, before its first byte is sent, and again when it changes. */
import { constants } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import type { Sha256 } from "../../../base/types/types.js";
import { CHECKED_PART_BYTES, WitnessFileCheck, type WitnessOf } from "../../../state/witness/file-check.js";

/** Files whose check is remembered; a chain has few upgrades. */
const FILES_MAX = 64;
/** A pipe in its place must not be waited for. */
const FLAGS = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

export interface FoundWitness {
  readonly handle: FileHandle;
  readonly bytes: number;
  readonly etag: string;
}

interface Checked {
  /** Changes when the file does. */
  readonly stamp: string;
  readonly isWhole: Promise<boolean>;
}

export class WitnessFiles {
  readonly #checked = new Map<string, Checked>();

  constructor(private readonly sha256: Sha256) {}

  /** Undefined: there is no such file, it is a link or no ordinary file, or no whole witness of this upgrade. */
  async find(file: string, of: WitnessOf): Promise<FoundWitness | undefined> {
    const handle = await open(file, FLAGS).catch(() => undefined);
    if (!handle) return undefined;
    const stat = await handle.stat({ bigint: true });
    const { ino, size, mtimeNs, ctimeNs, mtimeMs } = stat;
    const stamp = `${ino} ${size} ${mtimeNs} ${ctimeNs}`;
    const bytes = Number(size);
    if (stat.isFile() && (await this.#isWhole(file, stamp, () => isWhole(handle, bytes, of, this.sha256)))) {
      return { handle, bytes, etag: `"${size.toString(16)}-${mtimeMs.toString(16)}"` };
    }
    await handle.close();
    return undefined;
  }

  /** Who asks meanwhile waits for the same check. */
  #isWhole(file: string, stamp: string, check: () => Promise<boolean>): Promise<boolean> {
    const known = this.#checked.get(file);
    if (known?.stamp === stamp) return known.isWhole;
    const isWhole = check();
    this.#checked.delete(file);
    this.#checked.set(file, { stamp, isWhole });
    const [oldest] = this.#checked.keys();
    if (this.#checked.size > FILES_MAX && oldest !== undefined) this.#checked.delete(oldest);
    return isWhole;
  }
}

async function isWhole(handle: FileHandle, bytes: number, of: WitnessOf, sha256: Sha256): Promise<boolean> {
  try {
    const check = new WitnessFileCheck(of, bytes, sha256);
    for (let at = 0; at < bytes; ) {
      const part = new Uint8Array(Math.min(CHECKED_PART_BYTES, bytes - at));
      const { bytesRead } = await handle.read(part, 0, part.length, at);
      if (bytesRead < part.length) return false;
      check.take(part);
      at += part.length;
    }
    check.end();
    return true;
  } catch {
    return false;
  }
}
