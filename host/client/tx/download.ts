/** Fetches what a plan's info offers and compares it with its checksum. Nothing is kept: bytes are hashed as they come. */

import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { fileURLToPath } from "node:url";
import { toHex } from "../../bytes.js";
import { UpgradeError } from "../../errors.js";
import { type PlanUrl, parsePlanUrl } from "../../plan-info/plan-url.js";
import { decodeLossy } from "../../text.js";

const BINARY_BYTES_MAX = 2 ** 31;
const TEXT_BYTES_MAX = 1_048_576;
/** Without a byte for so long a download is given up. */
const IDLE_MILLIS = 30_000;

/** Hashes what a URL leads to and compares. @throws UpgradeError UPG_REMOTE_*, UPG_INVALID_PLAN_INFO */
export async function verifyDownload({ source, checksum }: PlanUrl): Promise<void> {
  const [algorithm, digest] = !checksum
    ? (["sha256", undefined] as const)
    : checksum.kind === "digest"
      ? ([checksum.algorithm, checksum.digest] as const)
      : await sumFrom(checksum.url, source);
  const hash = createHash(algorithm);
  for await (const part of bytesOf(source, BINARY_BYTES_MAX)) hash.update(part);
  const found = toHex(hash.digest());
  if (digest !== undefined && found !== digest) {
    throw new UpgradeError("UPG_INVALID_PLAN_INFO", `${source} has ${algorithm} ${found}, the plan says ${digest}`);
  }
}

/** The text that a URL leads to, compared with its checksum when it has one. @throws UpgradeError UPG_REMOTE_*, UPG_INVALID_PLAN_INFO */
export async function downloadText({ source, checksum }: PlanUrl): Promise<string> {
  const parts: Uint8Array[] = [];
  for await (const part of bytesOf(source, TEXT_BYTES_MAX)) parts.push(part);
  const bytes = Buffer.concat(parts);
  if (checksum?.kind === "digest") {
    const found = toHex(createHash(checksum.algorithm).update(bytes).digest());
    if (found !== checksum.digest) {
      throw new UpgradeError(
        "UPG_INVALID_PLAN_INFO",
        `${source} has ${checksum.algorithm} ${found}, not ${checksum.digest}`,
      );
    }
  }
  return decodeLossy(bytes);
}

const BY_LENGTH: Readonly<Record<number, string>> = { 32: "md5", 40: "sha1", 64: "sha256", 128: "sha512" };

/** The line of a sums file for a file's name: `<hex>  name` or `SHA256 (name) = <hex>`. */
async function sumFrom(url: string, source: string): Promise<readonly [algorithm: string, digest: string]> {
  const name = decodeURIComponent(source.split("?")[0]?.split("/").at(-1) ?? "");
  const text = await downloadText(parsePlanUrl(url, { checksumRequired: false }));
  for (const line of text.split("\n")) {
    const gnu = /^([0-9a-fA-F]{32,128})\s+\*?(.+?)\s*$/.exec(line);
    const bsd = /^[A-Z0-9]+ \((.+)\) = ([0-9a-fA-F]{32,128})\s*$/.exec(line);
    const [digest, file] = gnu ? [gnu[1], gnu[2]] : [bsd?.[2], bsd?.[1]];
    if (digest === undefined || file?.split("/").at(-1) !== name) continue;
    const algorithm = BY_LENGTH[digest.length];
    if (algorithm) return [algorithm, digest.toLowerCase()];
  }
  throw new UpgradeError("UPG_INVALID_PLAN_INFO", `${url} has no sum for ${name}`);
}

async function* bytesOf(source: string, bytesMax: number): AsyncGenerator<Uint8Array> {
  let size = 0;
  try {
    for await (const part of source.startsWith("file:") ? fileBytes(source) : webBytes(source)) {
      size += part.length;
      if (size > bytesMax)
        throw new UpgradeError("UPG_INVALID_PLAN_INFO", `${source} is longer than ${bytesMax} bytes`);
      yield part;
    }
  } catch (cause) {
    if (cause instanceof UpgradeError) throw cause;
    const error = cause as Error & { cause?: Error };
    const what = error.cause?.message || error.message;
    throw new UpgradeError("UPG_REMOTE_UNAVAILABLE", `cannot download ${source}: ${what}`, { cause });
  }
}

function fileBytes(source: string): AsyncIterable<Uint8Array> {
  return createReadStream(fileURLToPath(source.replace(/^file:\/\/localhost\//, "file:///")));
}

async function* webBytes(source: string): AsyncGenerator<Uint8Array> {
  const idle = new AbortController();
  const giveUp = () => idle.abort(new Error(`no byte for ${IDLE_MILLIS / 1_000} s`));
  let timer = setTimeout(giveUp, IDLE_MILLIS);
  try {
    const response = await fetch(source, { signal: idle.signal });
    if (!response.ok) throw new Error(`the server returned ${response.status}`);
    for await (const part of (response.body ?? []) as AsyncIterable<Uint8Array>) {
      clearTimeout(timer);
      timer = setTimeout(giveUp, IDLE_MILLIS);
      yield part;
    }
  } finally {
    clearTimeout(timer);
  }
}
