/** `--handler FILE`: the plan pins that file, and who proposes and who votes read what it may do. */

import { isUpgradeError, UpgradeError } from "../../../base/errors/errors.js";
import { usage } from "../../../base/terminal/usage.js";
import { utf8 } from "../../../base/text/bytes.js";
import { PROGRAM } from "../../../base/text/program-text.js";
import { shellWord } from "../../../base/text/shell-word.js";
import { quoted } from "../../../base/text/visible.js";
import { PLAN_NAME_BYTES_MAX } from "../../../base/types/limits.js";
import type { Chain } from "../../../chain/app/chain.js";
import { SUMMARY_BYTES_MAX } from "../../../chain/modules/gov/proposal-text.js";
import { type PlanInfo, parsePlanInfo, planHandlerHash } from "../../../upgrade/plan-info/plan-info.js";
import { type Consequences, consequenceLines } from "../../author/consequences/consequences.js";
import { checkFile, type FileCheck, isOfChain } from "../../author/file-check.js";

/** A file in the form that every node accepts. */
export type CheckedHandler = FileCheck & Consequences & { readonly sha256: string; readonly gas_limit: string };

interface Pin {
  /** 64 lower-case hex digits. */
  readonly sha256: string;
  readonly url?: string | undefined;
}

/**
 * A file by the rules of `handler check`, for this plan.
 * @throws UpgradeError UPG_HANDLER_* of the first finding, UPG_STORE_IO, UPG_INVALID_ARGUMENT for another plan's handler
 */
export function checkedHandler(chain: Chain, file: string, plan: string): CheckedHandler {
  const check = checkFile(file, chain.table);
  // The program that runs at the height may have other modules than this one; the summary has what these say.
  const [first, ...more] = check.findings.filter((finding) => !isOfChain(finding));
  if (first) throw refusedFile(file, first, more.length);
  const handler = check as CheckedHandler;
  if (handler.name === plan) return handler;
  const names = `is for plan ${quoted(handler.name ?? "", PLAN_NAME_BYTES_MAX)}, and the proposal is for ${quoted(plan, PLAN_NAME_BYTES_MAX)}`;
  throw usage(`--handler: ${file} ${names}: nodes run a handler only for the plan that its manifest names`);
}

function refusedFile(file: string, { code, message }: FileCheck["findings"][number], more: number): UpgradeError {
  if (!code.startsWith("UPG_HANDLER_")) return new UpgradeError(code, `--handler: ${message}`);
  const others = more > 0 ? ` (and ${more} more)` : "";
  const look = `${PROGRAM} handler check ${shellWord(file)}`;
  return new UpgradeError(
    code,
    `--handler: nodes refuse ${file}: ${message}${others}; see all that is wrong with it: ${look}`,
  );
}

/**
 * The info with the pin of a file. A document keeps its text; the pin is put before it.
 * @throws UpgradeError UPG_INVALID_PLAN_INFO when the info can pin nothing, or pins something else
 */
export function infoWithHandler(info: string, pin: Pin): string {
  const { sha256, url } = pin;
  const handler = JSON.stringify({ handler: { ...(url !== undefined && { url }), sha256 } });
  if (info.trim() === "") return handler;
  const read = parsePlanInfo(info);
  const pinned = pinOf(info);
  if (pinned !== undefined) return samePin(info, pinned, pin);
  if (read.kind !== "document") throw refused(whyNot(read));
  const rest = info.trim().replace(/^\{\s*(?=\})/, "{");
  if (!rest.startsWith("{")) throw refused("it is no JSON object");
  const isEmpty = rest === "{}";
  return isEmpty ? handler : `${handler.slice(0, -1)},${rest.slice(1)}`;
}

/** What the text itself pins. */
function pinOf(info: string): string | undefined {
  try {
    return planHandlerHash(info);
  } catch (error) {
    if (!isUpgradeError(error)) throw error;
    throw new UpgradeError("UPG_INVALID_PLAN_INFO", `${error.message}; leave "handler" out of it: --handler writes it`);
  }
}

function samePin(info: string, pinned: string, { sha256, url }: Pin): string {
  if (pinned !== sha256) {
    throw refused(`it pins the handler ${pinned}, and the file has ${sha256}: which of the two is it to be?`);
  }
  if (url !== undefined)
    throw refused('it has a "handler" of its own, so --handler-url has no place: write "url" there');
  return info;
}

const whyNot = (read: Exclude<PlanInfo, { kind: "document" }>) =>
  read.kind === "text" ? read.reason : "it is a URL, and a node never downloads a document: it can pin nothing";

function refused(why: string): UpgradeError {
  const what = "--upgrade-info cannot carry the pin of --handler";
  return new UpgradeError(
    "UPG_INVALID_PLAN_INFO",
    `${what}: ${why}. Give a JSON object, such as {"binaries":{…}}, or leave --upgrade-info out`,
  );
}

/** What voters read where the proposer wrote no summary; what cannot be undone comes first. */
export function handlerSummary(program: string, handler: CheckedHandler): string {
  const lines = consequenceLines(handler).map((line) => line.trim().replace(/ {2,}/, ": "));
  const severe = lines.filter((line) => /^[A-Z]{2}/.test(line));
  const first = `Runs the upgrade handler with SHA-256 ${handler.sha256}, at most ${handler.gas_limit} gas. Its manifest declares:`;
  return cut(program, [first, ...severe, ...lines.filter((line) => !severe.includes(line))]);
}

/** As many lines as a summary may have bytes for. */
function cut(program: string, lines: readonly string[]): string {
  const whole = lines.join("\n");
  if (utf8(whole).length <= SUMMARY_BYTES_MAX) return whole;
  const rest = (count: number) => `… and ${count} more lines: ${program} handler check FILE`;
  let room = SUMMARY_BYTES_MAX - utf8(rest(lines.length)).length;
  const kept: string[] = [];
  for (const line of lines) {
    room -= utf8(line).length + 1;
    if (room < 0) break;
    kept.push(line);
  }
  return [...kept, rest(lines.length - kept.length)].join("\n");
}
