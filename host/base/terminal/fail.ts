/**
 * How a command ends badly: one line on stderr (JSON with `-o json`), and the exit status of the error's code. A command that has
 * opened the process's log writes the line there, in the log's format.
 */
import { CommanderError } from "commander";
import { ERROR_KINDS, type ErrorCode, isUpgradeError, messageOf } from "../errors/errors.js";
import { machineProblem, upgradeErrorOf } from "../errors/machine.js";
import { type Log, type LogFields, stackOf } from "../text/log-line.js";
import { completeText } from "../text/program-text.js";
import { visible, visibleJson, visibleLines } from "../text/visible.js";
import type { Io } from "./io.js";
import { keepFailure } from "./last-failure.js";
import { type LogChoices, stderrLog } from "./process-log.js";

const USAGE_EXIT = 2;

/** Errors that the log has a line of. */
const reported = new WeakSet<object>();

/** The log has a line of this error, with its code: `report` writes none. */
export function setReported(error: unknown): void {
  if (typeof error === "object" && error !== null) reported.add(error);
}

interface Asked {
  readonly isJson: boolean;
  readonly isTraced: boolean;
}

/** Reports how the commands of one program fail. */
export class FailureReporter {
  #log: Log | undefined;

  constructor(
    /** Name of the program, in texts with commands to type. */
    readonly program: string,
    private readonly io: Pick<Io, "stderr" | "env">,
  ) {}

  /** The log of a command that runs a node or a sidecar: failures are lines of it from now on. */
  openLog(choices: LogChoices): Log {
    this.#log = this.makeLog(choices);
    return this.#log;
  }

  /** The same for a command whose failure is still `Error: …`, since a person typed it. */
  makeLog(choices: LogChoices): Log {
    return stderrLog({ ...choices, io: this.io, program: this.program });
  }

  /** Prints the error and returns the exit status. */
  report(error: unknown, { isJson, isTraced }: Asked): number {
    if (error instanceof CommanderError) {
      // Help and version end well; commander has printed its own complaint.
      if (error.exitCode === 0) return 0;
      keepFailure(this.io.env, { exit: USAGE_EXIT, code: "UPG_INVALID_ARGUMENT", message: error.message });
      return USAGE_EXIT;
    }
    const { code } = upgradeErrorOf(error);
    const { exit } = ERROR_KINDS[code];
    const text = (machineProblem(error) ?? messageOf(error)).replaceAll(/\s*\n\s*/g, "; ");
    const message = completeText(text, this.program);
    keepFailure(this.io.env, { exit, code, message });
    if (typeof error === "object" && error !== null && reported.has(error)) {
      if (isTraced) this.#log?.("error", "the stack of this error", stackOf(error));
      return exit;
    }
    if (this.#log) this.#log("error", message, { code, exit, ...(isTraced ? stackOf(error) : {}) });
    else this.#print(error, { message, code, isJson, isTraced });
    return exit;
  }

  #print(error: unknown, { message, code, isJson, isTraced }: Asked & { message: string; code: ErrorCode }): void {
    const line = isJson
      ? visibleJson(JSON.stringify({ error: message, code, ...failedTx(error) }))
      : `Error: ${visible(message)} [${code}]`;
    this.io.stderr.write(`${line}\n`);
    const stack = isTraced && stackOf(error).stack;
    if (stack) this.io.stderr.write(`${visibleLines(completeText(stack, this.program))}\n`);
  }
}

/** What a node reported of a transaction that failed. */
function failedTx(error: unknown) {
  if (!isUpgradeError(error)) return {};
  const { tx_codespace: codespace = "", tx_code: code, tx_log: log = "" } = error.details;
  return code === undefined ? {} : { tx: { codespace, code: Number(code), log } };
}

/** Of an error that a line of the log is not about: what happened, and where. */
export const errorFields = (error: unknown): LogFields => ({ error: messageOf(error), ...stackOf(error) });
