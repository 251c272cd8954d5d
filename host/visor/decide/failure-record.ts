/** Why the sidecar has ended by itself, kept for who asks afterwards: its own log may be elsewhere. The next run removes it. */

import type { Files } from "../../base/files/files.js";
import { writeWhole } from "../../base/files/whole-file.js";
import { utf8 } from "../../base/text/bytes.js";
import { decodeText } from "../../base/text/text.js";

export interface FailureRecord {
  /** RFC 3339. */
  readonly time: string;
  /** The sidecar's exit status. */
  readonly exit: number;
  readonly message: string;
  readonly next: readonly string[];
}

const BYTES_MAX = 1_048_576;
const FILE_MODE = 0o644;

/** @throws what the disk says */
export function writeFailure(files: Files, path: string, record: FailureRecord): void {
  writeWhole(files, path, utf8(`${JSON.stringify({ v: 1, ...record })}\n`), FILE_MODE);
}

/** @throws what the disk says */
export function removeFailure(files: Files, path: string): void {
  if (files.linkFacts(path)) files.remove(path);
}

/** Undefined: there is none that can be read. */
export function readFailure(files: Files, path: string): FailureRecord | undefined {
  try {
    const bytes = files.read(path, BYTES_MAX);
    const json = bytes && (JSON.parse(decodeText(bytes)) as Record<string, unknown>);
    const { v, time, exit, message, next } = json ?? {};
    const isWhole = v === 1 && typeof time === "string" && typeof exit === "number" && typeof message === "string";
    if (!isWhole) return undefined;
    const commands = Array.isArray(next) ? next.filter((each) => typeof each === "string") : [];
    return { time, exit, message, next: commands };
  } catch {
    return undefined;
  }
}
