/**
 * The one format of log lines: sidecar, node and CometBFT's lines that they pass on. Plain, with two spaces before the fields:
 * `2026-01-02T10:47:03.120Z info  node    block made  height=5`; or one JSON object with the same names and the same time (UTC).
 */

import { cutText } from "./text.js";
import { hasHidden, visible, visibleJson } from "./visible.js";

export type LogLevel = "debug" | "info" | "warn" | "error";
export type LogFormat = "plain" | "json";

/** Which program wrote a line; `program`: one that the sidecar or the relay ran, such as `pre-upgrade` of the new version. */
export type LogSource = "sidecar" | "node" | "relay" | "engine" | "program";

/** Values as JSON; a member that is undefined is left out. A `source` among them replaces that of the log. */
export type LogFields = Readonly<Record<string, unknown>>;

export type Log = (level: LogLevel, message: string, fields?: LogFields) => void;

export interface LogEntry {
  /** RFC 3339 with milliseconds, UTC. */
  readonly time: string;
  readonly level: LogLevel;
  readonly source: string;
  readonly message: string;
  readonly fields: LogFields;
}

export interface LogOptions {
  readonly format: LogFormat;
  readonly source: LogSource;
  /** ANSI colours for the levels of plain lines. */
  readonly isColored: boolean;
  /** All lines, by default. */
  readonly isShown?: (level: LogLevel, source: string) => boolean;
  /** Another way to write the time of plain lines; "" for none. */
  readonly timeText?: ((time: Date) => string) | undefined;
  /** Takes a line with its line feed. */
  readonly write: (line: string) => void;
  readonly now: () => Date;
}

const LEVELS: readonly LogLevel[] = ["debug", "info", "warn", "error"];
const COLORS: Readonly<Record<LogLevel, number>> = { debug: 36, info: 32, warn: 33, error: 31 };
const LEVEL_WIDTH = 5;
const SOURCE_WIDTH = 7;
const OWN: ReadonlySet<string> = new Set(["time", "level", "source", "message"]);
/** A value that plain lines have without quotation marks. */
const BARE = /^[^\s"\\=]+$/;
const ANSI = /\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\))/g;

/**
 * @example
 * const options = { format: "plain", source: "node", isColored: false, now: () => new Date(0) } as const;
 * const log = makeLog({ ...options, write: (line) => console.log(line.trimEnd()) });
 * log("info", "block made", { height: "5" }); // → 1970-01-01T00:00:00.000Z info  node    block made  height=5
 */
export function makeLog({ format, source, isColored, isShown, timeText, write, now }: LogOptions): Log {
  return (level, message, { source: given, ...fields } = {}) => {
    const from = typeof given === "string" ? given : source;
    if (isShown && !isShown(level, from)) return;
    const date = now();
    const entry = { time: date.toISOString(), level, source: from, message, fields };
    write(`${format === "json" ? jsonLine(entry) : plainLine(entry, isColored, timeText?.(date) ?? entry.time)}\n`);
  };
}

function jsonLine({ fields, ...own }: LogEntry): string {
  return visibleJson(JSON.stringify({ ...own, ...Object.fromEntries(named(fields)) }));
}

function plainLine({ level, source, message, fields }: LogEntry, isColored: boolean, time: string): string {
  const word = level.padEnd(LEVEL_WIDTH);
  const label = isColored ? `\u001b[${COLORS[level]}m${word}\u001b[0m` : word;
  const pairs = named(fields).map(([name, value]) => `${name}=${plainValue(value)}`);
  // Two spaces end the message, so it holds none.
  const text = visible(message).replace(/ {2,}/g, " ").trim();
  return [...(time === "" ? [] : [time]), label, source.padEnd(SOURCE_WIDTH), text + (pairs.length > 0 ? "  " : "")]
    .join(" ")
    .concat(pairs.join(" "))
    .trimEnd();
}

/** A field with the name of one of the four gets an underscore at its end; names are one word in both forms. */
function named(fields: LogFields): [string, unknown][] {
  return Object.entries(fields)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => [OWN.has(name) ? `${name}_` : name.replace(/[^\w.-]/g, "_"), value]);
}

function plainValue(value: unknown): string {
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return BARE.test(text) && !hasHidden(text) ? text : visibleJson(JSON.stringify(text));
}

const PLAIN =
  /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z) (debug|info |warn |error) (\w{1,6}$|[\w ]{7}|\w{8,})(?: (.*))?$/;
const PAIR = /([\w.-]+)=("(?:[^"\\]|\\.)*"|[^\s"\\=]+)(?: |$)/y;

/** Reads a line of either form, without colours. Values of plain lines are strings. Undefined: it is no line of this log. */
export function parseLogLine(line: string): LogEntry | undefined {
  return line.startsWith("{") ? parseJson(line) : parsePlain(line);
}

/** @param from the source of a line that names none */
function parseJson(line: string, from?: LogSource): LogEntry | undefined {
  try {
    const { time, level, source = from, message, ...fields } = JSON.parse(line) as Record<string, unknown>;
    const texts = [time, source, message];
    if (!isLevel(level) || !texts.every((each) => typeof each === "string")) return undefined;
    return { time: String(time), level, source: String(source), message: String(message), fields };
  } catch {
    return undefined;
  }
}

function parsePlain(line: string): LogEntry | undefined {
  const [, time = "", level = "", source = "", rest = ""] = PLAIN.exec(line) ?? [];
  if (!isLevel(level.trimEnd())) return undefined;
  const at = rest.indexOf("  ");
  const fields = parsePairs(at < 0 ? "" : rest.slice(at + 2));
  const message = at < 0 ? rest : rest.slice(0, at);
  return fields && { time, level: level.trimEnd() as LogLevel, source: source.trimEnd(), message, fields };
}

function parsePairs(text: string): Record<string, string> | undefined {
  const fields: Record<string, string> = {};
  PAIR.lastIndex = 0;
  for (let end = 0; end < text.length; end = PAIR.lastIndex) {
    const [, name, value] = PAIR.exec(text) ?? [];
    if (name === undefined || value === undefined) return undefined;
    fields[name] = value.startsWith('"') ? (JSON.parse(value) as string) : value;
  }
  return fields;
}

const isLevel = (level: unknown): level is LogLevel => LEVELS.includes(level as LogLevel);

/** Text of another program without the codes that colour it. */
export const withoutColors = (text: string): string => text.replace(ANSI, "");

/**
 * Puts lines of a program that this one runs into the log. A line in this format keeps its level, message and fields, and so does
 * one of the Cosmos SDK's JSON logs. Any other line is the message of an entry.
 */
export function programLines(log: Log): (line: string) => void {
  return (raw) => {
    const line = withoutColors(raw).trimEnd();
    const entry = parseLogLine(line) ?? (line.startsWith("{") ? parseJson(line, "program") : undefined);
    if (entry) log(entry.level, entry.message, { ...entry.fields, source: entry.source });
    else if (line !== "") log("info", line, { source: "program" });
  };
}

const CAUSES_MAX = 16;
/** A stack begins with the message, of which a module may write megabytes. */
const STACK_BYTES_MAX = 16_384;

/** The stack of an error, and those of its causes. */
export function stackOf(error: unknown): { readonly stack?: string } {
  const stacks: string[] = [];
  let each: unknown = error;
  for (; each instanceof Error && stacks.length < CAUSES_MAX; each = each.cause) {
    stacks.push(cutText(templateOf(each), STACK_BYTES_MAX));
  }
  return stacks.length === 0 ? {} : { stack: stacks.join("\ncaused by: ") };
}

/** A stack begins with the message: it is completed with the stack, where that is printed. */
function templateOf({ stack, message, template }: Error & { readonly template?: unknown }): string {
  return typeof template === "string" ? String(stack).replace(message, () => template) : String(stack);
}
