/** What a unit file starts: the sidecar with its settings, and the application with its arguments. */
import { basename } from "node:path";
import type { Files } from "../../../base/files/files.js";
import { flagIn } from "../../decide/own-home.js";
import { prefixOf } from "../../decide/program-variables.js";
import { splitArguments } from "../../decide/run-arguments.js";
import { type ReadSettings, readSettings } from "../../decide/settings/read.js";
import { type UnitText, variablesIn } from "./unit-text.js";

const BYTES_MAX = 262_144;

export interface UnitStart {
  /** Of the sidecar and of what it starts. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly read: ReadSettings;
  /** Of the application; undefined: another command of the sidecar than `run`. */
  readonly app: readonly string[] | undefined;
}

/**
 * Undefined: it starts the sidecar by another program, or a file of variables is not known.
 * @param name of the application, whose variables in the shell that asks do not count
 * @throws UpgradeError what `chainvisor` would report of such a command line
 */
export function unitStart(unit: UnitText, files: Files, name: string): UnitStart | undefined {
  const set = environmentOf(unit, files);
  if (!set) return undefined;
  const words = [unit.program ?? "", ...unit.args(set)];
  const at = words.findIndex((word) => /^chainvisor(\.[cm]?js)?$/.test(basename(word)));
  if (at < 0) return undefined;
  const { own, app } = splitArguments(words.slice(at + 1));
  const env = { ...withoutOurs(process.env, name), ...set };
  const file = flagIn(own, "--chainvisor-config") ?? flagIn(own, "--cosmovisor-config") ?? flagIn(own, "-c");
  const flags = { daemon_home: flagIn(own, "--home"), daemon_name: flagIn(own, "--name") };
  return { env, app, read: readSettings(env, file, flags, { files }) };
}

/** Files count after the unit itself. Undefined: one of them cannot be read. */
export function environmentOf(unit: UnitText, files: Files): Readonly<Record<string, string>> | undefined {
  const found = { ...unit.environment };
  for (const { path, mayBeMissing } of unit.environmentFiles) {
    const bytes = path.includes("%") ? undefined : bytesOf(files, path);
    if (!bytes && !mayBeMissing) return undefined;
    if (bytes) Object.assign(found, variablesIn(bytes));
  }
  return found;
}

/** Undefined: it is missing, or this user may not read it. */
export function bytesOf(files: Files, path: string): Uint8Array | undefined {
  try {
    return files.read(path, BYTES_MAX);
  } catch {
    return undefined;
  }
}

/** The system's own variables are taken to be those of this shell. */
function withoutOurs(env: NodeJS.ProcessEnv, name: string): NodeJS.ProcessEnv {
  const isOurs = (variable: string) =>
    /^(DAEMON|COSMOVISOR|CHAINVISOR)_|^UNSAFE_SKIP_BACKUP$/.test(variable) || variable.startsWith(prefixOf(name));
  return Object.fromEntries(Object.entries(env).filter(([variable]) => !isOurs(variable)));
}
