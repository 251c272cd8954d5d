/** A request to a program of this machine that may be gone, slow, or another one than is expected. */

export interface FetchBounds {
  readonly millisMax: number;
  readonly bytesMax: number;
}

export interface Fetched {
  readonly status: number;
  readonly type: string;
  readonly body: Uint8Array;
}

/** Undefined: it does not respond in time, or with more than that. Redirects are not followed. */
export async function fetchBounded(url: string, { millisMax, bytesMax }: FetchBounds): Promise<Fetched | undefined> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(millisMax), redirect: "error" });
    const body = await readBounded(response, bytesMax);
    return body && { status: response.status, type: response.headers.get("content-type") ?? "", body };
  } catch {
    return undefined;
  }
}

async function readBounded({ body }: Response, bytesMax: number): Promise<Uint8Array | undefined> {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const part of body ?? []) {
    bytes += part.length;
    // Leaving the loop ends the connection.
    if (bytes > bytesMax) return undefined;
    parts.push(part);
  }
  return Buffer.concat(parts);
}
