/** What any download has: a part, a time in which it must come, connections that are closed after it; its errors have codes. */
import { isUpgradeError, UpgradeError } from "../../base/errors/errors.js";
import type { Files } from "../../base/files/files.js";
import { Part, partFolderOf } from "./part.js";
import { isLasting } from "./refusal.js";
import type { AttemptOptions } from "./retry.js";
import { Web } from "./web.js";

/** How far any download may go, and who hears of it. */
export interface FetchBounds extends AttemptOptions {
  readonly files: Files;
  /** The result; it is fetched to a folder beside it. */
  readonly folder: string;
  /** Where it is fetched to instead. Two processes that fetch the same plan need two. */
  readonly part?: string;
  /** Of the download, and of all that is unpacked of it. */
  readonly bytesMax: number;
  readonly millisMax: number;
  /** Without a byte. */
  readonly stallMillis: number;
  readonly onProgress: (done: number, total: number | undefined) => void;
}

export type Fetching<O> = O & { readonly web: Web };

/** Of a timer of Node. */
const TIMER_MILLIS_MAX = 2 ** 31 - 1;

/** Runs one download. @throws UpgradeError UPG_REMOTE_UNAVAILABLE: no time is left; UPG_STORE_FULL, UPG_STORE_IO; what `work` throws */
export async function fetching<O extends FetchBounds, T>(
  options: O,
  work: (part: Part, inner: Fetching<O>) => Promise<T>,
): Promise<T> {
  const { files, folder, millisMax, stallMillis } = options;
  const timeout = new AbortController();
  const late = new Error(`it took longer than ${millisMax / 1_000} s`);
  const timer = setTimeout(() => timeout.abort(late), Math.min(millisMax, TIMER_MILLIS_MAX));
  const signal = AbortSignal.any([options.signal, timeout.signal]);
  const web = new Web(stallMillis);
  const part = new Part(files, options.part ?? partFolderOf(folder));
  try {
    return await work(part, { ...options, web, signal });
  } catch (error) {
    const known = asUpgradeError(error, signal);
    giveBack(part, known, options.log);
    throw known;
  } finally {
    clearTimeout(timer);
    await web.close();
  }
}

/** Of what the same download may not have at the next run: a server, the disk, a tool that is not installed yet. */
const PASSING: ReadonlySet<string> = new Set(["UPG_REMOTE_UNAVAILABLE", "UPG_STORE_IO", "UPG_NOT_FOUND_FILE"]);

/** The room that a download had: the node needs it more than what is refused, or than a disk that is full. */
function giveBack(part: Part, error: unknown, log: FetchBounds["log"]): void {
  if (isUpgradeError(error) && PASSING.has(error.code)) part.leaveQuietly(log);
  else part.removeQuietly(log);
  part.keepRefusal(log);
}

/** Runs what fetches and checks one file. An error that the same bytes cause again is remembered with the part. */
export async function judged<T>(part: Part, judgedBy: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (isUpgradeError(error) && isLasting(error.code)) part.refuse(judgedBy, error.code, error.message);
    throw error;
  }
}

function asUpgradeError(error: unknown, signal: AbortSignal): unknown {
  if (isUpgradeError(error)) return error;
  const { code = "", message } = error as NodeJS.ErrnoException;
  if (signal.aborted) return new UpgradeError("UPG_REMOTE_UNAVAILABLE", `the download was ended: ${message}`);
  if (!/^E[A-Z0-9]+$/.test(code)) return error;
  const isFull = code === "ENOSPC" || code === "EDQUOT";
  return new UpgradeError(isFull ? "UPG_STORE_FULL" : "UPG_STORE_IO", `the download cannot be written: ${message}`, {
    cause: error,
  });
}
