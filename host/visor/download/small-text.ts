/** Texts that a plan leads to, in memory: a document, a file of sums. */
import { createHash } from "node:crypto";
import { isUpgradeError, messageOf, UpgradeError } from "../../base/errors/errors.js";
import type { Files } from "../../base/files/files.js";
import { toHex } from "../../base/text/bytes.js";
import { decodeLossy } from "../../base/text/text.js";
import { type PlanUrl, parsePlanUrl } from "../../upgrade/plan-info/plan-url.js";
import { piecesOf } from "./pieces.js";
import { type AttemptOptions, withAttempts } from "./retry.js";
import { sumOf } from "./sums.js";
import { pathOf, tooLong } from "./transfer.js";
import type { Web } from "./web.js";

export interface TextOptions extends AttemptOptions {
  readonly files: Files;
  readonly web: Web;
  /** Take md5 and sha1 too; default false. */
  readonly isWeakAllowed?: boolean;
}

/** What a file must hash to. */
export interface Digest {
  readonly algorithm: string;
  /** Lower-case hex. */
  readonly hex: string;
}

const BYTES_MAX = 1_048_576;

/** Compared with its checksum where it has one. @throws UpgradeError UPG_REMOTE_UNAVAILABLE, UPG_INVALID_PLAN_INFO */
export async function downloadText(url: PlanUrl, options: TextOptions): Promise<string> {
  const { source } = url;
  const digest = await digestOf(url, options);
  const bytes = await withAttempts(source, options, () =>
    collect(bytesOf(source, digest !== undefined, options), source),
  );
  if (digest) {
    const found = toHex(createHash(digest.algorithm).update(bytes).digest());
    if (found !== digest.hex) throw otherSum(source, digest, found);
  }
  const text = decodeLossy(bytes);
  if (text.trim() === "") throw new UpgradeError("UPG_INVALID_PLAN_INFO", `no content returned by "${source}"`);
  return text;
}

/** Of a checksum: in the plan itself, or in the file of sums that it names. @throws UpgradeError UPG_REMOTE_UNAVAILABLE, UPG_INVALID_PLAN_INFO */
export async function digestOf({ source, checksum }: PlanUrl, options: TextOptions): Promise<Digest | undefined> {
  if (!checksum) return undefined;
  if (checksum.kind === "digest") return { algorithm: checksum.algorithm, hex: checksum.digest };
  const sums = await downloadText(parsePlanUrl(checksum.url, { checksumRequired: false }), options);
  return sumOf(sums, { source, sumsUrl: checksum.url, isWeakAllowed: options.isWeakAllowed === true });
}

/** The text of Cosmovisor's downloader, in one line. */
export function otherSum(file: string, { algorithm, hex }: Digest, found: string): UpgradeError {
  return new UpgradeError(
    "UPG_INVALID_PLAN_INFO",
    `Checksums did not match for ${file}. Expected: ${hex} Got: ${found} (${algorithm})`,
  );
}

/** A URL's bytes as they come; an attempt is begun by the caller. @throws TryAgain; UpgradeError */
export async function* bytesOf(
  source: string,
  isPinned: boolean,
  { files, web, signal }: TextOptions,
): AsyncGenerator<Uint8Array> {
  if (!source.startsWith("file:")) {
    yield* (await web.get({ url: source, from: 0, validator: undefined, unless: undefined, isPinned, signal })).body;
    return;
  }
  try {
    yield* piecesOf(files, pathOf(source), signal);
  } catch (cause) {
    if (isUpgradeError(cause)) throw cause;
    const text = `could not download url "${source}": ${messageOf(cause)}`;
    throw new UpgradeError("UPG_REMOTE_UNAVAILABLE", text, { cause });
  }
}

async function collect(pieces: AsyncIterable<Uint8Array>, source: string): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const piece of pieces) {
    bytes += piece.length;
    if (bytes > BYTES_MAX) throw tooLong(source, BYTES_MAX);
    parts.push(piece);
  }
  return Buffer.concat(parts);
}
