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
  return (level, message) => {
    if (settings.isQuiet || level === "debug") return;
    write(
      `${settings.logFormat === "json" ? jsonLine(level, message, now()) : textLine(settings, level, message, now())}\n`,
    );
  };
}

function jsonLine(level: LogLevel, message: string, time: Date): string {
  return JSON.stringify({ level, time: time.toISOString(), message, module: "chainvisor" });
}

function textLine({ timeFormat, isColored }: LogSettings, level: LogLevel, message: string, now: Date): string {
  const layout = isTimeFormat(timeFormat) ? TIME_FORMATS[timeFormat] : timeFormat;
  const time = layout === "" ? "" : `${inGoLayout(now, layout)} `;
  const label = isColored ? `\u001b[${COLORS[level]}m${LABELS[level]}\u001b[0m` : LABELS[level];
  return `${time}${label} ${visible(message)} module=chainvisor`;
}
