/** A file of a URL, whole, in its part: resumed where the server lets it, within bounds of bytes and time. */
import { fileURLToPath } from "node:url";
import { isUpgradeError, messageOf, UpgradeError } from "../../base/errors/errors.js";
import type { Files } from "../../base/files/files.js";
import type { Part } from "./part.js";
import { piecesOf } from "./pieces.js";
import type { Refusal } from "./refusal.js";
import { requireFree } from "./reserve.js";
import { type AttemptOptions, TryAgain, withAttempts } from "./retry.js";
import { OtherRange, Unchanged, type Web, type WebResponse } from "./web.js";

export interface TransferOptions extends AttemptOptions {
  readonly files: Files;
  readonly web: Web;
  /** As it is requested. */
  readonly url: string;
  /** What comes is compared with a digest. */
  readonly isPinned: boolean;
  /** All that the file is judged by. A file refused by the same is not fetched again until it changes on the server. */
  readonly judgedBy: string;
  readonly bytesMax: number;
  readonly onProgress: (done: number, total: number | undefined) => void;
}

/** @throws UpgradeError UPG_REMOTE_UNAVAILABLE, UPG_INVALID_PLAN_INFO, UPG_STORE_FULL; what the disk says */
export async function transfer(part: Part, options: TransferOptions): Promise<void> {
  const { url, isPinned, judgedBy } = options;
  part.take(url, isPinned, judgedBy);
  const attempt = () => (url.startsWith("file:") ? copyFile(part, options) : fetchRest(part, options));
  try {
    await withAttempts(url, options, attempt, () => part.bytes);
    if (part.bytes === 0) throw new UpgradeError("UPG_INVALID_PLAN_INFO", `the download is empty: ${url} has no bytes`);
  } finally {
    part.end(false);
  }
}

async function fetchRest(part: Part, options: TransferOptions): Promise<void> {
  const { web, url, isPinned, signal, bytesMax } = options;
  const { bytes: had, facts, refusal } = part;
  if (facts?.total !== undefined && had === facts.total) return part.end(true);
  const from = isPinned || facts?.validator !== undefined ? had : 0;
  try {
    const response = await web.get({
      url,
      from,
      validator: facts?.validator,
      isPinned,
      unless: refusal?.revision,
      signal,
    });
    const { total, validator, revision } = response;
    if (response.from > 0) requireSame(response, part);
    else part.restart({ url, total, validator, revision });
    requireRoom(part, response.total, options);
    for await (const piece of response.body) {
      if (part.bytes + piece.length > bytesMax) throw tooLong(url, bytesMax);
      part.append(piece);
      options.onProgress(part.bytes, response.total);
    }
    requireWhole(part, response.total);
    part.end(true);
  } catch (error) {
    if (error instanceof OtherRange) part.restart(undefined);
    if (error instanceof Unchanged && refusal) throw stillRefused(refusal);
    throw error;
  } finally {
    part.end(false);
  }
}

function stillRefused({ code, message }: Refusal): UpgradeError {
  return new UpgradeError(code, `${message} (not fetched again: the file on the server has not changed since)`);
}

/** A server may ignore the condition that a part was asked for with. */
function requireSame(response: WebResponse, { facts }: Part): void {
  const isSame =
    (facts?.validator === undefined || response.validator === undefined || facts.validator === response.validator) &&
    (facts?.total === undefined || response.total === undefined || facts.total === response.total);
  if (!isSame) throw new OtherRange("the file on the server has changed meanwhile");
}

function requireWhole(part: Part, total: number | undefined): void {
  if (total === undefined || part.bytes === total) return;
  if (part.bytes > total) throw new OtherRange(`${part.bytes} bytes came, of ${total}`);
  throw new TryAgain(`it ended after ${part.bytes} of ${total} bytes`);
}

/** Before anything is written: a full disk stops the node as well. */
function requireRoom(part: Part, total: number | undefined, { url, files, bytesMax }: TransferOptions): void {
  if (total === undefined) return;
  if (total > bytesMax) throw tooLong(url, bytesMax);
  const free = files.facts(part.folder) ? files.freeBytes(part.folder) : Number.POSITIVE_INFINITY;
  requireFree(free, total - part.bytes, part.folder, url);
}

async function copyFile(part: Part, options: TransferOptions): Promise<void> {
  const { url, files, signal, bytesMax, onProgress } = options;
  const path = await reading(url, async () => pathOf(url));
  const total = await reading(url, async () => files.facts(path)?.bytes);
  part.restart({ url, total, validator: undefined, revision: undefined });
  requireRoom(part, total, options);
  const pieces = piecesOf(files, path, signal);
  for (;;) {
    const { value, done } = await reading(url, () => pieces.next());
    if (done) break;
    if (part.bytes + value.length > bytesMax) throw tooLong(url, bytesMax);
    part.append(value);
    onProgress(part.bytes, total);
  }
  part.end(true);
}

/** The path of a `file:` URL, which has no host or this machine. */
export function pathOf(url: string): string {
  const [bare = ""] = url.split("?", 1);
  return fileURLToPath(bare.replace(/^file:\/\/localhost\//, "file:///"));
}

/** What a source refuses is no failure of the disk that is written to. */
async function reading<T>(url: string, read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (cause) {
    if (isUpgradeError(cause)) throw cause;
    throw new UpgradeError("UPG_REMOTE_UNAVAILABLE", `could not download url "${url}": ${messageOf(cause)}`, { cause });
  }
}

export function tooLong(url: string, bytesMax: number): UpgradeError {
  return new UpgradeError("UPG_INVALID_PLAN_INFO", `${url} is longer than ${bytesMax} bytes`);
}
