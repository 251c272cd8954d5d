/** JSON files that the sidecar wrote and acts on: one that is damaged is reported with its name and what to do. */
import { messageOf, UpgradeError } from "../../../base/errors/errors.js";
import type { Files } from "../../../base/files/files.js";
import { shellWord } from "../../../base/text/shell-word.js";
import { decodeText } from "../../../base/text/text.js";

interface RecordForm<T> {
  /** What it holds, in words. */
  readonly holds: string;
  readonly bytesMax: number;
  /** What is lost without it. */
  readonly without: string;
  /** Undefined: the JSON is of another form. */
  readonly parse: (json: { readonly [name: string]: unknown }) => T | undefined;
}

export const asideCommand = (path: string): string => `mv ${shellWord(path)} ${shellWord(`${path}.wrong`)}`;

/** Undefined: there is none. @throws UpgradeError UPG_STORE_CORRUPT, UPG_STORE_IO */
export function readRecord<T>(files: Files, path: string, form: RecordForm<T>): T | undefined {
  const { holds, bytesMax, without } = form;
  const damaged = (why: string, cause?: unknown) =>
    new UpgradeError(
      "UPG_STORE_CORRUPT",
      `${path} is no list of ${holds}: ${why}. Restore it from a copy, or move it away with \`${asideCommand(path)}\`: ${without}`,
      { cause },
    );
  let bytes: Uint8Array | undefined;
  try {
    bytes = files.read(path, bytesMax);
  } catch (cause) {
    throw new UpgradeError("UPG_STORE_IO", `cannot read ${path}: ${messageOf(cause)}`, { cause });
  }
  if (!bytes) return undefined;
  let json: unknown;
  try {
    json = JSON.parse(decodeText(bytes));
  } catch (cause) {
    throw damaged(messageOf(cause), cause);
  }
  const found = typeof json === "object" && json !== null ? form.parse(json as Record<string, unknown>) : undefined;
  if (found === undefined) throw damaged("it has another form");
  return found;
}
