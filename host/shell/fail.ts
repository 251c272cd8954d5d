/** How a command ends badly: one line on stderr (JSON with `-o json`), and the exit status of the error's code. */
import { CommanderError } from "commander";
import { ERROR_KINDS, type ErrorCode, isUpgradeError, messageOf } from "../errors.js";
import { isOutOfMemory, machineProblem } from "../machine.js";
import { visible, visibleJson, visibleLines } from "../visible.js";

const USAGE_EXIT = 2;

/** Prints the error and returns the exit status. */
export function reportFailure(error: unknown, isJson: boolean, isTraced: boolean): number {
  if (error instanceof CommanderError) {
    // Help and version end well; commander has printed its own complaint.
    return error.exitCode === 0 ? 0 : USAGE_EXIT;
  }
  const code = codeOf(error);
  const message = (machineProblem(error) ?? messageOf(error)).replaceAll(/\s*\n\s*/g, "; ");
  const line = isJson ? visibleJson(JSON.stringify({ error: message, code })) : `Error: ${visible(message)} [${code}]`;
  process.stderr.write(`${line}\n`);
  if (isTraced && error instanceof Error) process.stderr.write(`${visibleLines(error.stack ?? "")}\n`);
  return ERROR_KINDS[code].exit;
}

/** What the system says no to, a folder of somebody else or a full disk, is no bug, wherever it comes up. */
function codeOf(error: unknown): ErrorCode {
  if (isUpgradeError(error)) return error.code;
  const isRefused = error instanceof Error && "syscall" in error;
  return isRefused || isOutOfMemory(error) ? "UPG_STORE_IO" : "UPG_BUG_ASSERT";
}
