/**
 * Remembers the program that was unpacked from a download with the plan's checksum. The plan's checksum is that of the archive, so
 * afterwards only this record ties the program to the plan.
 */
import { join } from "node:path";
import { messageOf } from "../../base/errors/errors.js";
import type { Files } from "../../base/files/files.js";
import { writeWhole } from "../../base/files/whole-file.js";
import { decodeText, encodeText } from "../../base/text/text.js";
import type { Fetched } from "../download/fetch-program.js";
import { digestOf } from "./home-readiness.js";

const NAME = "verified-download.json";
const MODE = 0o644;
const BYTES_MAX = 65_536;

/** Beside `bin` of the plan's folder. */
const recordOf = (program: string) => join(program, "..", "..", NAME);

/** Best effort: without a record the program counts as not compared. */
export function rememberDownload(files: Files, { file, url, sha256, isVerified }: Fetched, log: Warn): void {
  try {
    if (!isVerified) files.remove(recordOf(file));
    else {
      const record = { v: 1, url, sha256, program_sha256: digestOf(files, file) };
      writeWhole(files, recordOf(file), encodeText(`${JSON.stringify(record, null, 2)}\n`), MODE);
    }
  } catch (error) {
    log("warn", `${recordOf(file)} could not be written: ${messageOf(error)}`);
  }
}

type Warn = (level: "warn", message: string) => void;

/**
 * @param url as the plan has it, with its checksum
 * @returns `same`: `program` is what was unpacked; `changed`: another file is in its place; undefined: no record of this URL
 */
export function verifiedDownload(files: Files, program: string, url: string): "same" | "changed" | undefined {
  const bytes = files.facts(recordOf(program)) && files.read(recordOf(program), BYTES_MAX);
  if (!bytes) return undefined;
  try {
    const record = JSON.parse(decodeText(bytes)) as Record<string, unknown> | null;
    if (record?.["v"] !== 1 || record["url"] !== url) return undefined;
    return record["program_sha256"] === digestOf(files, program) ? "same" : "changed";
  } catch {
    // A record that cannot be read says nothing.
    return undefined;
  }
}
