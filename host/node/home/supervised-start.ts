/** How this node is started where a sidecar does it: a plain `start` beside the sidecar would lack the flags of its unit. */
import { lstatSync, readlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { diskFiles } from "../../base/files/disk-files.js";
import type { Files } from "../../base/files/files.js";
import { shellWord } from "../../base/text/shell-word.js";
import { decodeLossy } from "../../base/text/text.js";
import { livingHolder } from "./home-lock.js";

/** Of the sidecar's folder: how the last sidecar was started. */
export const START_FILE = "last-start.json";
/** Of the sidecar's folder: held while a sidecar runs. */
export const SIDECAR_LOCK = "chainvisor.lock";
const BYTES_MAX = 1_048_576;

export interface SupervisedStart {
  /** All words, to which flags may be added. */
  readonly startCommand?: string | undefined;
  /** Of the system's service, which takes no flags. */
  readonly serviceCommand?: string | undefined;
  /** Links the program before the last switch; undefined: the sidecar has made none. */
  readonly rollbackCommand?: string | undefined;
}

type Environment = Readonly<Record<string, string | undefined>>;

interface Supervised {
  readonly home: string;
  readonly name: string;
  /** The sidecar's folder. */
  readonly root: string;
}

export const supervisedStart = (env: NodeJS.ProcessEnv = process.env): SupervisedStart => {
  const { CHAINVISOR_START: startCommand, CHAINVISOR_SERVICE: serviceCommand } = env;
  const { DAEMON_HOME: home, DAEMON_NAME: name, CHAINVISOR_SUPERVISES: root } = env;
  const rollbackCommand = home && name && root ? rollbackOf({ home, name, root }) : undefined;
  return { startCommand, serviceCommand, rollbackCommand };
};

export interface RecordedStart {
  /** File that the arguments come from: the record of a start, or a unit file. */
  readonly file: string;
  /** In which the program runs; undefined: that of the record. */
  readonly folder?: string;
  /** Of the program: `start` and its flags. */
  readonly args: readonly string[];
  /** Command that starts the service; undefined: no service ran the sidecar. */
  readonly service: string | undefined;
  /** All words, where it was not `chainvisor run` and the arguments. */
  readonly command?: string | undefined;
}

/** Undefined: no sidecar was started yet, or an older version of it. */
export function recordedStart(files: Pick<Files, "read">, file: string): RecordedStart | undefined {
  try {
    const bytes = files.read(file, BYTES_MAX) ?? new Uint8Array();
    const { args, service, command } = JSON.parse(decodeLossy(bytes)) as Record<string, unknown>;
    if (!isWords(args)) return undefined;
    const text = (value: unknown) => (typeof value === "string" ? value : undefined);
    return { file, args, service: text(service), command: text(command) };
  } catch {
    return undefined;
  }
}

/** How the last sidecar started the node of this home, for commands that say what such a start comes to. Undefined: none did. @param program its name */
export function startUnderSidecar(program: string, home: string, env: Environment): RecordedStart | undefined {
  const { DAEMON_HOME: other, DAEMON_NAME: name } = env;
  const asked = askedStart(program, env);
  if (asked) return asked;
  const supervised = other && name === program ? other : home;
  return recordedStart(diskFiles, join(supervised, "cosmovisor", START_FILE));
}

/** For `pre-upgrade`: judge this start, which may be that of a unit file, in place of the last one. */
export const ASKED_START = "CHAINVISOR_ASKED_START";

export const askedStartText = ({ file, folder, args }: Omit<RecordedStart, "service">): string =>
  JSON.stringify({ file, folder, args });

/** Returns undefined when the arguments are those of another program. */
function askedStart(
  program: string,
  { [ASKED_START]: text, DAEMON_NAME: name }: Environment,
): RecordedStart | undefined {
  if (!text || name !== program) return undefined;
  try {
    const { file, folder, args } = JSON.parse(text) as Record<string, unknown>;
    if (!isWords(args) || typeof file !== "string" || typeof folder !== "string") return undefined;
    return { file, folder, args, service: undefined };
  } catch {
    return undefined;
  }
}

const isWords = (args: unknown): args is string[] =>
  Array.isArray(args) && args.every((each) => typeof each === "string");

/** The same while the sidecar runs: another supervisor starts the node without the flags of the one before it. */
export function startUnderRunningSidecar(program: string, home: string, env: Environment): RecordedStart | undefined {
  const recorded = startUnderSidecar(program, home, env);
  if (!recorded || recorded.folder !== undefined || env["CHAINVISOR_SUPERVISES"] !== undefined) return recorded;
  return livingHolder(join(dirname(recorded.file), SIDECAR_LOCK)) === undefined ? undefined : recorded;
}

/** For a shell without the variables of the sidecar. */
export const chainvisorFor = ({ home, name }: Pick<Supervised, "home" | "name">): string =>
  `chainvisor --home ${shellWord(home)} --name ${shellWord(name)}`;

/** Links the program before the last switch; undefined: there is none to go back to. */
export function rollbackOf(supervised: Supervised): string | undefined {
  const previous = linkTarget(join(supervised.root, "previous"));
  if (previous === undefined || previous === linkTarget(join(supervised.root, "current"))) return undefined;
  return `${chainvisorFor(supervised)} rollback --program-only`;
}

function linkTarget(path: string): string | undefined {
  try {
    return lstatSync(path).isSymbolicLink() ? readlinkSync(path) : undefined;
  } catch {
    return undefined;
  }
}
