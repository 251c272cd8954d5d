/** `<root>/app-failure.json`: the error that the application of the last run exited with, where it is one of this project's. */
import type { Files } from "../../base/files/files.js";
import type { LastFailure } from "../../base/terminal/last-failure.js";
import { decodeText } from "../../base/text/text.js";

const BYTES_MAX = 1_048_576;

/** Before a run. Best effort. */
export function removeAppFailure(files: Files, path: string): void {
  try {
    if (files.linkFacts(path)) files.remove(path);
  } catch {
    // What stays is of another exit status, or of the same end.
  }
}

/** @returns undefined where the application left none, or one of another exit status */
export function readAppFailure(files: Files, path: string, ended: number | null): LastFailure | undefined {
  try {
    const bytes = files.read(path, BYTES_MAX);
    const { v, exit, code, message } = JSON.parse(decodeText(bytes ?? new Uint8Array())) as Record<string, unknown>;
    const isWhole = v === 1 && typeof code === "string" && typeof message === "string";
    return isWhole && exit === ended ? { exit: Number(exit), code, message } : undefined;
  } catch {
    return undefined;
  }
}
