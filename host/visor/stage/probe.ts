/** Whether a program will run here, before its height: it prints its version, it has `pre-upgrade`, and ours its handler. */

import { messageOf } from "../../base/errors/errors.js";
import type { Files } from "../../base/files/files.js";
import { shellWord } from "../../base/text/shell-word.js";
import { decodeLossy } from "../../base/text/text.js";
import { contentProblem, isRunByNode } from "../../node/programs/executable.js";
import type { Program } from "../../node/programs/layout.js";
import { kindOfProgram } from "../../node/programs/program-kind.js";
import type { Processes, RunEnd, RunOptions } from "../decide/machine.js";
import type { Readiness } from "../decide/status.js";

export interface ProbeOptions {
  readonly program: Program;
  readonly home: string;
  readonly env: RunOptions["env"];
  /** The home's state is one of ours: `pre-upgrade` makes all checks of a start at the height, beside the node. */
  readonly isOurs: boolean;
  readonly files: Files;
  readonly processes: Pick<Processes, "run">;
  readonly signal: AbortSignal;
}

const VERSION_MILLIS_MAX = 15_000;
/** Ours looks at state, which may be large; `chainvisor status` waits as long for what the sidecar finds out. */
export const CHECK_MILLIS_MAX = 30_000;
const LINE_LENGTH_MAX = 300;
const SCRIPT_BYTES_MAX = 4_096;
const TRY_AGAIN = 31;

/** What to run by hand, with the place it is run in. */
const byHand = ({ program: { file } }: ProbeOptions, words: string) => `${shellWord(file)} ${words}`;

/**
 * `program`, then `pre-upgrade`. Never throws. A script is not run, since it may do its work whatever it is asked, but for one that
 * is its program with all arguments.
 */
export async function probeProgram(options: ProbeOptions): Promise<readonly Readiness[]> {
  const { program, files } = options;
  const problem = problemWith(program, files);
  if (problem !== undefined) return [cannotRun(program, problem)];
  if (!isAskable(options)) {
    const detail = `${program.file}, a script, which is not asked for its version`;
    const asked: Readiness = {
      ...{ what: "pre-upgrade", state: "unknown", next: null },
      detail: `${program.file} cannot be asked: it is a script with other lines than assignments and, last, exec PROGRAM "$@". Write it so`,
    };
    return [{ what: "program", state: "ready", detail, next: null }, ...(options.isOurs ? [asked] : [])];
  }
  const version = await probeVersion(options);
  if (version.state === "wrong") return [version];
  return [version, options.isOurs ? (await probeChecks(options)).row : await probePreUpgrade(options)];
}

interface HandedOver {
  /** That gets all arguments; undefined: its name has blanks or quotes. */
  readonly program: string | undefined;
  /** In which the script looks for it; undefined: in that of its own start. */
  readonly path: string | undefined;
}

/** Undefined: the script does more than `exec PROGRAM "$@"`, besides variables and comments. */
export function handedOver(file: string, files: Files): HandedOver | undefined {
  try {
    const lines = linesOf(decodeLossy(files.readPart(file, 0, SCRIPT_BYTES_MAX))).filter(
      (line) => !line.startsWith("#"),
    );
    const last = lines.pop() ?? "";
    const isPlain = (line: string) => /^(export\s+)?[A-Za-z_][A-Za-z0-9_]*=[^`$;&|()<>\s]*$/.test(line);
    if (!lines.every(isPlain) || !/^exec\s[^`$;&|()<>]*\s"\$@"$/.test(last)) return undefined;
    const paths = lines.flatMap((line) => /^(?:export\s+)?PATH=["']?([^"']*)["']?$/.exec(line)?.[1] ?? []);
    return { program: /^exec\s+([^\s"'\\-][^\s"'\\]*)\s/.exec(last)?.[1], path: paths.at(-1) };
  } catch {
    return undefined;
  }
}

function problemWith({ file }: Program, files: Files): string | undefined {
  try {
    return contentProblem(files, file);
  } catch (error) {
    return `${file} cannot be read: ${messageOf(error)}`;
  }
}

const isScript = (file: string, files: Files) => !isRunByNode(file) && kindOfProgram(files, file).format === "script";

function cannotRun({ file }: Program, why: string): Readiness {
  const next = `file ${shellWord(file)}`;
  return {
    what: "program",
    state: "wrong",
    detail: why.startsWith(file) ? why : `${file} cannot be run: ${why}`,
    next,
  };
}

async function probeVersion(options: ProbeOptions): Promise<Readiness> {
  const { file } = options.program;
  const end = await run(options, ["version"], VERSION_MILLIS_MAX);
  const why = reasonOf(end);
  const what = "program";
  if (why !== undefined) return cannotRun(options.program, why);
  const version = firstLine(end.stdout) || firstLine(end.stderr);
  if (end.exit === 0)
    return { what, state: "ready", detail: `${file}, version ${version || "not printed"}`, next: null };
  const ended = end.error ? "did not end in time" : `ended with ${end.signal ?? end.exit}`;
  const detail = `${file} runs, but its \`version\` ${ended}${version && `: ${version}`}`;
  return { what, state: "unknown", detail, next: byHand(options, "version") };
}

/** Asks for help alone: the command itself might begin to work. */
async function probePreUpgrade(options: ProbeOptions): Promise<Readiness> {
  const { stdout, stderr, exit } = await run(options, ["help", "pre-upgrade"], VERSION_MILLIS_MAX);
  const text = `${stdout}\n${stderr}`;
  const { name } = options.program;
  const what = "pre-upgrade";
  if (/unknown (help topic|command)/i.test(text)) {
    return {
      what,
      state: "skipped",
      detail: `${name} has no command pre-upgrade, so none runs at the height`,
      next: null,
    };
  }
  if (exit === 0 && /\bpre-upgrade\b/.test(text)) {
    return { what, state: "ready", detail: `${name} has the command pre-upgrade; it runs at the height`, next: null };
  }
  const detail = `${name} does not say whether it has the command pre-upgrade; it is run at the height`;
  return { what, state: "skipped", detail, next: null };
}

/** What a program reports by its `pre-upgrade`. */
interface Report {
  readonly row: Readiness;
  /** It was stopped at the time limit, so nobody knows whether the program fits. */
  readonly isLate: boolean;
}

async function probeChecks(options: ProbeOptions): Promise<Report> {
  const end = await run(options, ["pre-upgrade", "--home", options.home], CHECK_MILLIS_MAX);
  const why = reasonOf(end);
  if (why !== undefined) return { row: cannotRun(options.program, why), isLate: false };
  return { row: checksRow(end, options), isLate: wasStopped(end) };
}

function checksRow(end: RunEnd, options: ProbeOptions): Readiness {
  const said = lastLine(end.stderr) || lastLine(end.stdout);
  const what = "pre-upgrade";
  const next = byHand(options, `pre-upgrade --home ${shellWord(options.home)}`);
  if (wasStopped(end)) {
    const late = `did not end within ${CHECK_MILLIS_MAX / 1_000} s${said && `: ${said}`}`;
    return { what, state: "unknown", detail: `${options.program.file}: its pre-upgrade ${late}`, next };
  }
  if (end.exit === 0 && CANNOT.test(said)) return { what, state: "wrong", detail: said, next };
  if (end.exit === 0) {
    return { what, state: "ready", detail: said || "the new version has what the next upgrade needs", next: null };
  }
  const ended = `ended with ${end.signal ?? end.exit}`;
  // Ours has the command, and ends with 0, 30 or 31: any other end is one of another program.
  const state = end.exit === TRY_AGAIN ? "unknown" : "wrong";
  return { what, state, detail: `pre-upgrade ${ended}${said && `: ${said}`}`, next };
}

/** The sidecar stopped it, at the time limit or because the sidecar exits; the system's own errors have a code. */
export const wasStopped = ({ error }: Pick<RunEnd, "error">): boolean =>
  error !== undefined && (error as NodeJS.ErrnoException).code === undefined;

/** What our `pre-upgrade` prints of a plan whose block it cannot make. */
const CANNOT = /\bcan go on until then, not beyond\b(?:: (.*))?/s;

/** Why the program cannot make the plan's block, by what its `pre-upgrade` printed; undefined: it printed something else. */
export function missingHandlerIn(line: string): string | undefined {
  const found = CANNOT.exec(line);
  return found ? (found[1] ?? "") : undefined;
}

/** What it prints of a program that carries a plan of the state, and cannot run before its height. */
export const comesTooEarly = ({ what, detail }: Readiness): boolean =>
  what === "pre-upgrade" && /\bcomes too early\b/.test(detail);

/** What it prints of a plan whose handler it has. */
const MAKES = /\b(apply the upgrade at the height|can take over)\b/;

export const saysItMakes = ({ what, state, detail }: Readiness): boolean =>
  what === "pre-upgrade" && state === "ready" && MAKES.test(detail);

/**
 * What the program that runs now says of the scheduled plan. Undefined: it cannot be asked, as it is none of this project's, or a shell's
 * script.
 */
export async function askCurrent(options: ProbeOptions): Promise<Report | undefined> {
  const { program, files, isOurs } = options;
  if (!isOurs || !files.facts(program.file) || problemWith(program, files) !== undefined) return undefined;
  return isAskable(options) ? probeChecks(options) : undefined;
}

/**
 * Why no chain begins with the home's genesis document, by the check that `start` makes.
 * @returns undefined: one does, or the program cannot be asked, or is none of this project's
 */
export async function genesisProblem(options: ProbeOptions): Promise<string | undefined> {
  const { program, files, home } = options;
  if (!files.facts(program.file) || problemWith(program, files) !== undefined || !isAskable(options)) return undefined;
  const end = await run(options, ["genesis", "validate", "--home", home], CHECK_MILLIS_MAX);
  const said = lastLine(end.stderr);
  return end.exit !== 0 && said.includes("[UPG_INVALID_GENESIS]") ? said.replace(/^Error: /, "") : undefined;
}

/** A shell's script may do its work whatever it is asked; ours may be a script of Node.js. */
const isAskable = ({ program: { file }, files, isOurs }: ProbeOptions): boolean =>
  !isScript(file, files) || handedOver(file, files) !== undefined || (isOurs && isOfNode(file, files));

function isOfNode(file: string, files: Files): boolean {
  const [line = ""] = decodeLossy(files.readPart(file, 0, LINE_LENGTH_MAX)).split("\n", 1);
  return /^#!.*\bnode$/.test(line.trim());
}

function run(
  { program, home, env, processes, signal }: ProbeOptions,
  args: readonly string[],
  millisMax: number,
): Promise<RunEnd> {
  return processes.run(program.file, { args, env, cwd: home, millisMax, signal });
}

/** Why the system did not start it, or what it lacked to begin; undefined: it ran. */
function reasonOf({ error, exit, stderr }: RunEnd): string | undefined {
  const { code = "" } = (error ?? {}) as NodeJS.ErrnoException;
  if (code === "EACCES") return "permission denied: it may not be executed, or its file system is mounted with noexec";
  if (code !== "") return code;
  const loader = /error while loading shared libraries: ([^\n]*)/.exec(stderr)?.[1];
  if (loader !== undefined) return `${loader}: install the library, or take the static build`;
  const libc = /version [`'](GLIBC_[^'`]*)'? not found/.exec(stderr)?.[1];
  if (libc !== undefined)
    return `it needs ${libc}, and the C library of this machine is older: take a build for it, or the static one`;
  const isLost = exit === 127 && stderr.trim() !== "";
  return isLost ? firstLine(stderr) : undefined;
}

/** What this file and other-program.ts look for anywhere in a line of ours. */
const MARKS_READ =
  /\[UPG_[A-Z_]+\]|\bcan go on until then, not beyond\b|\bcomes too early\b|\b(apply the upgrade at the height|can take over)\b/g;
const MARKS_MAX = 4;

/** A long line is cut, but for what other code looks for in it. */
function cut(line = ""): string {
  if (line.length <= LINE_LENGTH_MAX) return line;
  const lost = [...line.matchAll(MARKS_READ)].filter(({ index, 0: mark }) => index + mark.length > LINE_LENGTH_MAX);
  return [`${line.slice(0, LINE_LENGTH_MAX)}…`, ...lost.slice(-MARKS_MAX).map(([mark]) => mark)].join(" ");
}

const linesOf = (text: string) =>
  text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");
const firstLine = (text: string) => cut(linesOf(text)[0]);
const lastLine = (text: string) => cut(linesOf(text).at(-1));
