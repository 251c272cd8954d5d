/** The flag of `start` that says how long a node at an upgrade's height holds for its supervisor. */
import { type Command, InvalidArgumentError, Option } from "commander";
import { parseDuration } from "../shell/options.js";

export interface HaltLingerFlags {
  /** Nanoseconds; undefined: as the environment says. */
  readonly haltLinger?: bigint;
}

/** Cosmovisor sees the file within its interval, and asks the program for its height before it acts. */
const SUPERVISED_MILLIS = 30_000;
/** Intervals of the supervisor that are waited for besides. */
const POLLS = 2;
const NANOS_PER_MILLI = 1_000_000n;

export function addHaltLingerFlag(command: Command): Command {
  const seconds = SUPERVISED_MILLIS / 1_000;
  return command.addOption(
    new Option(
      "--halt-linger <duration>",
      "at an upgrade's height hold so long before the end, for a supervisor that polls upgrade-info.json " +
        `(default: ${seconds}s and two of DAEMON_POLL_INTERVAL where DAEMON_NAME is set, else 0)`,
    ).argParser(parseDuration),
  );
}

/** Milliseconds; 0: the node ends at once. */
export function haltLingerMillis({ haltLinger }: HaltLingerFlags, env: NodeJS.ProcessEnv): number {
  if (haltLinger !== undefined) return Number(haltLinger / NANOS_PER_MILLI);
  if (!env["DAEMON_NAME"]) return 0;
  return SUPERVISED_MILLIS + POLLS * intervalMillis(env["DAEMON_POLL_INTERVAL"] ?? "");
}

/** Whether it is well formed is for the supervisor to say; it ends by itself where it is not. */
function intervalMillis(text: string): number {
  try {
    return text === "" ? 0 : Number(parseDuration(text) / NANOS_PER_MILLI);
  } catch (error) {
    if (error instanceof InvalidArgumentError) return 0;
    throw error;
  }
}
