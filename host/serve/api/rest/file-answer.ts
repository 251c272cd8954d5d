/**
 * A file as a response: whole, a part of it, or its head alone. It is read a part at a time, the next one when the client has
 * taken the one before, so that files of any size cost the node little memory; a client that takes none in time is let go.
 */
import type { FileHandle } from "node:fs/promises";
import { UpgradeError } from "../../../base/errors/errors.js";
import { noRoom, type UnreadBytes } from "../../limits/unread.js";
import type { RestExchange } from "./answering.js";

/** A file that is open; the response closes it. */
export interface ServedFile {
  readonly handle: FileHandle;
  readonly bytes: number;
  /** In quotation marks. */
  readonly etag: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** Bytes of a file, from the first to before the last. */
export interface FileRange {
  readonly from: number;
  readonly to: number;
}

const PART_BYTES = 65_536;
/** Files that are being sent; each is open until its client has it. */
const FILES_MAX = 128;

export class FileAnswers {
  #open = 0;

  constructor(private readonly unread: UnreadBytes) {}

  /** @throws UpgradeError UPG_REMOTE_BUSY */
  async answer(exchange: RestExchange, file: ServedFile): Promise<Response> {
    const { method, headers } = exchange.incoming;
    const { bytes, etag, handle } = file;
    const common = { ...file.headers, etag, "accept-ranges": "bytes" };
    const end = (status: number, more: Record<string, string> = {}) => bodiless(handle, status, { ...common, ...more });
    if (isKnown(headers["if-none-match"], etag)) return end(304);
    const isSame = headers["if-range"] === undefined || headers["if-range"] === etag;
    const range = isSame ? rangeOf(headers.range, bytes) : undefined;
    if (range === "beyond") return end(416, { "content-range": `bytes */${bytes}` });
    const { from, to } = range ?? { from: 0, to: bytes };
    const length = { "content-length": String(to - from) };
    const part = range ? { "content-range": `bytes ${from}-${to - 1}/${bytes}` } : {};
    const status = range ? 206 : 200;
    if (method === "HEAD" || from === to) return end(status, { ...length, ...part });
    if (this.#open >= FILES_MAX) {
      await handle.close();
      throw new UpgradeError("UPG_REMOTE_BUSY", `${FILES_MAX} files are being sent: try again`);
    }
    return new Response(this.#stream(exchange, handle, { from, to }), {
      status,
      headers: { ...common, ...length, ...part },
    });
  }

  #stream({ outgoing }: RestExchange, handle: FileHandle, { from, to }: FileRange): ReadableStream<Uint8Array> {
    const { unread } = this;
    let at = from;
    let isOpen = true;
    this.#open++;
    const end = () => {
      if (!isOpen) return;
      isOpen = false;
      this.#open--;
      unread.release(outgoing);
      handle.close().catch(() => undefined);
    };
    outgoing.once("close", end);
    const pull = async (controller: ReadableStreamDefaultController<Uint8Array>) => {
      // The part before this one has been taken.
      unread.release(outgoing);
      if (at >= to || !isOpen) {
        end();
        controller.close();
        return;
      }
      const part = new Uint8Array(Math.min(PART_BYTES, to - at));
      try {
        if (!unread.put(outgoing, part.length)) throw noRoom();
        const { bytesRead } = await handle.read(part, 0, part.length, at);
        if (bytesRead === 0) throw new Error("the file became shorter while it was sent");
        at += bytesRead;
        controller.enqueue(part.subarray(0, bytesRead));
      } catch (error) {
        end();
        controller.error(error);
      }
    };
    return new ReadableStream({ pull, cancel: end }, { highWaterMark: 0 });
  }
}

async function bodiless(handle: FileHandle, status: number, headers: Record<string, string>): Promise<Response> {
  await handle.close();
  return new Response(null, { status, headers });
}

/** Does the client have it? A weak comparison, as `If-None-Match` has it. */
export function isKnown(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false;
  return header.split(",").some((each) => each.trim() === "*" || each.trim().replace(/^W\//, "") === etag);
}

/** One range of bytes; undefined: what is asked for is no such range, and the whole is sent (RFC 9110, 14.2). */
function rangeOf(header: string | undefined, bytes: number): FileRange | "beyond" | undefined {
  const [, first = "", last = ""] = /^bytes=([0-9]{0,15})-([0-9]{0,15})$/.exec(header ?? "") ?? [];
  if (first === "" && last === "") return undefined;
  if (first === "") {
    const count = Math.min(Number(last), bytes);
    return count === 0 ? "beyond" : { from: bytes - count, to: bytes };
  }
  if (last !== "" && Number(last) < Number(first)) return undefined;
  if (Number(first) >= bytes) return "beyond";
  return { from: Number(first), to: last === "" ? bytes : Math.min(Number(last) + 1, bytes) };
}
