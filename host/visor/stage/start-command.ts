/** How this sidecar is started, for every command that says what to do next: as it was started last, by hand or as a service. */

import type { Files } from "../../base/files/files.js";
import { writeWhole } from "../../base/files/whole-file.js";
import { utf8 } from "../../base/text/bytes.js";
import { shellWord } from "../../base/text/shell-word.js";
import { decodeLossy } from "../../base/text/text.js";
import { chainvisorFor, type RecordedStart, recordedStart } from "../../node/home/supervised-start.js";
import { placesOf } from "../decide/decision/paths.js";
import type { Settings } from "../decide/settings.js";
import { needsOtherProgram } from "./other-program.js";

const FILE_MODE = 0o644;
const CGROUP_BYTES_MAX = 65_536;
/** Where no start is on record. */
const NONE = { args: ["start"], service: undefined };

export interface StartCommands {
  /** Starts the sidecar as it was started. */
  readonly start: string;
  /** The same by hand: flags may be added. */
  readonly run: string;
  /** Undefined: no service runs it. */
  readonly service: string | undefined;
  /** The start of the sidecar before this one; undefined: there was none. */
  readonly before?: RecordedStart | undefined;
}

type Of = Pick<Settings, "home" | "name">;

function commandsOf(settings: Of, { args, service, command }: Omit<RecordedStart, "file">): StartCommands {
  const run = command ?? [chainvisorFor(settings), "run", ...args.map(shellWord)].join(" ");
  return { start: service ?? run, run, service };
}

interface Running {
  readonly settings: Of;
  readonly starts: Pick<StartCommands, "run" | "service">;
}

/** The same commands while a sidecar runs, which keeps a second one out: it starts the application when it is asked to. */
export function besideSidecar(commands: readonly string[], { settings, starts: { run, service } }: Running): string[] {
  const restart = `${chainvisorFor(settings)} restart`;
  return [...new Set(commands.map((each) => (each === run || each === service ? restart : each)))];
}

/**
 * What a halt record names, else these starts: a program that comes too early is not to be started again, nor one that does not fit
 * the state, whatever its record names.
 * @param other puts the program in its place that fits the state; undefined: nobody knows which
 */
export function commandsAfter(
  halt: { readonly code: string; readonly commands: readonly string[] } | undefined,
  starts: readonly string[],
  other?: string,
): readonly string[] {
  if (!halt) return starts;
  if (needsOtherProgram(halt.code)) return other === undefined ? [] : [other, ...starts];
  return halt.commands.length > 0 || halt.code === "UPG_HALT_BINARY_TOO_EARLY" ? halt.commands : starts;
}

interface KeptStart extends Pick<RecordedStart, "args" | "command"> {
  readonly settings: Of;
  readonly env: NodeJS.ProcessEnv;
}

/** Of this process; kept for commands that ask when it is gone. @throws what the disk says */
export function keepStart(files: Files, path: string, { settings, env, args, command }: KeptStart): StartCommands {
  const start = { args, command, service: serviceOf(files, env) };
  const commands = { ...commandsOf(settings, start), before: recordedStart(files, path) };
  writeStart(files, path, start);
  return commands;
}

function writeStart(files: Files, path: string, { args, service, command }: Omit<RecordedStart, "file">): void {
  writeWhole(files, path, utf8(`${JSON.stringify({ v: 1, args, service: service ?? null, command })}\n`), FILE_MODE);
}

/**
 * The program has refused the arguments of this start: the start before it is kept again, best effort.
 * @returns the command to offer; a service that was started with these arguments would be refused again
 */
export function takeBackStart(files: Files, path: string, settings: Of, { before, service }: StartCommands): string {
  try {
    if (before) writeStart(files, path, before);
    else files.remove(path);
  } catch {
    // The record is for people: nothing is decided from it.
  }
  const { run, start } = commandsOf(settings, before ?? NONE);
  return service === undefined ? start : run;
}

/** What a relay does whatever is set: it holds CometBFT's connections, which go on while the program is replaced. */
export const RELAY_SETTINGS = {
  isHotSwitch: true,
  isBackupSkipped: true,
  isRestartedAfterUpgrade: true,
  onRefusal: "stop",
} as const satisfies Partial<Settings>;

/** The settings of the home's supervisor: those of a relay, where it was started last. */
export function ofLastSupervisor(files: Files, settings: Settings): Settings {
  const isRelay = recordedStart(files, placesOf(settings).startFile)?.command !== undefined;
  return isRelay ? { ...settings, ...RELAY_SETTINGS } : settings;
}

/** As the last sidecar of this home was started; none was: `run start`. */
export function lastStart(files: Files, path: string, settings: Of): StartCommands {
  return commandsOf(settings, recordedStart(files, path) ?? NONE);
}

/**
 * systemd names the process that it started, which may be a shell before this one; before version 248 it only gives each start an id.
 * Programs that a person starts in a session inherit both, but are in the control group of the session, not of a unit.
 */
function isOfSystemd({ SYSTEMD_EXEC_PID: started, INVOCATION_ID: id }: NodeJS.ProcessEnv): boolean {
  if (started === undefined) return id !== undefined;
  return started === String(process.pid) || started === String(process.ppid);
}

function serviceOf(files: Files, env: NodeJS.ProcessEnv): string | undefined {
  if (!isOfSystemd(env)) return undefined;
  try {
    const group = decodeLossy(files.readPart("/proc/self/cgroup", 0, CGROUP_BYTES_MAX));
    const unit = /\/([A-Za-z0-9:_.@\\-]+\.service)$/m.exec(group)?.[1];
    if (unit === undefined) return undefined;
    const user = /\/user@\d+\.service\//.test(group) ? " --user" : "";
    return `systemctl${user} start ${shellWord(unit.replace(/\.service$/, ""))}`;
  } catch {
    return undefined;
  }
}
