/** How a command ends badly: one line on stderr (JSON with `-o json`), and the exit status of the error's code. */
import { CommanderError } from "commander";
import { isUpgradeError } from "../errors.js";

const USAGE_EXIT = 2;
const BUG_EXIT = 70;

/** Prints the error and answers the exit status. */
export function reportFailure(error: unknown, isJson: boolean, isTraced: boolean): number {
  if (error instanceof CommanderError) {
    // Help and version end well; commander has printed its own complaint.
    return error.exitCode === 0 ? 0 : USAGE_EXIT;
  }
  const known = isUpgradeError(error);
  const message = (error instanceof Error ? error.message : String(error)).replaceAll(/\s*\n\s*/g, "; ");
  const code = known ? error.code : "UPG_BUG_ASSERT";
  const line = isJson ? JSON.stringify({ error: message, code }) : `Error: ${message} [${code}]`;
  process.stderr.write(`${line}\n`);
  if (isTraced && error instanceof Error) process.stderr.write(`${error.stack}\n`);
  return known ? error.kind.exit : BUG_EXIT;
}
