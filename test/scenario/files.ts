/** The upgrade module's two files, in memory. A disk that refuses is played by `isRefusing`. */

import { UpgradeError } from "../../host/base/errors/errors.js";
import type { UpgradeFileName, UpgradeFiles } from "../../host/base/files/upgrade-files.js";
import { toHex, utf8 } from "../../host/base/text/bytes.js";

export class MemoryFiles implements UpgradeFiles {
  readonly #files = new Map<UpgradeFileName, Uint8Array>();
  /** What the disk refuses from now on. */
  isRefusing: { readonly read?: boolean; readonly write?: boolean } = {};
  /** Names written, in order. */
  readonly written: string[] = [];

  read(name: UpgradeFileName): Uint8Array | undefined {
    if (this.isRefusing.read) throw new UpgradeError("UPG_STORE_IO", `cannot read ${name}: EISDIR`);
    return this.#files.get(name);
  }

  write(name: UpgradeFileName, bytes: Uint8Array): void {
    if (this.isRefusing.write) throw new UpgradeError("UPG_STORE_IO", `cannot write ${name}: EROFS`);
    this.written.push(name);
    this.#files.set(name, bytes.slice());
  }

  remove(name: UpgradeFileName): void {
    this.#files.delete(name);
  }

  text(name: UpgradeFileName): string | undefined {
    const bytes = this.#files.get(name);
    return bytes && new TextDecoder().decode(bytes);
  }

  put(name: UpgradeFileName, content: string | Uint8Array): void {
    this.#files.set(name, typeof content === "string" ? utf8(content) : content);
  }

  /** For comparing. */
  get contents(): string[] {
    return [...this.#files].map(([name, bytes]) => `${name}=${toHex(bytes)}`);
  }
}
