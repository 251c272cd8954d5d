/** Asks the sidecar of this home for its status, at its socket. */
import { request } from "node:http";
import { decodeLossy } from "../../base/text/text.js";
import type { VisorStatus } from "../decide/status.js";

const JSON_BYTES_MAX = 4 * 1_048_576;
/** A machine that makes an upgrade's block may have no time for others. */
const MILLIS_MAX = 15_000;

export interface Asked {
  readonly status: VisorStatus;
  readonly etag: string;
}

export interface AskOptions {
  readonly socket: string;
  /** Of the status that is known: the response comes when there is another one, or after `waitSeconds`. */
  readonly etag?: string;
  readonly waitSeconds?: number;
  readonly signal?: AbortSignal;
}

/** Undefined: no sidecar runs there, or it does not respond. */
export function askStatus({ socket, etag, waitSeconds = 0, signal }: AskOptions): Promise<Asked | undefined> {
  return new Promise((resolve) => {
    const nothing = () => resolve(undefined);
    const headers = etag === undefined ? {} : { "if-none-match": etag };
    const millis = MILLIS_MAX + waitSeconds * 1_000;
    const asked = request(
      // A connection that is kept may be to the sidecar before this one.
      { socketPath: socket, agent: false, path: `/status?wait=${waitSeconds}`, headers, ...(signal ? { signal } : {}) },
      (response) => {
        const parts: Buffer[] = [];
        let bytes = 0;
        response.on("data", (part: Buffer) => {
          bytes += part.length;
          if (bytes > JSON_BYTES_MAX) asked.destroy();
          else parts.push(part);
        });
        response.on("error", nothing);
        response.on("close", nothing);
        response.on("end", () => resolve(read(response.statusCode, Buffer.concat(parts), response.headers.etag)));
      },
    );
    asked.setTimeout(millis, () => asked.destroy());
    asked.on("error", nothing);
    asked.end();
  });
}

function read(code: number | undefined, body: Uint8Array, etag = ""): Asked | undefined {
  try {
    const status = JSON.parse(decodeLossy(body)) as VisorStatus;
    return code === 200 && status.v === 1 ? { status, etag } : undefined;
  } catch {
    return undefined;
  }
}
