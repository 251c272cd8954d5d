/** What a download leaves free on its disk, whatever a server sends: the node needs room for its blocks. */
import { UpgradeError } from "../../base/errors/errors.js";
import type { Files } from "../../base/files/files.js";

export const RESERVE_BYTES = 64 * 1_048_576;
/** Between two looks at the disk, of which others take as well. */
const STEP_BYTES = 8 * 1_048_576;

export class Reserve {
  /** That may be written before the next look. */
  #allowed = 0;

  /** @param folder once it is there, on the file system that is written to */
  constructor(
    private readonly files: Files,
    private readonly folder: string,
  ) {}

  /** Before so many bytes are written. @throws UpgradeError UPG_STORE_FULL */
  spend(bytes: number): void {
    if (bytes > this.#allowed) {
      const free = this.files.facts(this.folder) ? this.files.freeBytes(this.folder) : Number.POSITIVE_INFINITY;
      requireFree(free, bytes, this.folder);
      this.#allowed = Math.max(bytes, Math.min(STEP_BYTES, free - RESERVE_BYTES));
    }
    this.#allowed -= bytes;
  }
}

/** @throws UpgradeError UPG_STORE_FULL */
export function requireFree(free: number, bytes: number, folder: string, what = "the download"): void {
  if (free >= bytes + RESERVE_BYTES) return;
  throw new UpgradeError(
    "UPG_STORE_FULL",
    `${what} needs ${bytes} bytes more in ${folder}, and a reserve of ${RESERVE_BYTES}: ${free} are free`,
  );
}
