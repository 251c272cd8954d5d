/** The record of what a consensus key signed last, in a home's data. A key never signs a height twice: of several, the latest counts. */
import { join } from "node:path";
import { UpgradeError } from "../../base/errors/errors.js";
import type { Files } from "../../base/files/files.js";
import { writeNew } from "../../base/files/whole-file.js";
import { decodeText } from "../../base/text/text.js";

export const SIGNED = "priv_validator_state.json";
const BYTES_MAX = 1_024 * 1_024;
const FILE_MODE = 0o600;

/** What the record of restored data is. */
export interface Signed {
  readonly of: "the present one" | "the backup's" | "none";
  /** That the key signed last. */
  readonly height: bigint | undefined;
}

interface Record {
  readonly bytes: Uint8Array;
  readonly mode: number;
  /** Height, round, step. */
  readonly at: readonly bigint[];
}

/**
 * Puts the latest of the records of `data` and of the folders `kept` into the folder `copy`, whose own it has before.
 * @throws UpgradeError UPG_STORE_CORRUPT: none can be read, or that of `data` cannot, so that nobody knows what was signed
 */
export function carrySigned(files: Files, data: string, kept: readonly string[], copy: string): Signed {
  const records = [data, ...kept].map((folder) => recordOf(files, folder));
  const torn = [data, ...kept].filter((folder, at) => !records[at] && files.linkFacts(join(folder, SIGNED)));
  if (torn.includes(data) || (torn.length > 0 && !records.some((record) => record))) throw unreadable(torn[0] ?? data);
  const copied = recordOf(files, copy);
  const latest = latestOf(records);
  if (!latest) return { of: copied ? "the backup's" : "none", height: copied?.at[0] };
  if (copied && !isLater(latest, copied)) {
    return { of: isLater(copied, latest) ? "the backup's" : "the present one", height: copied.at[0] };
  }
  const to = join(copy, SIGNED);
  files.remove(to);
  writeNew(files, to, latest.bytes, latest.mode);
  return { of: "the present one", height: latest.at[0] };
}

/** Each folder whose record can be read, with the height that the key signed last by it. */
export function signedHeights(files: Files, folders: readonly string[]): { readonly file: string; height: bigint }[] {
  return folders.flatMap((folder) => {
    const height = recordOf(files, folder)?.at[0];
    return height === undefined ? [] : [{ file: join(folder, SIGNED), height }];
  });
}

function unreadable(folder: string): UpgradeError {
  const next = "put one there that is not older than its last signature, or remove it where the key signs nothing";
  return new UpgradeError(
    "UPG_STORE_CORRUPT",
    `${join(folder, SIGNED)} cannot be read, so it is not known what the consensus key signed last: ${next}`,
  );
}

function latestOf(records: readonly (Record | undefined)[]): Record | undefined {
  let latest: Record | undefined;
  for (const record of records) if (record && (!latest || isLater(record, latest))) latest = record;
  return latest;
}

/** Undefined: there is none, or it cannot be read. */
function recordOf(files: Files, folder: string): Record | undefined {
  const file = join(folder, SIGNED);
  try {
    const bytes = files.read(file, BYTES_MAX);
    return bytes && { bytes, mode: files.facts(file)?.mode ?? FILE_MODE, at: placeIn(bytes) };
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof TypeError || error instanceof RangeError) return undefined;
    throw error;
  }
}

/** @throws SyntaxError, TypeError, RangeError: it is no record */
function placeIn(bytes: Uint8Array): bigint[] {
  const { height, round, step } = JSON.parse(decodeText(bytes)) as { [name: string]: string | number | undefined };
  return [BigInt(height ?? 0), BigInt(round ?? 0), BigInt(step ?? 0)];
}

function isLater(a: Record, b: Record): boolean {
  const at = a.at.findIndex((value, index) => value !== b.at[index]);
  return at >= 0 && (a.at[at] ?? 0n) > (b.at[at] ?? 0n);
}
