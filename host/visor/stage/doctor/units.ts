/** Unit files of systemd that run a sidecar on this home: values with which an upgrade goes wrong in the night. */
import { isAbsolute, join, resolve } from "node:path";
import { messageOf } from "../../../base/errors/errors.js";
import type { Files } from "../../../base/files/files.js";
import { decodeLossy } from "../../../base/text/text.js";
import { flagIn } from "../../decide/own-home.js";
import { NO_RESTART } from "../../decide/program-end.js";
import { parseGoDuration } from "../../decide/settings/go-duration.js";
import { lacksOfUser } from "../files-readiness.js";
import { layoutOf } from "../other-program.js";
import { scriptProblem } from "../script.js";
import { type Finding, ok, type Patient, warning, wrong } from "./finding.js";
import { OPEN_FILES_MIN, stopSeconds } from "./unit-file.js";
import { pathProblem } from "./unit-path.js";
import { bytesOf, environmentOf, unitStart } from "./unit-start.js";
import { UnitText, unitSeconds } from "./unit-text.js";
import { USERS, unitUser } from "./unit-user.js";

const FOLDERS = ["/etc/systemd/system", "/usr/lib/systemd/system", "/lib/systemd/system"];
/** Of what a user cannot do. */
const LACKS_SHOWN = 3;
/** Values of Restart with which a service that exits with 0 is started again. */
const AFTER_SUCCESS: ReadonlySet<string> = new Set(["always", "on-success"]);
const NANOS_PER_MILLI = 1_000_000n;

export function unitFindings(patient: Patient): Finding[] {
  const units = unitsOf(patient);
  const named = units.flatMap((file) => {
    const text = textOf(patient.files, file);
    return text === undefined ? [wrong("unit", `${file} is missing`)] : findingsOf(file, text, patient);
  });
  if (units.length > 1) {
    return [
      ...named,
      warning("unit", `several unit files run a sidecar on this home: ${units.join(", ")}; one of them may run`),
    ];
  }
  return named;
}

/** Those that the operator named, else those of the system that name this home. */
export const unitsOf = ({ units, files, read }: Pick<Patient, "units" | "files" | "read">): readonly string[] =>
  units ?? ownUnits(files, read.settings.home);

/** Does the one unit of this home start a sidecar again that has exited with 0? */
export function isStartedAgainByUnit(files: Files, home: string): boolean {
  const [file, ...others] = ownUnits(files, home);
  const restart = file === undefined ? undefined : textOf(files, file)?.last("Restart");
  return others.length === 0 && restart !== undefined && AFTER_SUCCESS.has(restart);
}

/** Those that name the home and a sidecar. */
function ownUnits(files: Files, home: string): string[] {
  return FOLDERS.flatMap((folder) =>
    (files.list(folder) ?? []).filter((name) => name.endsWith(".service")).map((name) => join(folder, name)),
  ).filter((file) => {
    const text = textOf(files, file);
    return text?.has(/^ExecStart=.*(chainvisor|cosmovisor)/m) && text.mentions(home);
  });
}

/** Undefined: there is none, or it cannot be read. */
export function textOf(files: Files, file: string): UnitText | undefined {
  const bytes = bytesOf(files, file);
  return bytes && UnitText.of(bytes);
}

function findingsOf(file: string, unit: UnitText, patient: Patient): Finding[] {
  if (unit.has(/^ExecStart=.*cosmovisor/m))
    return [warning("unit", `${file} runs Cosmovisor on this home: one sidecar may run`, "chainvisor service")];
  const settings = otherSettings(unit, patient);
  const started = settings.length > 0 ? NOTHING : startOf(unit, patient);
  const asked = patient.unitStarts?.get(file) ?? [];
  const problems = [...settings, ...started.problems, ...asked, ...endings(unit, patient), ...missing(unit, patient)];
  const doubts = [...started.doubts, ...doubtsOf(unit, patient), ...startsOnceOnly(unit)];
  const lost = settings.length > 0 ? [] : unfound(file, unit, patient);
  if (problems.length + doubts.length + lost.length === 0) return [ok("unit", file)];
  return [
    ...lost.map((text) => wrong("unit", `${file}: ${text}`)),
    ...problems.map((text) => wrong("unit", `${file}: ${text}`, "chainvisor service")),
    ...doubts.map((text) => warning("unit", `${file}: ${text}`, "chainvisor service")),
  ];
}

interface StartFindings {
  readonly problems: readonly string[];
  readonly doubts: readonly string[];
}

const NOTHING: StartFindings = { problems: [], doubts: [] };

/** What speaks against the start of the sidecar and its application, besides what is wrong here anyway. */
function startOf(unit: UnitText, patient: Patient): StartFindings {
  const { files, read } = patient;
  const { name } = read.settings;
  try {
    const start = unitStart(unit, files, name);
    if (!start) return { problems: missingVariables(unit, files), doubts: [] };
    const script = scriptProblem(files, start.read.settings, patient);
    const here = [...read.problems, ...read.warnings];
    const problems = [
      ...start.read.problems,
      ...(script === undefined || here.includes(script) ? [] : [script]),
      ...otherCommand(start.app),
      ...unreadable(unit, patient),
    ];
    const doubts = start.read.warnings.filter((text) => text !== script);
    const isNew = (text: string) => !here.includes(text);
    return { problems: problems.filter(isNew), doubts: doubts.filter(isNew) };
  } catch (error) {
    return { problems: [messageOf(error)], doubts: [] };
  }
}

/** A node of any chain is run by its program's `start`. */
function otherCommand(app: readonly string[] | undefined): readonly string[] {
  if (app?.includes("start")) return [];
  const what = app ? `\`${["run", ...app].join(" ")}\`` : "another command than `run`";
  return [`its ExecStart is ${what}: \`run start\` runs the node`];
}

function unreadable(unit: UnitText, { files, read }: Patient): readonly string[] {
  const user = unitUser(unit, files);
  const { settings } = read;
  const lacks = user ? lacksOfUser(files, settings, join(settings.root, "current", "bin", settings.name), user) : [];
  if (lacks.length === 0) return [];
  const shown = lacks.slice(0, LACKS_SHOWN).join("; ");
  const more = lacks.length > LACKS_SHOWN ? `; and ${lacks.length - LACKS_SHOWN} more` : "";
  return [`its user ${unit.last("User")} ${shown}${more}`];
}

/** Programs of now and of the plan that comes next, which the service would not find. */
function unfound(file: string, unit: UnitText, { files, read, scheduled }: Patient): readonly string[] {
  const set = environmentOf(unit, files);
  if (!set) return [];
  const { PATH: path = unit.searchPath } = set;
  const given = [unit.program ?? "", ...unit.args(set)].find((word) => word.startsWith("PATH="))?.slice("PATH=".length);
  // The doctor cannot expand specifiers of systemd such as `%h`.
  if ((given ?? path)?.includes("%")) return [];
  // A manager of a user has a PATH of its own.
  if (path === undefined && given === undefined && file.includes("/systemd/user/")) return [];
  const { settings } = read;
  const { root, name } = settings;
  const folder = files.linkFacts(join(root, "current")) ? "current" : "genesis";
  const current = join(root, folder, "bin", name);
  const next = scheduled && layoutOf({ settings, files }).of(scheduled.plan.name).file;
  return [current, ...(next === undefined ? [] : [next])].flatMap(
    (program) => pathProblem(files, program, given ?? path) ?? [],
  );
}

/** Without them systemd does not start it. */
const missingVariables = (unit: UnitText, files: Files): readonly string[] =>
  unit.environmentFiles
    .filter(({ path, mayBeMissing }) => !mayBeMissing && !/[%*?[]/.test(path) && isMissing(files, path))
    .map(({ path }) => `its EnvironmentFile ${path} is missing: systemd does not start it`);

function isMissing(files: Files, path: string): boolean {
  try {
    return !files.facts(path);
  } catch {
    return false;
  }
}

/** The sidecar that it starts is not the one that is looked at here. */
function otherSettings(unit: UnitText, { files, read }: Patient): string[] {
  // Of what a file says that cannot be read nothing is known.
  const set = environmentOf(unit, files);
  if (!set) return [];
  const { home, name } = read.settings;
  const wanted = [["DAEMON_HOME", home] as const, ["DAEMON_NAME", name] as const];
  return wanted.flatMap(([variable, value]) => {
    const given = flagIn(unit.args(set), variable === "DAEMON_HOME" ? "--home" : "--name") ?? set[variable];
    if (given === undefined) return [`${variable} is not set in it`];
    const isSame = variable === "DAEMON_HOME" ? resolve(given) === resolve(value) : given === value;
    return isSame ? [] : [`its ${variable} is ${given}, and what is looked at here is of ${value}`];
  });
}

/** How it ends, and when it is started again. */
function endings(unit: UnitText, patient: Patient): string[] {
  const problems: string[] = [];
  const least = stopSeconds({ shutdownGrace: graceOf(unit, patient) });
  const stop = unitSeconds(unit.last("TimeoutStopSec") ?? "90");
  if (stop < least)
    problems.push(`TimeoutStopSec is ${stop} s: systemd kills the node before it has ended (at least ${least})`);
  if (unit.last("KillMode") !== "mixed") problems.push("KillMode is not mixed: the node gets each signal twice");
  const prevented = (unit.last("RestartPreventExitStatus") ?? "").split(/\s+/);
  const lacking = NO_RESTART.filter((status) => !prevented.includes(String(status)));
  if (lacking.length > 0)
    problems.push(`RestartPreventExitStatus lacks ${lacking.join(" ")}: systemd restarts what cannot go on`);
  if (unit.last("Type") === "notify" && unit.last("NotifyAccess") !== "all")
    problems.push("NotifyAccess is not all: systemd does not hear that the node runs");
  if (unit.last("Restart") === "always")
    problems.push("Restart is always: a node that was ended on purpose is started again");
  return problems;
}

/** In milliseconds; the unit's own, which need not be that of the shell that asks. */
function graceOf(unit: UnitText, { read }: Patient): number {
  try {
    const set = unit.variable("DAEMON_SHUTDOWN_GRACE");
    return set === undefined ? read.settings.shutdownGrace : Number(parseGoDuration(set) / NANOS_PER_MILLI);
  } catch {
    return read.settings.shutdownGrace; // The sidecar refuses it itself.
  }
}

function missing(unit: UnitText, { files }: Patient): string[] {
  const { program } = unit;
  if (program === undefined) return ["it has no ExecStart"];
  if (!isAbsolute(program) || program.includes("%") || files.facts(program)) return [];
  return [`its program ${program} is missing`];
}

/** By what sets it. The sidecar passes its own format on to a node and its engine that name none. */
function logFormatsOf(unit: UnitText, name: string): ReadonlyMap<string, string> {
  const sidecar = "CHAINVISOR_LOG_FORMAT";
  const node = `${name.replaceAll("-", "_").toUpperCase()}_LOG_FORMAT`;
  // The node's flag comes before its variable.
  const flag = /.*\s--log[_-]format[=\s]+"?(plain|json)\b/.exec(unit.last("ExecStart") ?? "")?.[1];
  const given: readonly (readonly [string, string | undefined])[] = [
    [sidecar, unit.variable(sidecar)],
    flag === undefined ? [node, unit.variable(node)] : ["--log_format of the node", flag],
  ];
  return new Map(given.flatMap(([each, format]) => (format === undefined ? [] : [[each, format] as const])));
}

/** What another machine's ways may explain. */
function doubtsOf(unit: UnitText, { files, read }: Patient): string[] {
  const doubts: string[] = [];
  const user = unit.last("User");
  const users = bytesOf(files, USERS);
  const isKnown =
    !user ||
    /^[0-9%]/.test(user) ||
    !users ||
    decodeLossy(users)
      .split("\n")
      .some((line) => line.startsWith(`${user}:`));
  if (!isKnown) doubts.push(`its user ${user} is not in ${USERS}`);
  const formats = logFormatsOf(unit, read.settings.name);
  if (new Set(formats.values()).size > 1) {
    const each = [...formats].map(([name, format]) => `${name} is ${format}`).join(", ");
    doubts.push(`the log has two formats: ${each}`);
  }
  const limit = unit.last("LimitNOFILE");
  const open = limit === "infinity" ? Number.POSITIVE_INFINITY : Number(limit?.split(":")[0] ?? 0);
  if (open < OPEN_FILES_MIN) {
    const is = limit === undefined ? "is not set" : `is ${limit}`;
    doubts.push(
      `LimitNOFILE ${is}: a node with many peers needs more open files than the system's default (${OPEN_FILES_MIN})`,
    );
  }
  return doubts;
}

/** The shell that asks may have another value than the unit. */
function startsOnceOnly(unit: UnitText): string[] {
  const isRestarted = unit.variable("DAEMON_RESTART_AFTER_UPGRADE") !== "false";
  const restart = unit.last("Restart") ?? "no";
  if (isRestarted || AFTER_SUCCESS.has(restart)) return [];
  return [
    `DAEMON_RESTART_AFTER_UPGRADE is false and Restart is ${restart}: the sidecar ends with 0 after the switch, and nothing starts it again`,
  ];
}
