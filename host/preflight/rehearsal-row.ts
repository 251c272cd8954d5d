/** The last rehearsal of the plan: the report that the home keeps, or one of `upgrade rehearse -o json` that a flag names. */
import { existsSync } from "node:fs";
import { readJsonFile } from "../client/tx/stored.js";
import type { Home } from "../engine/home/home.js";
import { messageOf } from "../errors.js";
import { programName } from "../program-name.js";
import { shellWord } from "../shell-word.js";
import type { Plan } from "../types.js";
import { JsonReader } from "../values/json-reader.js";
import type { Row } from "./row.js";

export interface Rehearsal {
  readonly file: string;
  readonly exit: number;
  readonly verdict: string;
  readonly message: string;
  /** Last block of the state on which it was made. */
  readonly height: string;
  readonly appHash: string | undefined;
  /** Undefined: the program carries the handler, or the rehearsal did not come so far. */
  readonly handlerSha256: string | undefined;
  readonly peakMemory: number | undefined;
}

/** Undefined: nobody has rehearsed this plan here. @throws UpgradeError where the file is no report */
function readLastRehearsal(file: string, plan: string): Rehearsal | undefined {
  if (!existsSync(file)) return undefined;
  const json = new JsonReader(readJsonFile(file), file);
  const of = json.get("plan").get("name").text();
  if (of !== plan) throw json.get("plan").wrong(`is the rehearsal of "${of}"`);
  const [applied, handler] = [json.get("applied"), json.get("handler")];
  const sha256 = handler.get("sha256").text("");
  const peak = applied.get("memory").get("peak");
  return {
    file,
    exit: Number(json.get("exit").integer()),
    verdict: json.get("verdict").text(),
    message: json.get("message").text(""),
    height: json.get("state").get("height").text(""),
    appHash: applied.isSet ? applied.get("app_hash").text() : undefined,
    handlerSha256: sha256 === "" ? undefined : sha256,
    peakMemory: peak.isSet ? Number(peak.integer()) : undefined,
  };
}

/**
 * @param handler hash of the file that the node would run now; undefined: none, or one in TypeScript
 * @param given the report that a flag names
 */
export function rehearsalRow(
  home: Home,
  { name }: Plan,
  { handler, given }: { readonly handler: string | undefined; readonly given: string | undefined },
): { readonly row: Row; readonly rehearsal: Rehearsal | undefined } {
  const check = "rehearsal";
  const file = given ?? home.rehearsalFile(name);
  const next = `${programName()} upgrade rehearse --home ${shellWord(home.path)}${given === undefined ? "" : ` -o json > ${shellWord(given)}`}`;
  const row = (state: Row["state"], words: string, command?: string): Row => ({ check, state, words, next: command });
  let rehearsal: Rehearsal | undefined;
  try {
    rehearsal = readLastRehearsal(file, name);
  } catch (error) {
    return { row: row("warning", `the report cannot be read: ${messageOf(error)}`, next), rehearsal };
  }
  if (!rehearsal) return { row: row("warning", "not rehearsed", next), rehearsal };
  const { exit, verdict, message, height, appHash, handlerSha256 } = rehearsal;
  const on = height === "" ? "" : ` on the state of block ${height}`;
  if (exit !== 0) return { row: row("missing", `${verdict}${on}: ${message}`, next), rehearsal };
  if (handler !== undefined && handlerSha256 !== undefined && handlerSha256 !== handler)
    return { row: row("warning", `the rehearsal${on} was of another file, ${handlerSha256}`, next), rehearsal };
  return { row: row("ok", `${verdict}${on}, app hash ${appHash}`), rehearsal };
}
