/** `config/client.toml` and `config/app.toml` of a home: settings that replace flags. What changes them is beside (config-edit.ts). */

import { join } from "node:path";
import { parse, TomlError } from "smol-toml";
import { UpgradeError } from "../errors/errors.js";
import { readFileIfThere } from "../files/atomic-file.js";
import { decodeText } from "../text/text.js";

export type ConfigName = "client" | "app";
export type ConfigTable = Readonly<Record<string, unknown>>;

export function configPath(home: string, name: ConfigName | "config"): string {
  return join(home, "config", `${name}.toml`);
}

/** A text as TOML has it. It wants one more character escaped than JSON does. */
export const tomlText = (text: string): string => JSON.stringify(text).replaceAll("\u007f", "\\u007F");

/** Empty when there is no such file; `config` is CometBFT's. @throws UpgradeError UPG_INVALID_CONFIG, UPG_STORE_IO */
export function readConfig(home: string, name: ConfigName | "config"): ConfigTable {
  const path = configPath(home, name);
  const bytes = readFileIfThere(path);
  return bytes ? parseConfig(path, textOf(path, bytes)) : {};
}

export function textOf(path: string, bytes: Uint8Array): string {
  return decodeText(bytes, (cause) => new UpgradeError("UPG_INVALID_CONFIG", `${path} is not UTF-8`, { cause }));
}

export function parseConfig(path: string, text: string): ConfigTable {
  try {
    return parse(text);
  } catch (cause) {
    const { line, message } = cause instanceof TomlError ? cause : { line: 0, message: String(cause) };
    const what = (message.split("\n")[0] ?? "").replace(/^Invalid TOML document: /, "");
    throw new UpgradeError("UPG_INVALID_CONFIG", `${path}, line ${line}: ${what}`, { cause });
  }
}

/** What a setting takes besides a text and a number. */
export type SettingKind = "text" | "switch" | "list";

const EXPECTED: Readonly<Record<SettingKind, string>> = {
  text: "a text or a number",
  switch: "true or false",
  list: "a text or a list of them",
};

/**
 * The text of a setting; `api.address` is the setting `address` of the table `api`. Undefined when it is absent.
 * @param kind undefined: any
 * @throws UpgradeError UPG_INVALID_CONFIG where a table is no table, or a setting is a table, a date or a list of such, or
 * not of its kind
 */
export function configValue(table: ConfigTable, key: string, kind?: SettingKind): string | undefined {
  const parts = key.split(".");
  let value: unknown = table;
  for (const [at, part] of parts.entries()) {
    const name = parts.slice(0, at).join(".");
    if (typeof value !== "object" || value === null || Array.isArray(value))
      throw wrongKind(name, `expected a table, [${name}]`);
    const members = value as ConfigTable;
    value = Object.hasOwn(members, part) ? members[part] : undefined;
    if (value === undefined) return undefined;
  }
  if (Array.isArray(value) ? value.some(isNested) : isNested(value)) {
    throw wrongKind(key, "expected a text, a number, true or false, or a list of them");
  }
  if (kind !== undefined && !isOfKind(value, kind)) throw wrongKind(key, `expected ${EXPECTED[kind]}`);
  return Array.isArray(value) ? value.join(",") : String(value);
}

/** `["a"]` would be taken for `a`, and `true` for a name. */
function isOfKind(value: unknown, kind: SettingKind): boolean {
  return Array.isArray(value) ? kind === "list" : typeof value !== "boolean" || kind === "switch";
}

/** A table, a list, or a date, which is an object too. */
function isNested(value: unknown): boolean {
  return typeof value === "object" && value !== null;
}

function wrongKind(key: string, what: string): UpgradeError {
  return new UpgradeError("UPG_INVALID_CONFIG", `the setting ${key} has a wrong type: ${what}`);
}
