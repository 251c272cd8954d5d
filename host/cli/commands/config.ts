/** `chaind config`: the settings in a home, which replace flags. */

import type { Option } from "commander";
import type { Cobra } from "../../base/terminal/cobra.js";
import { plainList, writeSetting } from "../../base/terminal/config-edit.js";
import {
  type ConfigName,
  type ConfigTable,
  configPath,
  configValue,
  readConfig,
} from "../../base/terminal/config-file.js";
import { settingFlags } from "../../base/terminal/known-settings.js";
import type { Output } from "../../base/terminal/output.js";
import { envName, parseSetting } from "../../base/terminal/settings.js";
import { usage } from "../../base/terminal/usage.js";
import { envPrefix, PROGRAM } from "../../base/text/program-text.js";
import { homeCommand } from "../../base/text/shell-word.js";
import { nearest } from "../../base/text/text.js";
import type { Context } from "../flags/context.js";
import { limitDefaults } from "../flags/limit-settings.js";

const isName = (word: string): word is ConfigName => word === "client" || word === "app";

export function registerConfig(program: Cobra, context: Context): void {
  const config = program
    .command("config")
    .summary("Read and change the settings in a home")
    .description(
      "Settings are in <home>/config: client.toml for commands that ask a node, app.toml for the node.\n" +
        `The first of these that has a value counts: the flag, the environment (${envPrefix(context.chain.name)}<FLAG>), the file, the default.`,
    )
    .group();
  config
    .command("get")
    .argument("<file>", "client or app; client when left out")
    .argument("[key]", "the setting; all of them when left out")
    .summary("Print a setting, or all of a file")
    .example("config get client chain-id", "config get node", "config get app api.address")
    .action((first: string, key: string | undefined) => {
      const [name, setting] = isName(first) ? [first, key] : (["client", first] as const);
      return printSetting(context, homeOf(program), name, setting);
    });
  config
    .command("set")
    .argument("<file>", "client or app; client when left out")
    .argument("<key>", "the setting")
    .argument("[value]", "its new value")
    .summary("Change a setting")
    .example(
      "config set client node tcp://localhost:26657",
      "config set chain-id demo-1",
      "config set app index-events transfer.recipient,message.sender",
    )
    .action((first: string, second: string, third: string | undefined) => {
      const [name, key, value] = isName(first) ? [first, second, third] : (["client", first, second] as const);
      if (value === undefined || (!isName(first) && third !== undefined)) {
        throw usage(`accepts [client|app] <key> <value>; see \`${PROGRAM} config set --help\``);
      }
      const flags = requireSetting(program, name, key);
      const text = plainList(readConfig(homeOf(program), name), key, value);
      checkValue(flags, name, key, text);
      writeSetting(homeOf(program), name, key, text);
    });
  config
    .command("view")
    .argument("[file]", "client or app", "client")
    .option("--sources", "show for each setting where its value comes from")
    .summary("Print all settings of a file")
    .action(async (name: string, { sources }: { sources?: boolean }) => {
      if (!isName(name)) throw usage(`there is no settings file "${name}": client or app`);
      const table = readConfig(homeOf(program), name);
      if (!sources) return context.print(table);
      const defaults = name === "app" ? limitDefaults() : new Map<string, string>();
      const fromEnv = variablesOf(context);
      const found = withSources(table, configPath(homeOf(program), name), fromEnv);
      await context.print({ ...withDefaults(defaults, fromEnv), ...found });
    });
  config
    .command("home")
    .summary("Print the home")
    .action(() => context.print({ home: homeOf(program) }, homeOf(program)));
}

/**
 * The flags that read the setting. A misspelt one would be written and never read.
 * @throws UpgradeError UPG_INVALID_ARGUMENT
 */
function requireSetting(program: Cobra, name: ConfigName, key: string): readonly Option[] {
  const flags = settingFlags(program, name).get(key);
  if (flags) return flags;
  const other = name === "client" ? "app" : "client";
  if (settingFlags(program, other).has(key)) {
    throw usage(
      `${key} is a setting of ${other}.toml: ${homeCommand(`config set ${other} ${key} VALUE`, homeOf(program))}`,
    );
  }
  const near = nearest(key, [...settingFlags(program, name).keys()]);
  const hint = near === undefined ? "" : ` (did you mean "${near}"?)`;
  throw usage(
    `there is no setting "${key}" in ${name}.toml${hint}; see ${homeCommand(`config view ${name}`, homeOf(program))}`,
  );
}

/**
 * Reads the value as the commands will. One of app.toml must suit every command that runs the node; one of client.toml, whose
 * commands have flags of one name with different values, at least one. An empty value means that the default holds.
 * @throws UpgradeError UPG_INVALID_CONFIG
 */
function checkValue(flags: readonly Option[], file: ConfigName, key: string, value: string): void {
  if (value === "") return;
  const refusals: unknown[] = [];
  for (const flag of flags) {
    try {
      parseSetting(flag, value, { setting: key });
    } catch (error) {
      refusals.push(error);
    }
  }
  if (refusals.length === flags.length || (file === "app" && refusals.length > 0)) throw refusals[0];
}

interface Sourced {
  readonly value: string;
  readonly source: string;
}

/** A setting as the environment has it; undefined when it does not. */
type FromEnvironment = (setting: string) => Sourced | undefined;

function variablesOf({ chain, io }: Context): FromEnvironment {
  return (setting) => {
    const source = envName(setting, envPrefix(chain.name));
    const value = io.env[source];
    return value ? { value, source } : undefined;
  };
}

/** Settings that the file need not have, and what holds then. */
function withDefaults(defaults: ReadonlyMap<string, string>, fromEnv: FromEnvironment): Record<string, Sourced> {
  const entries = [...defaults].map(([name, value]) => [name, fromEnv(name) ?? { value, source: "default" }] as const);
  return Object.fromEntries(entries);
}

function homeOf(program: Cobra): string {
  return String(program.opts()["home"]);
}

async function printSetting(output: Output, home: string, name: ConfigName, key: string | undefined): Promise<void> {
  const table = readConfig(home, name);
  if (key === undefined) {
    await output.print(table);
    return;
  }
  const value = configValue(table, key);
  if (value === undefined) throw usage(`there is no setting ${key} in ${configPath(home, name)}`);
  await output.print({ [key]: value }, value);
}

function withSources(table: ConfigTable, file: string, fromEnv: FromEnvironment, prefix = ""): Record<string, Sourced> {
  const found: Record<string, Sourced> = {};
  for (const [key, value] of Object.entries(table)) {
    const name = prefix + key;
    if (typeof value === "object" && value !== null && !Array.isArray(value)) {
      Object.assign(found, withSources(value as ConfigTable, file, fromEnv, `${name}.`));
      continue;
    }
    found[name] = fromEnv(name) ?? { value: String(value), source: file };
  }
  return found;
}
