/** `<home>/cosmovisor/config.toml`: Cosmovisor writes it at `init` and reads it only when it is named; here it is read where it is. */
import { messageOf, UpgradeError } from "../../../base/errors/errors.js";
import type { Files } from "../../../base/files/files.js";
import { type ConfigTable, parseConfig, textOf } from "../../../base/terminal/config-file.js";
import { nearest } from "../../../base/text/text.js";
import { keyOf, VARIABLES } from "./variables.js";

const BYTES_MAX = 1_048_576;

export interface SettingsFile {
  readonly path: string;
  /** As texts, by key. */
  readonly values: ReadonlyMap<string, string>;
  readonly warnings: readonly string[];
}

/**
 * @param isNamed the operator named it, so it must exist
 * @throws UpgradeError UPG_INVALID_CONFIG, UPG_STORE_IO
 */
export function readSettingsFile(files: Files, path: string, isNamed: boolean): SettingsFile | undefined {
  const bytes = bytesOf(files, path);
  if (bytes) return { path, ...settingsIn(parseConfig(path, textOf(path, bytes)), path) };
  if (!isNamed) return undefined;
  throw new UpgradeError(
    "UPG_INVALID_CONFIG",
    `config not found: at ${path} : stat ${path}: no such file or directory; \`chainvisor init\` writes one`,
  );
}

function bytesOf(files: Files, path: string): Uint8Array | undefined {
  try {
    return files.read(path, BYTES_MAX);
  } catch (cause) {
    throw new UpgradeError("UPG_STORE_IO", `cannot read ${path}: ${messageOf(cause)}`, { cause });
  }
}

function settingsIn(table: ConfigTable, path: string) {
  const keys = VARIABLES.map(keyOf);
  const values = new Map<string, string>();
  const warnings: string[] = [];
  for (const [name, value] of Object.entries(table)) {
    // Cosmovisor's reader does not mind the case of a key.
    const key = name.toLowerCase();
    if (!keys.includes(key)) {
      warnings.push(`${path}: there is no setting "${name}"${didYouMean(key, keys)}; nothing reads it`);
    } else if (typeof value === "object" && value !== null) {
      throw new UpgradeError("UPG_INVALID_CONFIG", `${path}: "${name}" must be a text, a number, true or false`);
    } else values.set(key, String(value));
  }
  return { values, warnings };
}

/** ` (did you mean "daemon_home"?)`, or nothing. */
export function didYouMean(wrong: string, known: readonly string[]): string {
  const near = nearest(wrong, known);
  return near === undefined ? "" : ` (did you mean "${near}"?)`;
}
