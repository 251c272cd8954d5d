/** Requests with an end: a time for each, and no more bytes than are expected. */

/** A server that is busy with an upgrade may take a while. */
const MILLIS_MAX = 15_000;
/** Of one response in JSON; a set of 10,000 validators is far smaller. */
const JSON_BYTES_MAX = 8 * 1_024 * 1_024;

/** @throws Error when there is no such response in time */
export async function fetchJson(url: string): Promise<unknown> {
  const response = await asked(url);
  // CometBFT returns its errors with 500 and a body in JSON.
  const bytes = await bytesOf(response, JSON_BYTES_MAX);
  if (!response.ok && !/json/.test(response.headers.get("content-type") ?? "")) throw new Error(statusWords(response));
  return JSON.parse(new TextDecoder().decode(bytes));
}

/** Bytes of a file, before it is fetched; undefined: there is none. */
export async function fileSize(url: string): Promise<number | undefined> {
  const response = await asked(url, { method: "HEAD" });
  const length = Number(response.headers.get("content-length") ?? Number.NaN);
  return response.ok && Number.isSafeInteger(length) ? length : undefined;
}

/** @param bytesMax what was shown to the reader @throws Error when the file is larger, or cannot be had */
export async function fetchFile(url: string, bytesMax: number): Promise<Uint8Array> {
  const response = await fetch(url, { credentials: "omit" });
  if (!response.ok) throw new Error(statusWords(response));
  return bytesOf(response, bytesMax);
}

function asked(url: string, init: RequestInit = {}): Promise<Response> {
  return fetch(url, { credentials: "omit", cache: "no-store", signal: AbortSignal.timeout(MILLIS_MAX), ...init });
}

function statusWords({ status, url }: Response): string {
  return `${new URL(url).pathname} returned status ${status}`;
}

/** Bytes of a body, part by part, so that an endless one ends. */
async function bytesOf(response: Response, bytesMax: number): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  let length = 0;
  const reader = response.body?.getReader();
  for (let part = await reader?.read(); part && !part.done; part = await reader?.read()) {
    length += part.value.length;
    if (length > bytesMax) {
      await reader?.cancel();
      throw new Error(`the response is larger than ${bytesMax} bytes`);
    }
    parts.push(part.value);
  }
  const bytes = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}
