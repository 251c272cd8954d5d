/** What `tx upgrade attest` takes of a report that `upgrade rehearse -o json` printed: the file, the height, the result. */
import { fromHex } from "../../bytes.js";
import { messageOf } from "../../errors.js";
import { usage } from "../../usage.js";
import { JsonReader } from "../../values/json-reader.js";
import { visible } from "../../visible.js";
import { readJsonFile } from "./stored.js";

export interface RehearsalResult {
  readonly appHash: Uint8Array;
  /** Last block of the state on which it was made. */
  readonly height: bigint;
}

export interface AttestableRehearsal extends RehearsalResult {
  /** Lower-case hex; undefined: the program itself carries the handler. */
  readonly handlerSha256: string | undefined;
}

/** @throws UpgradeError UPG_INVALID_ARGUMENT where the report is of another plan, or of a rehearsal that failed */
export function readRehearsal(file: string, plan: string): AttestableRehearsal {
  const json = new JsonReader(readJsonFile(file), file);
  try {
    return parseRehearsal(json, plan);
  } catch (cause) {
    throw usage(messageOf(cause));
  }
}

function parseRehearsal(json: JsonReader, plan: string): AttestableRehearsal {
  const of = json.get("plan").get("name").text();
  if (of !== plan) throw usage(`${json.path} rehearses the plan "${visible(of)}", not "${visible(plan)}"`);
  const applied = json.get("applied");
  if (!applied.isSet || json.get("exit").integer() !== 0n)
    throw usage(`${json.path} came to no app hash, the upgrade ${visible(json.get("verdict").text())}`);
  const handler = json.get("handler");
  const isFile = handler.get("kind").text("wasm") === "wasm" && handler.isSet;
  return {
    appHash: hash32(applied.get("app_hash")),
    height: json.get("state").get("height").int64(),
    handlerSha256: isFile ? handler.get("sha256").text().toLowerCase() : undefined,
  };
}

function hash32(field: JsonReader): Uint8Array {
  const text = field.text();
  if (/^[0-9a-fA-F]{64}$/.test(text)) return fromHex(text.toLowerCase());
  throw field.wrong("expected 64 hexadecimal digits");
}
