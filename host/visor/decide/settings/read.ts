/** All settings: a flag's value, else the environment's, else the file's, else the default. All that is wrong is listed together. */
import { isAbsolute, join } from "node:path";
import { messageOf, UpgradeError } from "../../../base/errors/errors.js";
import { diskFiles } from "../../../base/files/disk-files.js";
import type { Files } from "../../../base/files/files.js";
import type { SettingSource, Settings } from "../settings.js";
import { settingsProblems, settingsWarnings } from "./checks.js";
import { didYouMean, readSettingsFile, type SettingsFile } from "./config-file.js";
import { type Place, parseValue, type SettingValue } from "./parse-value.js";
import { keyOf, VARIABLES, type Variable } from "./variables.js";

export type Environment = Readonly<Record<string, string | undefined>>;

/** By the key of config.toml: `daemon_home`. */
export type SettingFlags = Readonly<Record<string, string | undefined>>;

export interface ReadSettings {
  /** Complete; where a value is wrong, with the default. */
  readonly settings: Settings;
  readonly sources: ReadonlyMap<Variable["field"], SettingSource>;
  /** What it cannot run with, each in words of its own. */
  readonly problems: readonly string[];
  /** Names that nothing reads, and values with which an upgrade, or a part of it, will not work. */
  readonly warnings: readonly string[];
  /** That was read. */
  readonly file: string | undefined;
}

export interface ReadOptions {
  readonly files?: Files;
  /** `false`: before there are folders. */
  readonly areFoldersChecked?: boolean;
}

/**
 * @param file of settings; undefined: `<home>/cosmovisor/config.toml`, where it exists
 * @throws UpgradeError UPG_INVALID_CONFIG, UPG_STORE_IO: the file cannot be read
 */
export function readSettings(
  env: Environment,
  file: string | undefined,
  flags: SettingFlags = {},
  { files = diskFiles, areFoldersChecked = true }: ReadOptions = {},
): ReadSettings {
  const read = file === undefined ? defaultFile(files, env, flags) : readSettingsFile(files, file, true);
  const sources = new Map<Variable["field"], SettingSource>();
  const problems: string[] = [];
  const values = VARIABLES.map((variable): [string, SettingValue] => {
    const { text, place } = given(variable, env, read, flags);
    sources.set(variable.field, place.source);
    return [variable.field, valueIn(variable, text, place, problems)];
  });
  const settings = withDerived(Object.fromEntries(values) as unknown as Settings);
  if (areFoldersChecked) problems.push(...settingsProblems(settings, files));
  const ofValues = areFoldersChecked ? settingsWarnings(settings, files) : [];
  const warnings = [...(read?.warnings ?? []), ...unknownVariables(env), ...ofValues];
  return { settings, sources, problems, warnings, file: read?.path };
}

/** @throws UpgradeError UPG_INVALID_CONFIG with all problems, a line each */
export function requireSettings({ settings, problems }: ReadSettings): Settings {
  if (problems.length === 0) return settings;
  throw new UpgradeError("UPG_INVALID_CONFIG", problems.join("\n"));
}

function defaultFile(files: Files, env: Environment, flags: SettingFlags): SettingsFile | undefined {
  const home = flags["daemon_home"] || env["DAEMON_HOME"] || "";
  return isAbsolute(home) ? readSettingsFile(files, join(home, "cosmovisor", "config.toml"), false) : undefined;
}

interface Given {
  readonly text: string;
  readonly place: Place;
}

function given(variable: Variable, env: Environment, file: SettingsFile | undefined, flags: SettingFlags): Given {
  const key = keyOf(variable);
  const isGiven = (text: string | undefined): text is string =>
    text !== undefined && (text !== "" || variable.isEmptyMeant === true);
  const [ofFlag, ofEnv, ofFile] = [flags[key], env[variable.env], file?.values.get(key)];
  if (isGiven(ofFlag)) return { text: ofFlag, place: { source: "flag", name: flagName(key) } };
  if (isGiven(ofEnv)) return { text: ofEnv, place: { source: "env", name: variable.env } };
  if (isGiven(ofFile)) return { text: ofFile, place: { source: "file", name: `${key} in ${file?.path}` } };
  return { text: variable.preset, place: { source: "default", name: variable.env } };
}

const flagName = (key: string) => `--${key.replace(/^daemon_/, "").replaceAll("_", "-")}`;

function valueIn(variable: Variable, text: string, place: Place, problems: string[]): SettingValue {
  if (text === "" && variable.kind === "height") return undefined;
  try {
    return parseValue(variable, text, place);
  } catch (error) {
    problems.push(messageOf(error));
    return variable.kind === "height"
      ? undefined
      : parseValue(variable, variable.preset, { ...place, source: "default" });
  }
}

function withDerived(settings: Settings): Settings {
  const { home, backupDir } = settings;
  return { ...settings, root: join(home, "cosmovisor"), backupDir: backupDir === "" ? home : backupDir };
}

/** A name that nearly is one of ours: nothing reads it, and the default would hold in its place. */
function unknownVariables(env: Environment): string[] {
  const known = VARIABLES.map(({ env: name }) => name);
  return Object.keys(env)
    .filter((name) => /^(DAEMON|COSMOVISOR|CHAINVISOR)_/.test(name) && !known.includes(name))
    .sort()
    .map((name) => `there is no variable ${name}${didYouMean(name, known)}; nothing reads it`);
}
