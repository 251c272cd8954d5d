/** `chainvisor config`: the settings, where each comes from, and what is wrong with them. */
import { UpgradeError } from "../../../base/errors/errors.js";
import type { Cobra } from "../../../base/terminal/cobra.js";
import { settingsDetail, valueText } from "../../decide/settings/detail.js";
import type { ReadSettings } from "../../decide/settings/read.js";
import { keyOf, VARIABLES } from "../../decide/settings/variables.js";
import type { VisorTools } from "../tools.js";

export function registerConfig(program: Cobra, tools: VisorTools): void {
  const config = program
    .command("config")
    .summary("Print and check the settings")
    .description(
      "Prints the settings as Cosmovisor's `config` does. A setting is taken from a flag, else from the environment, else from\n" +
        "config.toml in <home>/cosmovisor (or the file that --chainvisor-config names), else it is the default. Cosmovisor reads\n" +
        "that file only when it is named, and then has no defaults.",
    )
    .example("config", "config view --sources", "config check")
    .action(() => print(tools));
  config
    .command("view")
    .summary("Print the settings by the names of config.toml")
    .option("--sources", "where each value comes from: flag, env, file or default")
    .action(({ sources }: { sources?: boolean }) => view(tools, sources === true));
  config
    .command("check")
    .summary("Look for what is wrong with the settings, and change nothing")
    .action(() => check(tools));
}

async function print(tools: VisorTools): Promise<void> {
  const settings = tools.settings();
  if (tools.output.isJson) await tools.output.print(values(settings));
  else tools.io.stdout.write(settingsDetail(settings));
}

const values = (settings: ReadSettings["settings"]) =>
  Object.fromEntries(VARIABLES.map((variable) => [keyOf(variable), valueText(variable, settings)]));

async function view({ readSettings, output }: VisorTools, areSourcesShown: boolean): Promise<void> {
  const { settings, sources, file } = readSettings({ areFoldersChecked: false });
  if (!areSourcesShown) {
    await output.print(values(settings));
    return;
  }
  const rows = VARIABLES.map((variable) => ({
    name: keyOf(variable),
    value: valueText(variable, settings),
    source: sources.get(variable.field) ?? "default",
  }));
  const nameWidth = Math.max(...rows.map(({ name }) => name.length));
  const lines = rows.map(({ name, value, source }) =>
    `${name.padEnd(nameWidth)}  ${source.padEnd(7)}  ${value}`.trimEnd(),
  );
  const read = file === undefined ? "no file of settings was read" : `file: ${file}`;
  await output.print({ file: file ?? null, settings: rows }, [...lines, "", read].join("\n"));
}

/** @throws UpgradeError UPG_INVALID_CONFIG with all that is wrong */
async function check({ readSettings, output }: VisorTools): Promise<void> {
  const { problems, warnings, file } = readSettings();
  const lines = [...problems.map((text) => `wrong    ${text}`), ...warnings.map((text) => `warning  ${text}`)];
  await output.print({ file: file ?? null, problems, warnings }, [...lines, summary(problems, warnings)].join("\n"));
  if (problems.length > 0) throw new UpgradeError("UPG_INVALID_CONFIG", summary(problems, warnings));
}

function summary(problems: readonly string[], warnings: readonly string[]): string {
  if (problems.length + warnings.length === 0) return "the settings are right";
  return `settings: ${problems.length} wrong, ${warnings.length} ${warnings.length === 1 ? "warning" : "warnings"}`;
}
