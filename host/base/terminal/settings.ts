/**
 * Where a flag's value comes from: the command line, the environment (`CHAIND_<FLAG>`), the file of settings in the
 * home (`client.toml`; `app.toml` for `start` and those that say what it would do), the default; the first that has one.
 */

import type { Command, Option } from "commander";
import { messageOf, UpgradeError } from "../errors/errors.js";
import { envPrefix } from "../text/program-text.js";
import { parseSwitch } from "./arguments.js";
import { type ConfigName, type ConfigTable, configValue, readConfig, type SettingKind } from "./config-file.js";
import { usage } from "./usage.js";

export interface Sources {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly off: ReadonlySet<string>;
}

/** `--keyring-backend` is `CHAIND_KEYRING_BACKEND`. @param prefix of the program: `CHAIND_` */
export function envName(long: string, prefix: string): string {
  return prefix + long.replace(/^--/, "").replaceAll(/[-.]/g, "_").toUpperCase();
}

/** Never read from a file: they say which home it is in, or answer for a person. */
const NOT_FROM_FILES = new Set(["--home", "--yes", "--version"]);

/** Flags of several values with commas between them: a file may have them as a list. */
const LISTS: ReadonlySet<string | undefined> = new Set([
  ...["--index-events", "--rpc.cors-allowed-origins", "--minimum-gas-prices", "--fees", "--gas-prices"],
  ...["--unsafe-skip-upgrades", "--skip-upgrade-heights", "--p2p.persistent_peers", "--p2p.seeds"],
  ...["--p2p.private_peer_ids", "--p2p.unconditional_peer_ids"],
]);

/** Undefined: one that is a switch or has a value. */
function kindOf({ long, required, optional }: Option): SettingKind | undefined {
  if (optional) return undefined;
  if (!required) return "switch";
  return LISTS.has(long) ? "list" : "text";
}

/** Gives every flag of a command and its parents its value. @throws UpgradeError UPG_INVALID_ARGUMENT, UPG_INVALID_CONFIG */
export function settle(command: Command, sources: Sources): void {
  const chain: Command[] = [];
  for (let at: Command | null = command; at; at = at.parent) chain.push(at);
  const root = chain.at(-1) as Command;
  const home = root.options.find(({ long }) => long === "--home");
  const name = root.name();
  const prefix = envPrefix(name);
  if (home) settleOne(prefix, root, home, sources, undefined);
  const top = chain.at(-2)?.name();
  if (home && isOfSidecar(name, top, sources)) settleDaemonHome(root, home, sources);
  const file = top === undefined ? undefined : readsConfig(top, chain.at(-3)?.name());
  const table = file === undefined ? {} : readConfig(String(root.opts()["home"]), file);
  for (const each of chain) for (const option of each.options) settleOne(prefix, each, option, sources, table);
}

/**
 * Sidecars run `start` and `pre-upgrade` with their own environment, which says which node it is: both are to be of one home.
 * A shell may have it for another chain's program, whose home is none for this one.
 */
function isOfSidecar(name: string, top: string | undefined, { env }: Sources): boolean {
  return top === "pre-upgrade" || env["DAEMON_NAME"] === name;
}

function settleDaemonHome(root: Command, home: Option, { env }: Sources): void {
  const ofDaemon = env["DAEMON_HOME"];
  const attribute = home.attributeName();
  if (ofDaemon === undefined || ofDaemon === "" || root.getOptionValueSource(attribute) !== "default") return;
  root.setOptionValueWithSource(attribute, ofDaemon, "env");
}

/** The file that a command reads: the node and what says what it would do, app.toml; those that make the files, none. */
export function readsConfig(top: string, second?: string): ConfigName | undefined {
  if (top === "upgrade" && second !== undefined && ["preflight", "rehearse"].includes(second)) return "app";
  if (["init", "config", "completion", "help", "localnet", "demo"].includes(top)) return undefined;
  return ["start", "relay", "pre-upgrade"].includes(top) ? "app" : "client";
}

/** May this flag (`--home`) have its value from a file? */
export function isFromFile(long: string): boolean {
  return !NOT_FROM_FILES.has(long);
}

function settleOne(
  prefix: string,
  command: Command,
  option: Option,
  { env, off }: Sources,
  table: ConfigTable | undefined,
): void {
  const { long } = option;
  if (!long) return;
  const attribute = option.attributeName();
  if (off.has(long)) command.setOptionValueWithSource(attribute, option.negate, "cli");
  if (command.getOptionValueSource(attribute) === "cli") return;
  const variable = envName(long, prefix);
  const fromEnv = env[variable];
  if (fromEnv !== undefined && fromEnv !== "") {
    command.setOptionValueWithSource(attribute, parseSetting(option, fromEnv, { variable }), "env");
    return;
  }
  if (!table || !isFromFile(long)) return;
  const fromFile = configValue(table, long.slice(2), kindOf(option));
  if (fromFile === undefined || fromFile === "") return;
  command.setOptionValueWithSource(attribute, parseSetting(option, fromFile, { setting: long.slice(2) }), "config");
}

/** Where a value is from: a variable of the environment, or a setting of a file. */
type Where = { readonly variable: string } | { readonly setting: string };

/**
 * The value of a flag as the environment or a file has it.
 *
 * @throws UpgradeError UPG_INVALID_ARGUMENT, UPG_INVALID_CONFIG when the flag does not take it
 */
export function parseSetting(option: Option, text: string, where: Where): unknown {
  if (!option.required && !option.optional) {
    const isOn = parseSwitch(text);
    if (isOn === undefined) throw wrong(where, text, "expected true or false");
    return option.negate ? !isOn : isOn;
  }
  if (!option.parseArg) return text;
  try {
    return option.parseArg(text, undefined);
  } catch (cause) {
    const message = messageOf(cause);
    throw wrong(where, text, message.replace(/\.$/, ""));
  }
}

function wrong(where: Where, text: string, what: string): UpgradeError {
  return "variable" in where
    ? usage(`invalid value "${text}" of the environment's ${where.variable}: ${what}`)
    : new UpgradeError("UPG_INVALID_CONFIG", `invalid value "${text}" of the setting ${where.setting}: ${what}`);
}

/** The flag's value, or the complaint that it is missing. @throws UpgradeError UPG_INVALID_ARGUMENT */
export function required<T>(value: T | undefined, flag: string): T {
  if (value === undefined || value === "") throw usage(`required flag(s) "${flag}" not set`);
  return value;
}
