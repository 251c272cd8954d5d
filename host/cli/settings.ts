/**
 * Where a flag's value comes from: the command line, the environment (`CHAIND_<FLAG>`), the file of settings in the
 * home (`client.toml`; `app.toml` for `start` and `pre-upgrade`), the default; the first that has one.
 */
import type { Command, Option } from "commander";
import { UpgradeError } from "../errors.js";
import { parseSwitch } from "./arguments.js";
import { usage } from "./cobra.js";
import { type ConfigTable, configValue, readConfig } from "./config-file.js";

export const ENV_PREFIX = "CHAIND_";

export interface Sources {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly off: ReadonlySet<string>;
}

/** `--keyring-backend` is `CHAIND_KEYRING_BACKEND`. */
export function envName(long: string): string {
  return ENV_PREFIX + long.replace(/^--/, "").replaceAll(/[-.]/g, "_").toUpperCase();
}

/** Never read from a file: they say which home it is in, or answer for a person. */
const NOT_FROM_FILES = new Set(["--home", "--yes", "--version"]);

/** Gives every flag of a command and its parents its value. @throws UpgradeError UPG_INVALID_ARGUMENT, UPG_INVALID_CONFIG */
export function settle(command: Command, sources: Sources): void {
  const chain: Command[] = [];
  for (let at: Command | null = command; at; at = at.parent) chain.push(at);
  const root = chain.at(-1) as Command;
  const home = root.options.find(({ long }) => long === "--home");
  if (home) settleOne(root, home, sources, undefined);
  const top = chain.at(-2)?.name();
  const table = needsNoFile(top) ? {} : readConfig(String(root.opts()["home"]), isOfNode(top) ? "app" : "client");
  for (const each of chain) for (const option of each.options) settleOne(each, option, sources, table);
}

/** The node, and the command that says what it would do. */
function isOfNode(top: string | undefined): boolean {
  return top === "start" || top === "pre-upgrade";
}

/** Commands that make the files, repair them or do not look at a home. */
function needsNoFile(top: string | undefined): boolean {
  return top === undefined || ["init", "config", "completion", "help"].includes(top);
}

function settleOne(command: Command, option: Option, { env, off }: Sources, table: ConfigTable | undefined): void {
  const { long } = option;
  if (!long) return;
  const attribute = option.attributeName();
  if (off.has(long)) command.setOptionValueWithSource(attribute, option.negate, "cli");
  if (command.getOptionValueSource(attribute) === "cli") return;
  const variable = envName(long);
  const fromEnv = env[variable];
  if (fromEnv !== undefined && fromEnv !== "") {
    command.setOptionValueWithSource(attribute, parsed(option, fromEnv, variable), "env");
    return;
  }
  if (!table || NOT_FROM_FILES.has(long)) return;
  const fromFile = configValue(table, long.slice(2));
  if (fromFile === undefined || fromFile === "") return;
  command.setOptionValueWithSource(attribute, parsed(option, fromFile, long.slice(2)), "config");
}

function parsed(option: Option, text: string, where: string): unknown {
  if (!option.required && !option.optional) {
    const isOn = parseSwitch(text);
    if (isOn === undefined) throw wrong(where, text, "expected true or false");
    return option.negate ? !isOn : isOn;
  }
  if (!option.parseArg) return text;
  try {
    return option.parseArg(text, undefined);
  } catch (cause) {
    const message = cause instanceof Error ? cause.message : String(cause);
    throw wrong(where, text, message.replace(/\.$/, ""));
  }
}

function wrong(where: string, text: string, what: string): UpgradeError {
  const isEnv = where.startsWith(ENV_PREFIX);
  return isEnv
    ? usage(`invalid value "${text}" of the environment's ${where}: ${what}`)
    : new UpgradeError("UPG_INVALID_CONFIG", `invalid value "${text}" of the setting ${where}: ${what}`);
}

/** The flag's value, or the complaint that it is missing. @throws UpgradeError UPG_INVALID_ARGUMENT */
export function required<T>(value: T | undefined, flag: string): T {
  if (value === undefined || value === "") throw usage(`required flag(s) "${flag}" not set`);
  return value;
}
