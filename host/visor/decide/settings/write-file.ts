/** config.toml as `init` writes it: Cosmovisor's settings with their values, ours as comments until somebody wants another value. */
import { tomlText } from "../../../base/terminal/config-file.js";
import type { Settings } from "../settings.js";
import { valueText } from "./detail.js";
import { goDurationText, millisOf, parseGoDuration } from "./go-duration.js";
import { keyOf, VARIABLES, type Variable } from "./variables.js";

export function settingsToml(settings: Settings): string {
  const line = (variable: Variable) => {
    const text = `${keyOf(variable)} = ${tomlValue(variable, valueText(variable, settings))}`;
    // A value that nobody chose may have another default one day.
    const isPreset = variable.isOwn && valueText(variable, settings) === presetText(variable);
    return `# ${variable.means}\n${isPreset ? `# ${text}` : text}\n`;
  };
  return [
    "# Settings of chainvisor. The environment goes before this file, the file before the defaults.",
    "# Cosmovisor reads it too, with --cosmovisor-config.\n",
    ...VARIABLES.filter(({ isOwn }) => !isOwn).map(line),
    "# Cosmovisor does not know those that follow.\n",
    ...VARIABLES.filter(({ isOwn }) => isOwn).map(line),
  ].join("\n");
}

function tomlValue({ kind }: Variable, text: string): string {
  return kind === "switch" || kind === "count" || kind === "bytes" ? text : tomlText(text);
}

function presetText(variable: Variable): string {
  if (variable.kind !== "duration") return variable.preset;
  return goDurationText(millisOf(parseGoDuration(variable.preset)));
}
