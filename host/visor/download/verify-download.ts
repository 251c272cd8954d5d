/** Fetches what a plan's info offers and compares it with its checksum. Nothing is kept: bytes are hashed as they come. */
import { createHash } from "node:crypto";
import { diskFiles } from "../../base/files/disk-files.js";
import { toHex } from "../../base/text/bytes.js";
import type { PlanUrl } from "../../upgrade/plan-info/plan-url.js";
import { archiveOf } from "./archive-kind.js";
import { withAttempts } from "./retry.js";
import { bytesOf, digestOf, downloadText, otherSum, type TextOptions } from "./small-text.js";
import { tooLong } from "./transfer.js";
import { Web } from "./web.js";

const BYTES_MAX = 2 ** 31;
const STALL_MILLIS = 30_000;
/** Somebody waits for it. */
const ATTEMPTS_MAX = 2;

export class Downloads {
  readonly #web = new Web(STALL_MILLIS);
  readonly #options: TextOptions;

  /** @param isWeakAllowed takes md5 and sha1 of a file of sums too */
  constructor(isWeakAllowed: boolean) {
    const { signal } = new AbortController();
    const log = () => undefined;
    this.#options = { files: diskFiles, web: this.#web, attemptsMax: ATTEMPTS_MAX, isWeakAllowed, signal, log };
  }

  /** Compared with its checksum where it has one. @throws UpgradeError UPG_REMOTE_UNAVAILABLE, UPG_INVALID_PLAN_INFO */
  text(url: PlanUrl): Promise<string> {
    return downloadText(url, this.#options);
  }

  /** Hashes what a URL leads to and compares. @throws UpgradeError UPG_REMOTE_UNAVAILABLE, UPG_INVALID_PLAN_INFO */
  async verify(plan: PlanUrl): Promise<void> {
    const { url } = archiveOf(plan.source);
    const digest = await digestOf(plan, this.#options);
    const found = await withAttempts(url, this.#options, async () => {
      const hash = createHash(digest?.algorithm ?? "sha256");
      let bytes = 0;
      for await (const piece of bytesOf(url, digest !== undefined, this.#options)) {
        bytes += piece.length;
        if (bytes > BYTES_MAX) throw tooLong(url, BYTES_MAX);
        hash.update(piece);
      }
      return toHex(hash.digest());
    });
    if (digest && found !== digest.hex) throw otherSum(url, digest, found);
  }

  close(): Promise<void> {
    return this.#web.close();
  }
}
