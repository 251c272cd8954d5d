/**
 * How a command ends badly: one line on stderr (JSON with `-o json`), and the exit status of the error's code. A command that has
 * opened the process's log writes the line there, in the log's format.
 */
import { CommanderError } from "commander";
import { ERROR_KINDS, type ErrorCode, isUpgradeError, messageOf } from "../errors.js";
import type { LogFields } from "../log-line.js";
import { isOutOfMemory, machineProblem } from "../machine.js";
import { visible, visibleJson, visibleLines } from "../visible.js";
import { processLog } from "./process-log.js";

const USAGE_EXIT = 2;

/** Errors that the log has a line of. */
const reported = new WeakSet<object>();

/** The log has a line of this error, with its code: `reportFailure` writes none. */
export function setReported(error: unknown): void {
  if (typeof error === "object" && error !== null) reported.add(error);
}

/** Prints the error and returns the exit status. */
export function reportFailure(error: unknown, isJson: boolean, isTraced: boolean): number {
  if (error instanceof CommanderError) {
    // Help and version end well; commander has printed its own complaint.
    return error.exitCode === 0 ? 0 : USAGE_EXIT;
  }
  const code = codeOf(error);
  const { exit } = ERROR_KINDS[code];
  if (typeof error === "object" && error !== null && reported.has(error)) return exit;
  const message = (machineProblem(error) ?? messageOf(error)).replaceAll(/\s*\n\s*/g, "; ");
  const log = processLog();
  if (log) log("error", message, { code, exit, ...(isTraced ? stackOf(error) : {}) });
  else printFailure(error, { message, code, isJson, isTraced });
  return exit;
}

interface Printed {
  readonly message: string;
  readonly code: ErrorCode;
  readonly isJson: boolean;
  readonly isTraced: boolean;
}

function printFailure(error: unknown, { message, code, isJson, isTraced }: Printed): void {
  const line = isJson ? visibleJson(JSON.stringify({ error: message, code })) : `Error: ${visible(message)} [${code}]`;
  process.stderr.write(`${line}\n`);
  if (isTraced && error instanceof Error) process.stderr.write(`${visibleLines(error.stack ?? "")}\n`);
}

/** Of an error that a line of the log is not about: what happened, and where. */
export const errorFields = (error: unknown): LogFields => ({ error: messageOf(error), ...stackOf(error) });

const stackOf = (error: unknown): LogFields => (error instanceof Error ? { stack: error.stack } : {});

/** What the system says no to, a folder of somebody else or a full disk, is no bug, wherever it comes up. */
function codeOf(error: unknown): ErrorCode {
  if (isUpgradeError(error)) return error.code;
  const isRefused = error instanceof Error && "syscall" in error;
  return isRefused || isOutOfMemory(error) ? "UPG_STORE_IO" : "UPG_BUG_ASSERT";
}
