/**
 * How a command ends badly: one line on stderr (JSON with `-o json`), and the exit status of the error's code. A command that has
 * opened the process's log writes the line there, in the log's format.
 */
import { CommanderError } from "commander";
import { ERROR_KINDS, type ErrorCode, isUpgradeError, messageOf } from "../errors/errors.js";
import { machineProblem, upgradeErrorOf } from "../errors/machine.js";
import { type LogFields, stackOf } from "../text/log-line.js";
import { visible, visibleJson, visibleLines } from "../text/visible.js";
import { keepFailure } from "./last-failure.js";
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
    if (error.exitCode === 0) return 0;
    keepFailure({ exit: USAGE_EXIT, code: "UPG_INVALID_ARGUMENT", message: error.message });
    return USAGE_EXIT;
  }
  const { code } = upgradeErrorOf(error);
  const { exit } = ERROR_KINDS[code];
  const log = processLog();
  const message = (machineProblem(error) ?? messageOf(error)).replaceAll(/\s*\n\s*/g, "; ");
  keepFailure({ exit, code, message });
  if (typeof error === "object" && error !== null && reported.has(error)) {
    if (isTraced) log?.("error", "the stack of this error", stackOf(error));
    return exit;
  }
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
  const line = isJson
    ? visibleJson(JSON.stringify({ error: message, code, ...failedTx(error) }))
    : `Error: ${visible(message)} [${code}]`;
  process.stderr.write(`${line}\n`);
  const stack = isTraced && stackOf(error).stack;
  if (stack) process.stderr.write(`${visibleLines(stack)}\n`);
}

/** What a node reported of a transaction that failed. */
function failedTx(error: unknown) {
  if (!isUpgradeError(error)) return {};
  const { tx_codespace: codespace = "", tx_code: code, tx_log: log = "" } = error.details;
  return code === undefined ? {} : { tx: { codespace, code: Number(code), log } };
}

/** Of an error that a line of the log is not about: what happened, and where. */
export const errorFields = (error: unknown): LogFields => ({ error: messageOf(error), ...stackOf(error) });
