/** The last rehearsal of a plan that the home keeps, as far as it speaks against the handler. */
import { readFileSync, statSync } from "node:fs";
import { join, sep } from "node:path";

/** The handler ran, or its checks or modules did, with findings or a failure: these exits say so without the hash of a file. */
const OF_HANDLER: ReadonlySet<unknown> = new Set([1, 20, 21, 70]);

interface Report {
  readonly exit: unknown;
  /** Hash of its file; undefined: a function of the program. */
  readonly handler: string | undefined;
  /** The program brought it: no file of the home was rehearsed. */
  readonly isOfProgram: boolean;
  readonly words: string;
}

interface Kept {
  /** Changes with the file. */
  readonly print: string;
  readonly report: Report | undefined;
}

/** It is asked after each block, and changes rarely. */
const kept = new Map<string, Kept>();

/**
 * What the last rehearsal of this very handler found wrong; undefined: it applied without findings, it was of another file, or
 * there is none.
 * @param handler lower-case hex of its file; undefined: the home has none, the program carries it
 */
export function failedRehearsal(file: string, handler: string | undefined): string | undefined {
  const report = reportIn(file);
  if (!report || report.exit === 0) return undefined;
  const isOfProgram = report.isOfProgram && OF_HANDLER.has(report.exit);
  const isSame = handler === undefined ? isOfProgram : report.handler === handler;
  return isSame ? withRemedy(report.words, report.exit) : undefined;
}

/**
 * What to do before the same command can end in another way, without a full stop.
 * @param exit of the rehearsal
 */
function rehearsalRemedy(exit: unknown): string {
  if (exit === 1) return "read the findings, and accept those that are expected with --accept";
  if (exit === 20 || exit === 70) return "correct the handler or the program, then rehearse again";
  if (exit === 21) return "replace the handler with the file that the plan is for, then rehearse again";
  const isHalt = typeof exit === "number" && exit >= 10 && exit <= 14;
  if (isHalt) return "rehearse with the program that the plan leads to";
  return "correct what the message names, then rehearse again";
}

/** A message and what to do about it. */
export const withRemedy = (message: string, exit: unknown): string =>
  `${message.replace(/[.\s]+$/, "")}. To fix it, ${rehearsalRemedy(exit)}`;

function reportIn(file: string): Kept["report"] {
  try {
    const { ino, size, mtimeMs } = statSync(file);
    const print = `${ino} ${size} ${mtimeMs}`;
    const before = kept.get(file);
    if (before?.print === print) return before.report;
    const report = reportOf(readFileSync(file, "utf8"));
    kept.set(file, { print, report });
    return report;
  } catch {
    return undefined; // `upgrade preflight` says what is wrong with the file.
  }
}

function reportOf(text: string): Kept["report"] {
  const report = JSON.parse(text) as Record<string, unknown>;
  const { exit, verdict, message } = report;
  const { sha256, file } = (report["handler"] ?? {}) as { readonly sha256?: unknown; readonly file?: unknown };
  // A function of the program has an empty hash.
  const handler = typeof sha256 === "string" && sha256 !== "" ? sha256 : undefined;
  const isOfProgram = handler === undefined || !isIn(join(String(report["home"]), "handlers"), file);
  return {
    exit,
    handler,
    isOfProgram,
    words: [verdict, message].filter((each) => typeof each === "string" && each !== "").join(": "),
  };
}

/** A report that does not name the file is taken for one of the home. */
const isIn = (folder: string, file: unknown): boolean =>
  typeof file !== "string" || file === "" || file.startsWith(`${folder}${sep}`);
