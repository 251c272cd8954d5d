/**
 * Which settings a file may have: those that a flag reads. A name that nothing reads is a mistake in typing, and without a
 * word the default would hold in its place. What else the Cosmos SDK's app.toml has is known too, and has no effect.
 */
import type { Command, Option } from "commander";
import { UpgradeError } from "../errors/errors.js";
import { readFileIfThere } from "../files/atomic-file.js";
import { decodeLossy, nearest } from "../text/text.js";
import { visible } from "../text/visible.js";
import { type ConfigName, type ConfigTable, configPath, readConfig } from "./config-file.js";
import { isFromFile, readsConfig } from "./settings.js";

/** The flags that a file may give a value, by the setting's name: those of the commands that read it. */
export function settingFlags(program: Command, file: ConfigName): ReadonlyMap<string, readonly Option[]> {
  const found = new Map<string, Option[]>();
  const add = (flag: Option) => {
    if (!flag.long || !isFromFile(flag.long)) return;
    const key = flag.long.slice(2);
    found.set(key, [...(found.get(key) ?? []), flag]);
  };
  const walk = (command: Command) => {
    command.options.forEach(add);
    command.commands.forEach(walk);
  };
  for (const top of program.commands) if (readsConfig(top.name()) === file) walk(top);
  program.options.forEach(add);
  return found;
}

/** Tables of the Cosmos SDK's app.toml that are the business of parts that do not exist here. */
const SDK_TABLES = ["telemetry", "streaming", "streamers", "store", "mempool", "rosetta"];
/** Its other names (0.45 to 0.53) that no flag of `start` has. */
const SDK_NAMES: ReadonlySet<string> = new Set([
  ...["query-gas-limit", "app-db-backend"],
  ...["api.swagger", "api.max-open-connections", "api.rpc-read-timeout", "api.rpc-write-timeout"],
  ...["api.rpc-max-body-bytes", "grpc.max-recv-msg-size", "grpc.max-send-msg-size", "grpc.skip-check-header"],
  ...["grpc-web.address", "grpc-web.enable-unsafe-cors"],
]);

const isOfSdk = (name: string) => SDK_NAMES.has(name) || SDK_TABLES.includes(name.split(".")[0] ?? "");

/**
 * The settings of the Cosmos SDK in a home's app.toml that nothing reads.
 * @param known the names that flags read
 * @throws UpgradeError UPG_INVALID_CONFIG, UPG_STORE_IO
 */
export function settingsOfSdk(home: string, known: readonly string[]): string[] {
  return namesIn(readConfig(home, "app")).filter((name) => isOfSdk(name) && !known.includes(name));
}

/**
 * A name that no flag has, in the file as people wrote it, stops a node before it does anything.
 * @param known the names that flags read
 * @throws UpgradeError UPG_INVALID_CONFIG naming the file, the line and the nearest name; UPG_STORE_IO
 */
export function requireKnownSettings(home: string, file: ConfigName, known: readonly string[]): void {
  requireNotEmpty(home, file);
  const names = namesIn(readConfig(home, file));
  const wrong = names.find((name) => !known.includes(name) && !isOfSdk(name));
  if (wrong === undefined) return;
  const path = configPath(home, file);
  const line = lineOf(decodeLossy(readFileIfThere(path) ?? new Uint8Array()), wrong);
  const place = line === undefined ? path : `${path}, line ${line}`;
  throw new UpgradeError(
    "UPG_INVALID_CONFIG",
    `${place}: there is no setting "${visible(wrong)}"${hint(wrong, known)}; nothing reads it, so take it out or write its name right`,
  );
}

/** A crash may leave a file without its bytes, and then every default would hold without a message. */
function requireNotEmpty(home: string, file: ConfigName): void {
  const path = configPath(home, file);
  const bytes = readFileIfThere(path);
  if (bytes === undefined || decodeLossy(bytes).trim() !== "") return;
  throw new UpgradeError(
    "UPG_INVALID_CONFIG",
    `${path} is empty; a crash may have truncated it. Restore it from a backup, or remove it to run with the default settings`,
  );
}

function hint(wrong: string, known: readonly string[]): string {
  const last = wrong.split(".").at(-1) ?? "";
  // What is added at the end of a file is of its last table.
  if (wrong !== last && known.includes(last)) return ` (did you mean "${last}"? It goes above the first [table])`;
  const near = nearest(wrong, known);
  return near === undefined ? "" : ` (did you mean "${near}"?)`;
}

/** All settings of a file, as `name` and `table.name`. */
function namesIn(table: ConfigTable, prefix = ""): string[] {
  return Object.entries(table).flatMap(([key, value]) => {
    const name = prefix + key;
    const isTable = typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof Date);
    return isTable ? namesIn(value as ConfigTable, `${name}.`) : [name];
  });
}

const TABLE = /^\s*\[+([^[\]]+)\]/;
const SETTING = /^\s*([^=#[]+?)\s*=/;

/** Counted from 1. Undefined where it is written in a way that is not looked for. */
function lineOf(text: string, name: string): number | undefined {
  const plain = (key: string) => key.replaceAll(/["'\s]/g, "");
  let table = "";
  for (const [at, line] of text.split("\n").entries()) {
    const [, begun] = TABLE.exec(line) ?? [];
    if (begun !== undefined) table = `${plain(begun)}.`;
    const [, key] = SETTING.exec(line) ?? [];
    if (key !== undefined && table + plain(key) === name) return at + 1;
  }
  return undefined;
}
