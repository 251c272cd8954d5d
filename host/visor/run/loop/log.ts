/** The sidecar's log: a line each on stderr, since stdout is the application's. */

import type { FailureReporter } from "../../../base/terminal/fail.js";
import { givenLogFormat } from "../../../base/terminal/process-log.js";
import type { Log, LogOptions } from "../../../base/text/log-line.js";
import { prefixOf } from "../../decide/program-variables.js";
import type { ReadSettings } from "../../decide/settings/read.js";
import { isTimeFormat, TIME_FORMATS } from "../../decide/settings/time-formats.js";
import type { Settings } from "../../decide/settings.js";
import { inGoLayout } from "../../stage/go-layout.js";

const SOURCE = "sidecar";

type LogSettings = Pick<Settings, "isQuiet" | "isColored" | "timeFormat" | "logFormat">;

/** The sidecar's while it runs; failures of this process are lines of it, unless COSMOVISOR_DISABLE_LOGS leaves out its own. */
export function openSidecarLog(reporter: FailureReporter, settings: LogSettings): Log {
  const options = optionsOf(settings);
  return settings.isQuiet ? reporter.makeLog(options) : reporter.openLog(options);
}

/** Of a command that a person typed. */
export const commandLog = (reporter: FailureReporter, settings: LogSettings, write: (line: string) => void): Log =>
  reporter.makeLog({ ...optionsOf(settings), write });

function optionsOf({ isQuiet, isColored, timeFormat, logFormat }: LogSettings) {
  // COSMOVISOR_DISABLE_LOGS is about the sidecar's own lines, not CometBFT's.
  const isShown: LogOptions["isShown"] = (level, source) => level !== "debug" && !(isQuiet && source === SOURCE);
  return { source: SOURCE, format: logFormat, isPlain: !isColored, isShown, timeText: timeText(timeFormat) } as const;
}

/** Undefined: the time of all logs here, also for Cosmovisor's default, which has neither date nor seconds. */
function timeText(format: string): LogOptions["timeText"] {
  if (format === "kitchen") return undefined;
  const layout = isTimeFormat(format) ? TIME_FORMATS[format] : format;
  return (time) => (layout === "" ? "" : inGoLayout(time, layout));
}

/**
 * The settings with the environment's CHAINVISOR_LOG_FORMAT, else the format that the application is given, so that a journal has
 * one format; else that of config.toml, which `init` writes with all defaults.
 */
export function withLogFormat(
  { settings, sources }: Pick<ReadSettings, "settings" | "sources">,
  args: readonly string[],
  env: NodeJS.ProcessEnv,
): Settings {
  if (sources.get("logFormat") === "env") return settings;
  const logFormat = givenLogFormat(args, env, prefixOf(settings.name));
  return logFormat === undefined ? settings : { ...settings, logFormat };
}
