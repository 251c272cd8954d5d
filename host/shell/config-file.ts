/** `config/client.toml` and `config/app.toml` of a home: settings that replace flags. */

import { join } from "node:path";
import { parse, TomlError } from "smol-toml";
import { utf8 } from "../bytes.js";
import { readFileIfThere, writeFileAtomically } from "../engine/home/atomic-file.js";
import { UpgradeError } from "../errors.js";
import { decodeText } from "../text.js";

export type ConfigName = "client" | "app";
export type ConfigTable = Readonly<Record<string, unknown>>;

const FILE_MODE = 0o644;

export function configPath(home: string, name: ConfigName): string {
  return join(home, "config", `${name}.toml`);
}

/** Empty when there is no such file. @throws UpgradeError UPG_INVALID_CONFIG, UPG_STORE_IO */
export function readConfig(home: string, name: ConfigName): ConfigTable {
  const path = configPath(home, name);
  const bytes = readFileIfThere(path);
  return bytes ? parseConfig(path, textOf(path, bytes)) : {};
}

function textOf(path: string, bytes: Uint8Array): string {
  return decodeText(bytes, (cause) => new UpgradeError("UPG_INVALID_CONFIG", `${path} is not UTF-8`, { cause }));
}

function parseConfig(path: string, text: string): ConfigTable {
  try {
    return parse(text);
  } catch (cause) {
    const { line, message } = cause instanceof TomlError ? cause : { line: 0, message: String(cause) };
    const what = (message.split("\n")[0] ?? "").replace(/^Invalid TOML document: /, "");
    throw new UpgradeError("UPG_INVALID_CONFIG", `${path}, line ${line}: ${what}`, { cause });
  }
}

/**
 * The text of a setting; `api.address` is the setting `address` of the table `api`. Undefined when it is absent.
 * @throws UpgradeError UPG_INVALID_CONFIG where a table is no table, or a setting is a table, a date or a list of such
 */
export function configValue(table: ConfigTable, key: string): string | undefined {
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
  return Array.isArray(value) ? value.join(",") : String(value);
}

/** A table, a list, or a date, which is an object too. */
function isNested(value: unknown): boolean {
  return typeof value === "object" && value !== null;
}

function wrongKind(key: string, what: string): UpgradeError {
  return new UpgradeError("UPG_INVALID_CONFIG", `the setting ${key} has a wrong type: ${what}`);
}

/**
 * Changes one setting and leaves everything else in the file as it is, comments too.
 * @throws UpgradeError UPG_INVALID_CONFIG, UPG_STORE_IO; the file is as it was then
 */
export function writeSetting(home: string, name: ConfigName, key: string, value: string): void {
  const path = configPath(home, name);
  const before = textOf(path, readFileIfThere(path) ?? new Uint8Array());
  const old = parseConfig(path, before);
  if (!/^[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)?$/.test(key)) {
    throw new UpgradeError("UPG_INVALID_CONFIG", `"${key.slice(0, 100)}" is no setting: write name or table.name`);
  }
  const after = withSetting(before, key, tomlText(value, key.split(".").reduce<unknown>(member, old)));
  if (configValue(parseConfig(path, after), key) !== value) {
    throw new UpgradeError("UPG_INVALID_CONFIG", `${path}: the setting ${key} cannot be changed here; edit the file`);
  }
  writeFileAtomically(path, utf8(after), FILE_MODE);
}

function member(value: unknown, part: string): unknown {
  return typeof value === "object" && value !== null ? (value as ConfigTable)[part] : undefined;
}

/** A setting keeps its kind: numbers and switches stay bare, all else is text. */
function tomlText(value: string, old: unknown): string {
  const isBare =
    (typeof old === "boolean" && /^(true|false)$/.test(value)) ||
    (typeof old === "number" && /^-?(0|[1-9][0-9]*)$/.test(value));
  return isBare ? value : JSON.stringify(value);
}

function withSetting(text: string, key: string, value: string): string {
  const [name = "", table] = key.split(".").reverse();
  const lines = text === "" ? [] : text.replace(/\n$/, "").split("\n");
  const heads = lines.flatMap((line, at) => (/^\s*\[/.test(line) ? [at] : []));
  const head = table === undefined ? -1 : lines.findIndex((line) => line.trim() === `[${table}]`);
  const line = `${name} = ${value}`;
  if (table !== undefined && head < 0) return [...lines, "", `[${table}]`, line, ""].join("\n");
  const end = heads.find((at) => at > head) ?? lines.length;
  const pattern = new RegExp(`^\\s*"?${name}"?\\s*=`);
  const at = lines.findIndex((each, index) => index > head && index < end && pattern.test(each));
  if (at >= 0) lines[at] = line;
  else lines.splice(head + 1, 0, line);
  return `${lines.join("\n")}\n`;
}
