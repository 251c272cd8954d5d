/** Requests with an end: a time for each, and no more bytes than are expected. */
import { Deadline, until } from "./deadline.js";

/** A server that is busy with an upgrade may take a while. */
const MILLIS_MAX = 15_000;
/** Of one response in JSON; a set of 10,000 validators is far smaller. */
const JSON_BYTES_MAX = 8 * 1_024 * 1_024;
/** A file may take longer: half a megabit a second is what a slow phone has. */
const BYTES_PER_MILLI_MIN = 64;
/** No cookie, and no other server than the one that the reader sees the name of. */
const QUIET = { credentials: "omit", redirect: "error" } as const;

/** @throws Error when there is no such response in time */
export function fetchJson(url: string): Promise<unknown> {
  return within(MILLIS_MAX, undefined, async (signal) => {
    const response = await fetch(url, { ...QUIET, cache: "no-store", signal });
    // CometBFT returns its errors with 500 and a body in JSON.
    const bytes = await bytesOf(response, JSON_BYTES_MAX, signal);
    if (!response.ok && !/json/.test(response.headers.get("content-type") ?? ""))
      throw new Error(statusWords(response));
    return jsonOf(bytes);
  });
}

function jsonOf(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    // The engine's own message repeats parts of the response.
    throw new Error("the response is not JSON");
  }
}

/** Bytes of a file, before it is fetched; undefined: there is none. */
export function fileSize(url: string): Promise<number | undefined> {
  return within(MILLIS_MAX, undefined, async (signal) => {
    const response = await fetch(url, { method: "HEAD", ...QUIET, cache: "no-store", signal });
    const length = Number(response.headers.get("content-length") ?? Number.NaN);
    return response.ok && Number.isSafeInteger(length) ? length : undefined;
  });
}

export interface FileOptions {
  /** What was shown to the reader. */
  readonly bytesMax: number;
  readonly signal: AbortSignal;
  readonly onBytes: (bytes: number) => void;
  /** Its hash, which the browser compares. */
  readonly integrity?: string;
}

/** @throws Error when the file is larger, does not arrive in time, or cannot be had */
export function fetchFile(
  url: string,
  { bytesMax, signal, onBytes, integrity = "" }: FileOptions,
): Promise<Uint8Array> {
  return within(MILLIS_MAX + bytesMax / BYTES_PER_MILLI_MIN, signal, async (own) => {
    const response = await fetch(url, { ...QUIET, signal: own, integrity });
    if (!response.ok) throw new Error(statusWords(response));
    return await bytesOf(response, bytesMax, own, onBytes);
  });
}

async function within<T>(millis: number, parent: AbortSignal | undefined, work: (signal: AbortSignal) => Promise<T>) {
  const seconds = Math.ceil(millis / 1_000);
  const deadline = new Deadline(millis, `the server did not send it within ${seconds} s`, parent);
  // A browser may report its own error, or go on reading, where the signal has the reason.
  return await until(deadline.signal, work(deadline.signal)).finally(() => deadline.end());
}

function statusWords({ status, url }: Response): string {
  return `${new URL(url).pathname} returned status ${status}`;
}

/** Bytes of a body, part by part, so that an endless one ends. */
async function bytesOf(
  response: Response,
  bytesMax: number,
  signal: AbortSignal,
  onBytes: (bytes: number) => void = () => undefined,
): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  let length = 0;
  const reader = response.body?.getReader();
  for (let part = await reader?.read(); part && !part.done; part = await reader?.read()) {
    length += part.value.length;
    if (length > bytesMax) {
      await reader?.cancel();
      throw new Error(`the response is larger than ${bytesMax} bytes`);
    }
    // The one who waited has gone, and got the reason.
    if (signal.aborted) return new Uint8Array();
    parts.push(part.value);
    onBytes(length);
  }
  const bytes = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}
