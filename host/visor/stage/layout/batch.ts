/** Several upgrades at once, as Cosmovisor's `add-batch-upgrade` takes them: a name, a program and a height each. */
import { basename } from "node:path";
import { usage } from "../../../base/terminal/usage.js";
import { INT64_MAX } from "../../../base/types/limits.js";
import type { UpgradeToAdd } from "./add-upgrade.js";

const FIELDS = 3;

/** `v2:/opt/v2:100,v3:/opt/v3:200`. @throws UpgradeError UPG_INVALID_ARGUMENT */
export function upgradesInList(list: string): UpgradeToAdd[] {
  return list.split(",").map((part, at) => upgradeOf(part.split(":"), part, at));
}

/** A file without a heading: `v2,/opt/v2,100`, a line each; a field with a comma in double quotes. @throws UpgradeError UPG_INVALID_ARGUMENT */
export function upgradesInCsv(text: string): UpgradeToAdd[] {
  const rows = text.split(/\r?\n/).filter((line) => line !== "");
  if (rows.length === 0) throw usage("the file of upgrades is empty: expected lines of name,path,height");
  return rows.map((line, at) => upgradeOf(fieldsOf(line, at), line, at));
}

function fieldsOf(line: string, at: number): string[] {
  const fields: string[] = [];
  const field = /\s*(?:"((?:[^"]|"")*)"|([^",]*))(,|$)/y;
  for (let isLast = false; !isLast; ) {
    const [, quoted, plain = "", end] = field.exec(line) ?? wrongRow(line, at);
    fields.push(quoted === undefined ? plain : quoted.replaceAll('""', '"'));
    isLast = end === "";
  }
  return fields;
}

function upgradeOf(fields: readonly string[], text: string, at: number): UpgradeToAdd {
  const [name = "", executable = "", height = ""] = fields;
  if (fields.length !== FIELDS || name === "" || executable === "") wrongRow(text, at);
  if (!/^[0-9]{1,19}$/.test(height) || BigInt(height) < 1n || BigInt(height) > INT64_MAX) {
    throw usage(`upgrade height at position ${at} (${height}) is invalid`);
  }
  return { name: basename(name), executable, height: BigInt(height) };
}

function wrongRow(text: string, at: number): never {
  throw usage(`argument at position ${at} (${text}) is invalid: expected a name, a path and a height`);
}
