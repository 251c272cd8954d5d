/** One line of CometBFT's output, in either form of its `log_format`, or of a Go panic. */
import { type LogFields, type LogLevel, withoutColors } from "../../../base/text/log-line.js";

export interface CometLine {
  readonly level: LogLevel;
  readonly message: string;
  /** In the order of the line, without level, time and message. */
  readonly fields: Readonly<Record<string, string>>;
  /** CometBFT's logger wrote it; false: a panic, a stack trace, or a message printed before the log opened. */
  readonly isLogged: boolean;
}

const LEVELS: Readonly<Record<string, LogLevel>> = {
  ...{ D: "debug", I: "info", W: "warn", E: "error" },
  ...{ debug: "debug", info: "info", warn: "warn", error: "error" },
};
/** `I[2026-11-25|08:01:13.115] message     module=consensus height=5 err="a b"`, after its colour codes. */
const PLAIN = /^([DIWE])\[[^\]]*\] (.*)$/;
const FIELD = /(?:^|\s)([A-Za-z_][\w.]*)=("(?:[^"\\]|\\.)*"|[^\s"]*)/g;

export function parseCometLine(raw: string): CometLine {
  const line = withoutColors(raw).trimEnd();
  return jsonLine(line) ?? plainLine(line) ?? { level: "error", message: line, fields: {}, isLogged: false };
}

function jsonLine(line: string): CometLine | undefined {
  if (!line.startsWith("{")) return undefined;
  try {
    const { _msg: message, level, ts: _time, ...rest } = JSON.parse(line) as Record<string, unknown>;
    if (typeof message !== "string" || typeof level !== "string") return undefined;
    const fields = Object.entries(rest).map(([name, value]) => [name, asText(value)]);
    return { level: LEVELS[level] ?? "info", message, fields: Object.fromEntries(fields), isLogged: true };
  } catch {
    return undefined;
  }
}

const asText = (value: unknown) => (typeof value === "string" ? value : JSON.stringify(value));

function plainLine(line: string): CometLine | undefined {
  const [, letter = "", text] = PLAIN.exec(line) ?? [];
  if (text === undefined) return undefined;
  const found = [...text.matchAll(FIELD)];
  // A message may hold `=` itself; fields begin with the module's name.
  const first = found.findIndex(([, name]) => name === "module");
  const own = first === -1 ? [] : found.slice(first);
  const message = text.slice(0, own[0]?.index ?? text.length).trim();
  const fields = Object.fromEntries(own.map(([, name = "", value = ""]) => [name, unquoted(value)]));
  return { level: LEVELS[letter] ?? "info", message, fields, isLogged: true };
}

/** Go quotes as JSON does, except for a few escapes: those stay as they are. */
function unquoted(value: string): string {
  if (!value.startsWith('"')) return value;
  try {
    return JSON.parse(value) as string;
  } catch {
    return value.slice(1, -1);
  }
}

/** For this node's own log. */
export function cometFields({ fields: { source: own, ...fields } }: CometLine): LogFields {
  return { ...fields, source_: own, source: "engine" };
}
