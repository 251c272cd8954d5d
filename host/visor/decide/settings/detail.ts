/** The settings in the shape of Cosmovisor's `config`. */
import { join } from "node:path";
import type { Settings } from "../settings.js";
import { goDurationText } from "./go-duration.js";
import { isTimeFormat, TIME_FORMATS } from "./time-formats.js";
import { VARIABLES, type Variable } from "./variables.js";

/** Cosmovisor lists all but the gRPC address; ours follow. */
export function settingsDetail(settings: Settings): string {
  const shown = VARIABLES.filter(({ env }) => env !== "DAEMON_GRPC_ADDRESS");
  const { root, home, name, backupDir } = settings;
  const derived: (readonly [string, string])[] = [
    ["Root Dir", root],
    ["Upgrade Dir", join(root, "upgrades")],
    ["Genesis Bin", join(root, "genesis", "bin", name)],
    ["Monitored File", join(home, "data", "upgrade-info.json")],
    ["Data Backup Dir", backupDir],
  ];
  const width = Math.max(...derived.map(([label]) => label.length));
  return [
    "Configurable Values:",
    ...shown.map((variable) => `  ${variable.env}: ${detailText(variable, settings)}`),
    "Derived Values:",
    ...derived.map(([label, value]) => `  ${label.padStart(width)}: ${value}`),
    "",
  ].join("\n");
}

/** Cosmovisor prints the layout of a time format, not its name. */
function detailText(variable: Variable, settings: Settings): string {
  const text = valueText(variable, settings);
  return variable.kind === "time format" && isTimeFormat(text) ? TIME_FORMATS[text] : text;
}

/** As it may be written into the environment or the file. */
export function valueText({ field, kind }: Variable, settings: Settings): string {
  const value = settings[field];
  if (kind === "duration") return goDurationText(Number(value));
  return value === undefined ? "" : String(value);
}
