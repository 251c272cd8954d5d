/** What a packed stream of bytes is packed of: gzip here, the others by the tools of the system. */
import { spawn } from "node:child_process";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGunzip } from "node:zlib";
import { messageOf, UpgradeError } from "../../base/errors/errors.js";
import type { ArchiveKind } from "./archive-kind.js";

const TOOLS = { bz2: "bzip2", xz: "xz", zst: "zstd" } as const;

/** Nothing of the sidecar's environment but where programs are. */
const toolEnv = () => ({ PATH: process.env["PATH"] ?? "/usr/local/bin:/usr/bin:/bin" });

/** @throws UpgradeError UPG_INVALID_PLAN_INFO: the bytes are not packed so; UPG_NOT_FOUND_FILE: the tool is not installed */
export function unpacked(
  pieces: AsyncIterable<Uint8Array>,
  packing: ArchiveKind["packing"],
  signal: AbortSignal,
): AsyncIterable<Uint8Array> {
  if (packing === "none") return pieces;
  return packing === "gz" ? gunzipped(pieces, signal) : byTool(pieces, TOOLS[packing], signal);
}

async function* gunzipped(pieces: AsyncIterable<Uint8Array>, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  const gunzip = createGunzip();
  const fed = pipeline(Readable.from(pieces), gunzip, { signal });
  fed.catch(() => undefined);
  try {
    yield* gunzip as AsyncIterable<Uint8Array>;
  } catch (cause) {
    signal.throwIfAborted();
    throw isOfDisk(cause) ? cause : unreadable("gzip", messageOf(cause));
  } finally {
    gunzip.destroy();
  }
}

async function* byTool(
  pieces: AsyncIterable<Uint8Array>,
  tool: string,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  const child = spawn(tool, ["-dc"], { stdio: ["pipe", "pipe", "pipe"], env: toolEnv(), signal });
  const words: Buffer[] = [];
  child.stderr.on("data", (part: Buffer) => words.length < 16 && words.push(part));
  const ended = new Promise<{ code: number | null; error?: Error }>((resolve) => {
    child.once("error", (error) => resolve({ code: null, error }));
    child.once("close", (code) => resolve({ code }));
  });
  const fed = pipeline(Readable.from(pieces), child.stdin).catch((error: unknown) => error);
  try {
    yield* child.stdout as AsyncIterable<Uint8Array>;
    const { code, error } = await ended;
    signal.throwIfAborted();
    if (error) throw notRun(tool, error);
    const failure = await fed;
    if (isOfDisk(failure)) throw failure;
    if (code !== 0) throw unreadable(tool, Buffer.concat(words).toString().trim() || `it ended with ${code}`);
  } finally {
    child.kill("SIGKILL");
  }
}

/** A failure of reading what is to be unpacked; a pipe that the tool closed is none. */
function isOfDisk(error: unknown): boolean {
  const { code = "" } = (error ?? {}) as NodeJS.ErrnoException;
  return error instanceof UpgradeError || (/^E[A-Z]+$/.test(code) && !["EPIPE", "ECONNRESET"].includes(code));
}

function notRun(tool: string, { message }: Error): UpgradeError {
  return new UpgradeError(
    "UPG_NOT_FOUND_FILE",
    `the download is packed by ${tool}, which cannot be run here (${message}): install ${tool}, or put the program into its folder by hand`,
  );
}

function unreadable(how: string, why: string): UpgradeError {
  return new UpgradeError("UPG_INVALID_PLAN_INFO", `the download cannot be unpacked by ${how}: ${why}`);
}
