/** What any download has: a part, a time in which it must come, connections that are closed after it; its errors have codes. */
import { isUpgradeError, UpgradeError } from "../errors.js";
import type { Files } from "../programs/files.js";
import { Part, partFolderOf } from "./part.js";
import type { AttemptOptions } from "./try-again.js";
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
    throw asUpgradeError(error, part, signal, options.log);
  } finally {
    clearTimeout(timer);
    await web.close();
  }
}

/** A disk that is full is given back what the download had of it: the node needs it more. */
function asUpgradeError(error: unknown, part: Part, signal: AbortSignal, log: FetchBounds["log"]): unknown {
  if (isUpgradeError(error) && error.code !== "UPG_STORE_FULL") return error;
  const { code = "", message } = error as NodeJS.ErrnoException;
  const isFull = isUpgradeError(error) || code === "ENOSPC" || code === "EDQUOT";
  if (isFull) part.removeQuietly(log);
  if (isUpgradeError(error)) return error;
  if (signal.aborted) return new UpgradeError("UPG_REMOTE_UNAVAILABLE", `the download was ended: ${message}`);
  if (!/^E[A-Z0-9]+$/.test(code)) return error;
  return new UpgradeError(isFull ? "UPG_STORE_FULL" : "UPG_STORE_IO", `the download cannot be written: ${message}`, {
    cause: error,
  });
}
