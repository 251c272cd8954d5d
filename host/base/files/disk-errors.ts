/**
 * What the disk's refusals mean. A full disk has a code of its own, because only the operator can do something about it,
 * and nothing else is wrong with the home.
 */
import { statfsSync, writeSync } from "node:fs";
import { dirname } from "node:path";
import { type ErrorCode, messageOf, UpgradeError } from "../errors/errors.js";

/**
 * A write that was cut short is reported by LMDB as EIO, whatever cut it. With less space than this (a commit writes
 * at most 256 KiB at once, or one value of 1 MiB) it was the full disk.
 */
const FULL_BELOW_BYTES = 4 * 1_024 * 1_024;

const STDERR = 2;
const EIO = 5;
const ENOSPC = 28;
const EDQUOT = 122;
/** Of LMDB, which numbers its own below the system's. */
const MDB_MAP_FULL = -30_792;
const FULL = new Set<unknown>(["ENOSPC", "EDQUOT", ENOSPC, EDQUOT, MDB_MAP_FULL]);
/** LMDB says this of a write that failed, and has then put a line without an end on stderr. */
const HAS_PRINTED = ": Attempting to write page";

export type Access = "read" | "write";

/**
 * @param what what could not be done, with the path in it
 * @param path a file on the disk in question; it need not be there
 */
export function diskFailure(access: Access, what: string, path: string, cause: unknown): UpgradeError {
  const [message = "", printed] = messageOf(cause).split(HAS_PRINTED);
  if (printed !== undefined) endPrintedLine();
  const code = codeOf(access, path, message, cause);
  if (code !== "UPG_STORE_FULL")
    return new UpgradeError(code, `${what}: ${message}${remedyOf(path, cause)}`, { cause });
  const free = freeBytes(path);
  const room = free === undefined ? "" : ` (${free} bytes free)`;
  const text = `${what}: no space is left on its disk${room}: ${message}; make room and start again`;
  return new UpgradeError(code, text, { cause, details: { path, ...(free === undefined ? {} : { free }) } });
}

/** What an operator can do about a refusal that is no failure of the disk. */
function remedyOf(path: string, cause: unknown): string {
  const { code } = Object(cause) as { code?: unknown };
  if (code === "EROFS")
    return "; its disk is mounted read-only: see the system's log for the reason, and mount it again";
  if (code !== "EACCES" && code !== "EPERM") return "";
  return `; give ${dirname(path)} and what is in it to the user that runs the node, with \`chown -R\``;
}

function codeOf(
  access: Access,
  path: string,
  message: string,
  cause: unknown,
): Extract<ErrorCode, `UPG_STORE_${string}`> {
  const { code } = Object(cause) as { code?: unknown };
  if (FULL.has(code) || /MDB_MAP_FULL|No space left|ENOSPC|Disk quota/.test(message)) return "UPG_STORE_FULL";
  if (/MDB_(CORRUPTED|PAGE_NOTFOUND|INVALID|PANIC)/.test(message)) return "UPG_STORE_CORRUPT";
  // Nothing breaks a transaction that only reads but a damaged page.
  if (access === "read" && message.includes("MDB_BAD_TXN")) return "UPG_STORE_CORRUPT";
  const isCut = access === "write" && (code === EIO || /Input\/output error|flushing error 5/.test(message));
  return isCut && isFull(path) ? "UPG_STORE_FULL" : "UPG_STORE_IO";
}

function isFull(path: string): boolean {
  const free = freeBytes(path);
  return free !== undefined && BigInt(free) < BigInt(FULL_BELOW_BYTES);
}

/** Bytes that are free for this user on the disk of a file, in decimal; undefined where the system does not say. */
export function freeBytes(path: string): string | undefined {
  try {
    const { bavail, bsize } = statfsSync(dirname(path), { bigint: true });
    return String(bavail * bsize);
  } catch {
    return undefined;
  }
}

/** So that what is logged next begins a line: a reader of JSON lines loses LMDB's own, and none of the node's. */
function endPrintedLine(): void {
  try {
    writeSync(STDERR, "\n");
  } catch {
    // Nobody reads it.
  }
}
