/** A report that `upgrade rehearse -o json` printed, or that a home keeps: read strictly, since it says what others rely on. */
import { join, sep } from "node:path";
import { messageOf } from "../../../base/errors/errors.js";
import { usage } from "../../../base/terminal/usage.js";
import type { Plan } from "../../../base/types/types.js";
import { JsonReader } from "../../../chain/values/json-reader.js";
import { readJsonFile } from "./stored.js";

/** The state on which it was made. */
interface RehearsedState {
  /** Of its last block. */
  readonly height: bigint;
  /** Upper-case hex, of that block's state. */
  readonly appHash: string;
}

export interface RehearsalReport {
  readonly file: string;
  readonly chainId: string;
  /** As it was rehearsed: one that nobody had scheduled has the height after the state's next, and no info. */
  readonly plan: Plan;
  readonly exit: number;
  readonly verdict: string;
  readonly message: string;
  /** Undefined: the rehearsal did not come so far. */
  readonly state: RehearsedState | undefined;
  /** Upper-case hex of the state after the upgrade; undefined: it came to none. */
  readonly appHash: string | undefined;
  /** Lower-case hex; undefined: the program carries the handler, or the rehearsal did not come so far. */
  readonly handlerSha256: string | undefined;
  /** Path of the handler's file; undefined: it is in the home, or the program carries it. */
  readonly handlerFile: string | undefined;
  readonly peakMemory: number | undefined;
  /** Names of checks that found something which nobody has accepted. */
  readonly openFindings: readonly string[];
}

const APPLIES = "would apply";
const FINDINGS = "would apply with findings";
const VERDICTS: readonly string[] = [
  APPLIES,
  FINDINGS,
  "would fail",
  "would be refused",
  "would halt",
  "cannot be rehearsed",
];

/** @throws UpgradeError UPG_INVALID_ARGUMENT: no file, no JSON, no report */
export function readRehearsal(file: string): RehearsalReport {
  try {
    return reportOf(file, new JsonReader(readJsonFile(file), file));
  } catch (cause) {
    throw usage(messageOf(cause));
  }
}

function reportOf(file: string, json: JsonReader): RehearsalReport {
  const plan = planOf(json.get("plan"));
  const [exit, verdict] = [Number(json.get("exit").integer()), json.get("verdict").text()];
  const isOfExit = (exit === 0) === (verdict === APPLIES) && (exit === 1) === (verdict === FINDINGS);
  if (!VERDICTS.includes(verdict) || !isOfExit)
    throw json.get("verdict").wrong(`no rehearsal ends with ${exit} and ${JSON.stringify(verdict.slice(0, 60))}`);
  const applied = json.get("applied");
  const state = json.get("state");
  const peak = applied.get("memory").get("peak");
  return {
    ...{ file, plan, exit, verdict },
    chainId: json.get("chain_id").text(),
    message: json.get("message").text(""),
    state: exit === 0 || state.isSet ? stateOf(state, plan) : undefined,
    appHash: exit === 0 ? hash32(applied.get("app_hash")).toUpperCase() : undefined,
    handlerSha256: handlerOf(json.get("handler")),
    handlerFile: fileOutside(json.get("home").text(""), json.get("handler").get("file").text("")),
    openFindings: openFindings(json),
    peakMemory: peak.isSet ? Number(peak.uint64()) : undefined,
  };
}

/** The checks with findings that nobody accepted, each once. */
function openFindings(json: JsonReader): string[] {
  const accepted = new Set(
    json
      .get("accepted")
      .items()
      .map((name) => name.text()),
  );
  const found = json
    .get("findings")
    .items()
    .map((finding) => finding.get("check").text());
  return [...new Set(found)].filter((check) => !accepted.has(check));
}

function planOf(json: JsonReader): Plan {
  return { name: json.get("name").text(), height: heightOf(json.get("height")), info: json.get("info").text("") };
}

/** A rehearsal makes the block of the plan's height, on a state from before. */
function stateOf(json: JsonReader, plan: Plan): RehearsedState {
  const [height, block] = [heightOf(json.get("height")), heightOf(json.get("block_height"))];
  if (block !== plan.height) throw json.get("block_height").wrong(`the plan's height is ${plan.height}, got ${block}`);
  if (height >= block) throw json.get("height").wrong(`block ${block} is not made on the state of block ${height}`);
  return { height, appHash: hash32(json.get("app_hash")).toUpperCase() };
}

function heightOf(json: JsonReader): bigint {
  const height = json.int64();
  if (height > 0n) return height;
  throw json.wrong(`must be a height, got ${height}`);
}

function handlerOf(json: JsonReader): string | undefined {
  if (!json.isSet || json.get("kind").text() !== "wasm") return undefined;
  return hash32(json.get("sha256")).toLowerCase();
}

function fileOutside(home: string, file: string): string | undefined {
  return file === "" || home === "" || file.startsWith(`${join(home, "handlers")}${sep}`) ? undefined : file;
}

function hash32(field: JsonReader): string {
  const text = field.text();
  if (/^[0-9a-fA-F]{64}$/.test(text)) return text;
  throw field.wrong("expected 64 hexadecimal digits");
}
