/** The sidecar's log: a line each on stderr, since stdout is the application's. */

import { isTimeFormat, TIME_FORMATS } from "../../sidecar/settings/time-formats.js";
import type { Settings } from "../../sidecar/settings.js";
import { inGoLayout } from "../../staging/go-layout.js";
import { visible } from "../../visible.js";
import type { Log, LogLevel } from "./options.js";

const LABELS: Readonly<Record<LogLevel, string>> = { debug: "DBG", info: "INF", warn: "WRN", error: "ERR" };
const COLORS: Readonly<Record<LogLevel, number>> = { debug: 33, info: 32, warn: 33, error: 31 };

type LogSettings = Pick<Settings, "isQuiet" | "isColored" | "timeFormat" | "logFormat">;

export function makeLog(settings: LogSettings, write: (line: string) => void, now: () => Date): Log {
  return (level, message, fields = {}) => {
    // DISABLE_LOGS is about the sidecar's own lines.
    if ((settings.isQuiet && fields["module"] === undefined) || level === "debug") return;
    const line = settings.logFormat === "json" ? jsonLine : textLine;
    write(`${line(settings, { level, message, time: now(), fields: { ...OWN, ...fields } })}\n`);
  };
}

interface Entry {
  readonly level: LogLevel;
  readonly message: string;
  readonly time: Date;
  readonly fields: Readonly<Record<string, string>>;
}

const OWN = { module: "chainvisor" };

function jsonLine(_settings: LogSettings, { level, message, time, fields }: Entry): string {
  return JSON.stringify({ level, time: time.toISOString(), message, ...fields });
}

function textLine({ timeFormat, isColored }: LogSettings, { level, message, time, fields }: Entry): string {
  const layout = isTimeFormat(timeFormat) ? TIME_FORMATS[timeFormat] : timeFormat;
  const at = layout === "" ? "" : `${inGoLayout(time, layout)} `;
  const label = isColored ? `\u001b[${COLORS[level]}m${LABELS[level]}\u001b[0m` : LABELS[level];
  const rest = Object.entries(fields).map(([name, value]) => ` ${name}=${value}`);
  return `${at}${label} ${visible(`${message}${rest.join("")}`)}`;
}
