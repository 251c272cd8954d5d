/** Why a download was refused, kept beside it: a file that is wrong as published is not fetched again until it changes. */
import { join } from "node:path";
import type { Files } from "../../base/files/files.js";
import { decodeLossy } from "../../base/text/text.js";
import type { Revision } from "./web.js";

/** Errors that the same bytes cause again. */
const LASTING = ["UPG_INVALID_PLAN_INFO", "UPG_HANDLER_HASH"] as const;
export type LastingCode = (typeof LASTING)[number];

export interface Refusal {
  readonly url: string;
  /** What the file was compared with: a refusal under another plan or other settings does not count. */
  readonly judgedBy: string;
  readonly revision: Revision;
  readonly code: LastingCode;
  readonly message: string;
}

const BYTES_MAX = 131_072;

export const isLasting = (code: string): code is LastingCode => (LASTING as readonly string[]).includes(code);

export const refusalFile = (folder: string) => join(folder, "refused.json");

/** Undefined if there is none, or it cannot be read: the file is fetched then. */
export function readRefusal(files: Files, folder: string): Refusal | undefined {
  try {
    const bytes = files.read(refusalFile(folder), BYTES_MAX);
    if (!bytes) return undefined;
    const { url, judgedBy, revision, code, message } = JSON.parse(decodeLossy(bytes)) as Record<string, unknown>;
    const { etag, lastModified } = (revision ?? {}) as Record<string, unknown>;
    const isText = [url, judgedBy, code, message].every((each) => typeof each === "string");
    const isRevision = typeof etag === "string" || typeof lastModified === "string";
    if (!isText || !isRevision || !isLasting(code as string)) return undefined;
    return JSON.parse(decodeLossy(bytes)) as Refusal;
  } catch {
    return undefined;
  }
}
