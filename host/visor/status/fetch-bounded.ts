/** A request to a program of this machine that may be gone, slow, or another one than is expected. */
import { readBounded } from "../../base/files/read-bounded.js";

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
