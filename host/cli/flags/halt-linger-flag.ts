/** The flag of `start` that says how long a node at an upgrade's height holds for its supervisor. */
import { type Command, InvalidArgumentError, Option } from "commander";
import { parseDuration } from "../../base/terminal/options.js";
import type { LingerTime } from "../../node/home/halt-linger.js";

export interface HaltLingerFlags {
  /** Nanoseconds; undefined: as the environment says. */
  readonly haltLinger?: bigint;
}

/** Cosmovisor sees the file within its interval, and asks the program for its height before it acts. */
const SUPERVISED_MILLIS = 30_000;
/** Without a supervisor: a validator that is slower by a block needs this node's vote for it. */
const PEERS_MILLIS = 3_000;
/** Intervals of the supervisor that are waited for besides. */
const POLLS = 2;
const NANOS_PER_MILLI = 1_000_000n;

export function addHaltLingerFlag(command: Command): Command {
  const seconds = SUPERVISED_MILLIS / 1_000;
  return command.addOption(
    new Option(
      "--halt-linger <duration>",
      "at an upgrade's height, and at --halt-height, hold so long before the end, for a supervisor that polls " +
        "upgrade-info.json and for peers that need this node's vote; upgrades alone, without the flag " +
        `(default: ${seconds}s and two of DAEMON_POLL_INTERVAL where DAEMON_NAME is set, else ${PEERS_MILLIS / 1_000}s with --engine cometbft, else 0)`,
    ).argParser(parseDuration),
  );
}

/** @param hasPeers other validators may need this node's vote: its engine is CometBFT */
export function haltLingerTime({ haltLinger }: HaltLingerFlags, env: NodeJS.ProcessEnv, hasPeers = false): LingerTime {
  if (haltLinger !== undefined) return { millis: Number(haltLinger / NANOS_PER_MILLI), isAsked: true };
  const polls = () => SUPERVISED_MILLIS + POLLS * intervalMillis(env["DAEMON_POLL_INTERVAL"] ?? "");
  if (env["DAEMON_NAME"]) return { millis: polls(), isAsked: false };
  return { millis: hasPeers ? PEERS_MILLIS : 0, isAsked: false, isForPeers: hasPeers };
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
