/**
 * A plan's info, read and checked without a network: what it offers to download, which handler it pins, and
 * what is wrong with it. The Cosmos SDK's rules come first and have its texts; ours are stricter and say so (docs/plan-info.md).
 */

import { isUpgradeError, UpgradeError } from "../../base/errors/errors.js";
import { utf8 } from "../../base/text/bytes.js";
import { PLAN_INFO_BYTES_MAX } from "../../base/types/limits.js";
import { isGoRequestUri, parseGoUrl, queryParameter } from "./go-url.js";
import { type PlanDocument, type PlanHandler, readPlanDocument } from "./plan-document.js";
import { type PlanUrlRules, parsePlanUrl } from "./plan-url.js";
import { ANY_PLATFORM, goPlatform, isPlatformKey } from "./platform.js";

export type PlanInfo =
  /** Nothing that a machine can act on; `reason` says why, in the Cosmos SDK's words. */
  | { readonly kind: "text"; readonly reason: string }
  /** A URL (or a path, or any `scheme:text`) under which the Cosmos SDK would look for the document. */
  | { readonly kind: "reference"; readonly url: string; readonly checksum?: string }
  /** Platform keys and URLs as written, in the order of the text, not checked; the handler is. */
  | { readonly kind: "document"; readonly binaries: ReadonlyMap<string, string>; readonly handler?: PlanHandler };

export interface PlanInfoReport {
  readonly ok: boolean;
  /** Where the check ended: `parse`, also for a reference, whose document is elsewhere; else `validate`. */
  readonly stage: "parse" | "validate";
  /** In the order of the text; empty when ok. */
  readonly errors: readonly string[];
  /** Absent when the text could not be read as a reference or a document. */
  readonly info?: PlanInfo;
}

export interface SelectedBinary {
  /** The key that fits: `os/arch`, or `any`. */
  readonly platform: string;
  /** As written, with its checksum; {@link parsePlanUrl} takes it apart. */
  readonly url: string;
}

/**
 * What kind of info a plan carries. Never throws: info is free text, and what is neither document nor reference, or a
 * malformed one, is `text`. URLs are not checked here ({@link checkPlanInfo}, {@link parsePlanUrl}).
 *
 * @example
 * console.log(parsePlanInfo("see the forum").kind, parsePlanInfo("https://example.com/v2.json").kind); // → text reference
 */
export function parsePlanInfo(info: string): PlanInfo {
  const read = readPlanInfo(info);
  return read.kind === "reading" ? planInfoOf(read) : read;
}

/**
 * Checks an info text before it is proposed. Refuses all that the Cosmos SDK refuses without downloading, and beyond that
 * URLs that cannot be downloaded, checksums that are weak or cannot fit, and malformed handler pins. The document
 * that a passing reference leads to must be downloaded and checked by itself.
 *
 * @example
 * const { ok, errors } = checkPlanInfo('{"binaries":{"any":"https://example.com/v2"}}');
 * console.log(ok, errors.length); // → false 1
 */
export function checkPlanInfo(info: string, rules: PlanUrlRules = {}): PlanInfoReport {
  const read = readPlanInfo(info);
  if (read.kind === "text") return { ok: false, stage: "parse", errors: [read.reason] };
  if (read.kind === "reference") {
    const errors = errorsOf(() => parsePlanUrl(read.url, rules));
    return { ok: errors.length === 0, stage: "parse", errors, info: read };
  }
  const parsed = planInfoOf(read);
  if (read.binariesError !== undefined) return { ok: false, stage: "parse", errors: parseErrors(read) };
  const isHandlerOnly = read.binaries.size === 0 && read.handler !== undefined;
  const binariesErrors = isHandlerOnly ? [] : validateBinaries(read.binaries, rules);
  const errors = [...binariesErrors, ...read.handlerErrors];
  const url = read.handler?.url;
  if (url !== undefined) {
    const handlerRules = { ...rules, checksumRequired: false };
    errors.push(...errorsOf(() => parsePlanUrl(url, handlerRules)).map((text) => `invalid handler: url: ${text}`));
  }
  return { ok: errors.length === 0, stage: "validate", errors, ...(parsed.kind === "document" && { info: parsed }) };
}

/**
 * The SHA-256 that a plan pins for its handler, 64 lower-case hex digits; undefined when it pins none. Only the plan's
 * own text counts: a document that a reference leads to pins nothing, and broken `binaries` do not unpin.
 *
 * @throws UpgradeError UPG_INVALID_PLAN_INFO when `handler` is malformed
 *
 * @example
 * const sha256 = "ab".repeat(32);
 * console.log(planHandlerHash(JSON.stringify({ handler: { sha256 } })) === sha256); // → true
 */
export function planHandlerHash(info: string): string | undefined {
  checkSize(info);
  const read = readPlanInfo(info);
  if (read.kind !== "reading") return undefined;
  const [error] = read.handlerErrors;
  if (error !== undefined) throw new UpgradeError("UPG_INVALID_PLAN_INFO", error);
  return read.handler?.sha256;
}

/**
 * The same of a plan that is scheduled: what cannot be read pins nothing. Scheduling refuses a malformed pin
 * ({@link checkPin}); one that is in state all the same, from genesis say, must not make its height impossible.
 */
export function pinnedHash(info: string): string | undefined {
  try {
    return planHandlerHash(info);
  } catch (error) {
    if (isUpgradeError(error)) return undefined;
    throw error;
  }
}

/** @throws UpgradeError UPG_INVALID_PLAN_INFO when the info holds a `handler` that pins nothing readable */
export function checkPin(info: string): void {
  planHandlerHash(info);
}

/** The binary for a platform (names of Go or of Node): its own, else the one for `any`. */
export function selectBinary(info: PlanInfo, os: string, arch: string): SelectedBinary | undefined {
  if (info.kind !== "document") return undefined;
  for (const platform of [goPlatform(os, arch), ANY_PLATFORM]) {
    const url = info.binaries.get(platform);
    if (url !== undefined) return { platform, url };
  }
  return undefined;
}

type Reading = { readonly kind: "reading" } & PlanDocument;

function readPlanInfo(info: string): Exclude<PlanInfo, { kind: "document" }> | Reading {
  try {
    checkSize(info);
    const text = trim(info);
    if (text === "") return { kind: "text", reason: "plan info must not be blank" };
    if (!isGoRequestUri(text)) return { kind: "reading", ...readPlanDocument(text) };
    const checksum = queryParameter(parseGoUrl(text).query, "checksum");
    return { kind: "reference", url: text, ...(checksum && { checksum }) };
  } catch (error) {
    if (isUpgradeError(error)) return { kind: "text", reason: error.message };
    throw error;
  }
}

function planInfoOf(read: Reading): PlanInfo {
  const [reason] = parseErrors(read);
  if (reason !== undefined) return { kind: "text", reason };
  return { kind: "document", binaries: read.binaries, ...(read.handler && { handler: read.handler }) };
}

function parseErrors({ binariesError, handlerErrors }: PlanDocument): string[] {
  return binariesError === undefined ? [...handlerErrors] : [binariesError, ...handlerErrors];
}

function validateBinaries(binaries: ReadonlyMap<string, string>, rules: PlanUrlRules): string[] {
  if (binaries.size === 0) return ['no "binaries" entries found'];
  const errors: string[] = [];
  for (const [key, url] of binaries) {
    if (!isPlatformKey(key)) errors.push(`invalid os/arch format in key "${key}"`);
    const wrong = errorsOf(() => parsePlanUrl(url, rules));
    errors.push(...wrong.map((text) => `invalid url "${url}" in binaries[${key}]: ${text}`));
  }
  return errors;
}

/** The bounds of a plan's info (behaviour of the core), before anything is parsed. */
function checkSize(info: string): void {
  if (info.length > PLAN_INFO_BYTES_MAX || utf8(info).length > PLAN_INFO_BYTES_MAX) {
    throw new UpgradeError("UPG_INVALID_PLAN_INFO", `plan info must not be longer than ${PLAN_INFO_BYTES_MAX} bytes`);
  }
  if (!info.isWellFormed()) throw new UpgradeError("UPG_INVALID_PLAN_INFO", "plan info must be UTF-8");
}

/** Without Unicode white space at either end, as Go trims; `String.trim` takes U+FEFF too and leaves U+0085. */
function trim(text: string): string {
  let from = 0;
  let to = text.length;
  while (from < to && isSpace(text, from)) from++;
  while (to > from && isSpace(text, to - 1)) to--;
  return text.slice(from, to);
}

function isSpace(text: string, at: number): boolean {
  return /^\p{White_Space}$/u.test(text.charAt(at));
}

/** The message of the error that `work` ends with. */
function errorsOf(work: () => unknown): string[] {
  try {
    work();
    return [];
  } catch (error) {
    if (isUpgradeError(error)) return [error.message];
    throw error;
  }
}
