/** The page for browsers: files that the build has put into the program, compressed; decompressed for clients that want it. */
import { promisify } from "node:util";
import { brotliDecompress } from "node:zlib";
import { fromBase64, toHex } from "../../../base/text/bytes.js";
import type { Sha256 } from "../../../base/types/types.js";
import { noRoom, type UnreadBytes } from "../../limits/unread.js";
import type { RestExchange } from "./answering.js";
import { isKnown } from "./file-answer.js";

/** One file of the page, as the build lists it. */
export interface PageFile {
  /** Where it is served: `/`, `/worker-….js`. */
  readonly path: string;
  readonly type: string;
  /** How long it may be kept, what it may load, and other headers. */
  readonly headers: Readonly<Record<string, string>>;
  /** Its bytes, compressed with Brotli, in base64. */
  readonly brotli: string;
}

interface ReadyFile {
  readonly brotli: Uint8Array;
  readonly whole: Uint8Array;
  readonly etag: string;
}

const decompress = promisify(brotliDecompress);

export class PageFiles {
  readonly #files: ReadonlyMap<string, PageFile>;
  readonly #ready = new Map<string, Promise<ReadyFile>>();

  constructor(
    files: readonly PageFile[],
    private readonly sha256: Sha256,
    private readonly unread: UnreadBytes,
  ) {
    this.#files = new Map(files.map((file) => [file.path, file]));
  }

  /** Paths that are served. */
  get paths(): readonly string[] {
    return [...this.#files.keys()];
  }

  /** Undefined: the page has no such file. @throws UpgradeError UPG_REMOTE_BUSY */
  async answer({ incoming, outgoing }: RestExchange, path: string): Promise<Response | undefined> {
    const file = this.#files.get(path);
    if (!file) return undefined;
    const { brotli, whole, etag } = await this.#made(file);
    const headers = {
      ...{ "content-type": file.type, "x-content-type-options": "nosniff" },
      ...file.headers,
      ...{ etag, vary: "Accept-Encoding" },
    };
    if (isKnown(incoming.headers["if-none-match"], etag)) return new Response(null, { status: 304, headers });
    const isBrotli = takesBrotli(incoming.headers["accept-encoding"]);
    const body = isBrotli ? brotli : whole;
    const encoding = isBrotli ? { "content-encoding": "br" } : {};
    const isHead = incoming.method === "HEAD";
    if (!isHead && !this.unread.hold(outgoing, body.length)) throw noRoom();
    return new Response(isHead ? null : (body as Uint8Array<ArrayBuffer>), {
      status: 200,
      headers: { ...headers, ...encoding, "content-length": String(body.length) },
    });
  }

  /** Made once, when it is asked for first. */
  #made(file: PageFile): Promise<ReadyFile> {
    const known = this.#ready.get(file.path);
    if (known) return known;
    const made = this.#make(file);
    this.#ready.set(file.path, made);
    return made;
  }

  async #make(file: PageFile): Promise<ReadyFile> {
    const brotli = fromBase64(file.brotli);
    return { brotli, whole: await decompress(brotli), etag: `"${toHex(this.sha256(brotli)).slice(0, 32)}"` };
  }
}

/** SHA-256 of each file as a browser gets it, by its path: so that readers can compare it with the release's. */
export async function pageHashes(files: readonly PageFile[], sha256: Sha256): Promise<Record<string, string>> {
  const hashes = files.map(async ({ path, brotli }) => {
    return [path, toHex(sha256(await decompress(fromBase64(brotli))))] as const;
  });
  return Object.fromEntries(await Promise.all(hashes));
}

/** Browsers take it over https and from this machine; a weight of 0 refuses it. */
export function takesBrotli(header: string | undefined): boolean {
  return (header ?? "").split(",").some((each) => /^\s*br\s*(?:;\s*q=(?!0(?:\.0*)?\s*$).*)?$/i.test(each));
}
