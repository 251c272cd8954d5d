/** Changes settings in files of a home, and leaves everything else in them as it is. Apart from what reads them: it takes an editor to load. */

import { isDeepStrictEqual } from "node:util";
import { patch, parse as readForEdit } from "@decimalturn/toml-patch";
import { parse } from "smol-toml";
import { UpgradeError } from "../errors/errors.js";
import { readFileIfThere, writeFileAtomically } from "../files/atomic-file.js";
import { utf8 } from "../text/bytes.js";
import { type ConfigName, type ConfigTable, configPath, parseConfig, textOf, tomlText } from "./config-file.js";

const FILE_MODE = 0o644;

/**
 * What to set a list to, as flags take it: `a,b`. It may also be given as the file has it, `["a", "b"]`.
 * @throws UpgradeError UPG_INVALID_CONFIG for brackets that are no list of texts
 */
export function plainList(table: ConfigTable, key: string, text: string): string {
  if (!text.startsWith("[") || !Array.isArray(key.split(".").reduce<unknown>(member, table))) return text;
  const { list, ...others } = parsedOrNothing(`list = ${text}`) ?? {};
  const isAlone = Object.keys(others).length === 0;
  if (isAlone && Array.isArray(list) && list.every((each) => typeof each === "string" && !each.includes(",")))
    return list.join(",");
  const what = `invalid value "${text}" of the setting ${key}: expected a,b or ["a", "b"]`;
  throw new UpgradeError("UPG_INVALID_CONFIG", what);
}

/**
 * Changes one setting and leaves everything else in the file as it is: comments, order, layout.
 * @throws UpgradeError UPG_INVALID_CONFIG, UPG_STORE_IO; the file is as it was then
 */
export function writeSetting(home: string, name: ConfigName, key: string, value: string): void {
  const path = configPath(home, name);
  writeFileAtomically(path, utf8(withSetting(path, key, value)), FILE_MODE);
}

/** What a file of settings is with one of them changed; nothing is written. @throws UpgradeError UPG_INVALID_CONFIG, UPG_STORE_IO */
export function withSetting(path: string, key: string, value: string): string {
  const before = textOf(path, readFileIfThere(path) ?? new Uint8Array());
  const wanted = parseConfig(path, before);
  if (!SETTING.test(key) || key.includes("__proto__")) {
    throw new UpgradeError("UPG_INVALID_CONFIG", `"${key.slice(0, 100)}" is no setting: write name or table.name`);
  }
  const changed = change(wanted, key, value);
  // The other parser judges each edit: that setting has that value, and no other changed.
  for (const edit of [added, edited]) {
    const after = edit(before, key, changed);
    if (after !== undefined && isSame(parsedOrNothing(after), wanted)) return after;
  }
  throw new UpgradeError("UPG_INVALID_CONFIG", `${path}: the setting ${key} cannot be changed here; edit the file`);
}

const SETTING = /^[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)?$/;

type SettingValue = string | number | boolean | readonly string[];

/** Puts the value into a table as the kind that the old one has: numbers, switches and lists stay that, all else is text. */
function change(table: ConfigTable, key: string, text: string): SettingValue {
  const value = valueLike(key.split(".").reduce<unknown>(member, table), text);
  put(table, key, value);
  return value;
}

function put(table: ConfigTable, key: string, value: SettingValue): void {
  const [name = "", section] = key.split(".").reverse();
  const members = table as Record<string, unknown>;
  const old = section === undefined ? members : member(members, section);
  const at = typeof old === "object" && old !== null ? (old as Record<string, unknown>) : {};
  if (section !== undefined) members[section] = at;
  at[name] = value;
}

function member(value: unknown, part: string): unknown {
  const isTable = typeof value === "object" && value !== null && Object.hasOwn(value, part);
  return isTable ? (value as ConfigTable)[part] : undefined;
}

function valueLike(old: unknown, text: string): SettingValue {
  if (typeof old === "boolean" && /^(true|false)$/.test(text)) return text === "true";
  if (typeof old === "number" && /^-?(0|[1-9][0-9]*)$/.test(text) && Number.isSafeInteger(Number(text))) {
    return Number(text);
  }
  if (Array.isArray(old)) return text === "" ? [] : text.split(",").map((part) => part.trim());
  return text;
}

/**
 * A text that is new in its table: after the last of the table's settings, before comments that belong to what follows.
 * Undefined where the table has none.
 */
function added(text: string, key: string, value: SettingValue): string | undefined {
  const [name = "", section] = key.split(".").reverse();
  const lines = text.split("\n");
  const header = section === undefined ? -1 : lines.findIndex((line) => TABLE.exec(line)?.[1] === section);
  if (typeof value !== "string" || (section !== undefined && header < 0)) return undefined;
  const next = lines.findIndex((line, at) => at > header && /^\s*\[/.test(line));
  const end = next < 0 ? lines.length : next;
  const last = lines.findLastIndex((line, at) => at < end && at >= header && /^\s*[^#\s]/.test(line));
  if (last < 0) return undefined;
  const ending = lines[last]?.endsWith("\r") ? "\r" : "";
  lines.splice(last + 1, 0, `${name} = ${tomlText(value)}${ending}`);
  const after = lines.join("\n");
  return after.endsWith("\n") ? after : `${after}\n`;
}

/** `[p2p]`, the line that begins a table. */
const TABLE = /^\s*\[\s*([A-Za-z0-9_-]+)\s*\]\s*(?:#.*)?$/;

/** Undefined when the editor does not find its way through the file. */
function edited(text: string, key: string, value: SettingValue): string | undefined {
  try {
    const table = readForEdit(text) as ConfigTable;
    put(table, key, value);
    const after = patch(text, table);
    return after.endsWith("\n") ? after : `${after}\n`;
  } catch {
    return undefined;
  }
}

function parsedOrNothing(text: string): ConfigTable | undefined {
  try {
    return parse(text);
  } catch {
    return undefined;
  }
}

/** Cloned, so that both are plain whatever made them. */
const isSame = (one: unknown, other: unknown) => isDeepStrictEqual(structuredClone(one), structuredClone(other));
