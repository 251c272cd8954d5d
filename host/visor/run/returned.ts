/**
 * Heights at which the old program went on without the upgrade, as the validators had agreed. The application needs the
 * flag at every start from then on: its replays come to the height again.
 */
import { utf8 } from "../../bytes.js";
import type { Files } from "../../programs/files.js";
import { writeWhole } from "../../programs/whole-file.js";
import { skipHeights } from "../../sidecar/decision/skips.js";
import { decodeText } from "../../text.js";

const FILE_MODE = 0o644;
const BYTES_MAX = 64 * 1_024;

/** @throws Error: the file is there and is none: to start without the flag would fork */
export function returnedHeights(files: Files, path: string): bigint[] {
  const bytes = files.read(path, BYTES_MAX);
  if (!bytes) return [];
  const { v, heights } = JSON.parse(decodeText(bytes)) as { v?: unknown; heights?: unknown };
  const isRecord = v === 1 && Array.isArray(heights) && heights.every((each) => /^[0-9]{1,16}$/.test(String(each)));
  if (!isRecord) throw new Error(`${path} is no record of returned heights`);
  return heights.map((each) => BigInt(String(each)));
}

/** Durable when it returns. @throws what the system says */
export function addReturned(files: Files, path: string, height: bigint): void {
  const heights = [...new Set([...returnedHeights(files, path), height])];
  writeWhole(files, path, utf8(`${JSON.stringify({ v: 1, heights: heights.map(String) })}\n`), FILE_MODE);
}

/** The application's arguments with the flag for heights that they do not have. */
export function withSkips(args: readonly string[], heights: readonly bigint[]): readonly string[] {
  const given = skipHeights(args);
  const missing = heights.filter((height) => !given.includes(height));
  return missing.length === 0 ? args : [...args, `--unsafe-skip-upgrades=${[...given, ...missing].join(",")}`];
}
