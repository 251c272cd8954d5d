/** The log on stderr of a command that runs a node or a sidecar. */

import { type Log, type LogFormat, type LogLevel, type LogOptions, makeLog } from "../text/log-line.js";
import { completeText } from "../text/program-text.js";
import type { Io } from "./io.js";

export interface LogChoices extends Pick<LogOptions, "source" | "format" | "isShown" | "timeText"> {
  /** `--log_no_color`, or the sidecar's COSMOVISOR_COLOR_LOGS=false. */
  readonly isPlain?: boolean;
  /** Where stderr is shared with something else. */
  readonly write?: LogOptions["write"];
}

interface StderrLogOptions extends LogChoices {
  readonly io: Pick<Io, "stderr" | "env">;
  /** Name of the program, in texts with commands to type. */
  readonly program: string;
}

const ORDER: readonly string[] = ["trace", "debug", "info", "warn", "error", "fatal", "silent"];

/** A line that cannot be written is lost, and the process goes on (the listener for errors of stderr). */
export function stderrLog({ io, program, isPlain = false, write = toStderr(io), ...options }: StderrLogOptions): Log {
  return makeLog({
    ...{ ...options, now: () => new Date() },
    write: (line) => write(completeText(line, program)),
    isColored: !isPlain && wantsColors(io.stderr, io.env),
  });
}

const toStderr = (io: Pick<Io, "stderr">) => (line: string) => void io.stderr.write(line);

/** Only a terminal shows colours, unless NO_COLOR is set to anything (no-color.org) or it says that it has none. */
export function wantsColors(stream: { readonly isTTY?: boolean }, env: Io["env"]): boolean {
  return stream.isTTY === true && !env["NO_COLOR"] && env["TERM"] !== "dumb";
}

/** @param least a name of `--log_level`: one of CometBFT's, `trace`, `fatal` or `silent` */
export function isLevelShown(level: LogLevel, least: string): boolean {
  return ORDER.indexOf(level) >= ORDER.indexOf(least);
}

/**
 * The format that a program is given on its command line or by its environment; undefined: neither says so.
 *
 * @param prefix of the program's own variables: `CHAIND_`
 */
export function givenLogFormat(
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
  prefix: string,
): LogFormat | undefined {
  let given = env[`${prefix}LOG_FORMAT`];
  for (const [at, arg] of args.entries()) {
    const [name = "", value] = arg.split("=", 2);
    if (/^--log[_-]format$/.test(name)) given = value ?? args[at + 1];
  }
  return given === "json" || given === "plain" ? given : undefined;
}

/**
 * Gives a program that this one runs the same format: programs of the Cosmos SDK read these variables too, and colour their lines in a
 * file unless LOG_NO_COLOR is set.
 *
 * @param prefix of the program's own variables: `CHAIND_`
 */
export function logEnvironment(
  { logFormat, isColored }: { readonly logFormat: LogFormat; readonly isColored: boolean },
  prefix: string,
): Readonly<Record<string, string>> {
  return {
    ...(logFormat === "json" ? { [`${prefix}LOG_FORMAT`]: "json" } : {}),
    ...(isColored && wantsColors(process.stderr, process.env) ? {} : { [`${prefix}LOG_NO_COLOR`]: "true" }),
  };
}
