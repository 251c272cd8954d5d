/** The application needs the flag for returned heights at every start from then on: its replays come to the height again. */

import type { Files } from "../../../base/files/files.js";
import { writeWhole } from "../../../base/files/whole-file.js";
import { utf8 } from "../../../base/text/bytes.js";
import { returnedHeights } from "../../decide/decision/returned.js";
import { skipHeights } from "../../decide/decision/skips.js";

const FILE_MODE = 0o644;

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
