/**
 * `<home>/data/upgrade-info.json`, as x/upgrade and operators write it: in place, so that a reader may find half of it. What cannot
 * be read is looked at again; the texts are Cosmovisor's, for those who search for them.
 */
import { messageOf } from "../../../base/errors/errors.js";
import type { Files } from "../../../base/files/files.js";
import { decodeText } from "../../../base/text/text.js";
import { HEIGHT_MAX } from "../../../base/types/limits.js";

export interface Plan {
  /** In lower case, unless names are kept as they are. */
  readonly name: string;
  readonly height: bigint;
  readonly info: string;
}

export type PlanFile =
  | { readonly kind: "absent" }
  | { readonly kind: "torn"; readonly why: string; readonly print: string }
  | { readonly kind: "plan"; readonly plan: Plan; readonly print: string };

/** An info has at most 64 KiB, of which JSON writes each byte with six at most. */
const BYTES_MAX = 1_024 * 1_024;

/** Never throws: a file that the system refuses to read is one to look at again. */
export function readPlanFile(files: Files, path: string, isCaseKept: boolean): PlanFile {
  let print = "";
  try {
    const facts = files.facts(path);
    if (!facts) return { kind: "absent" };
    print = facts.print;
    const bytes = files.read(path, BYTES_MAX);
    if (!bytes) return { kind: "absent" };
    return { kind: "plan", plan: parsePlan(bytes, path, isCaseKept), print };
  } catch (error) {
    return { kind: "torn", why: messageOf(error), print };
  }
}

/** Of `current/upgrade-info.json` and the like; undefined where there is none, or none that can be read. */
export function planIn(files: Files, path: string, isCaseKept: boolean): Plan | undefined {
  const found = readPlanFile(files, path, isCaseKept);
  return found.kind === "plan" ? found.plan : undefined;
}

/** @throws Error with Cosmovisor's text */
export function parsePlan(bytes: Uint8Array, path: string, isCaseKept: boolean): Plan {
  if (bytes.length === 0) throw new Error(`empty upgrade-info.json in "${path}"`);
  const { name, height, info } = fieldsOf(JSON.parse(decodeText(bytes)));
  const problem = problemOf(name, height);
  if (problem) {
    const content = JSON.stringify({ name, height, info });
    throw new Error(`invalid upgrade-info.json content: ${problem}: invalid request, got: ${content}`);
  }
  return { name: isCaseKept ? name : name.toLowerCase(), height: BigInt(height), info };
}

function fieldsOf(json: unknown): { name: string; height: number; info: string } {
  const table = typeof json === "object" && json !== null && !Array.isArray(json) ? json : undefined;
  if (!table) throw new Error(`json: cannot unmarshal ${kindOf(json)} into Go value of type types.Plan`);
  const { name, height, info } = table as Record<string, unknown>;
  return { name: field("name", name, ""), height: field("height", height, 0), info: field("info", info, "") };
}

/** Go takes null for what is absent. */
function field<T extends string | number>(key: string, value: unknown, absent: T): T {
  if (value === undefined || value === null) return absent;
  if (typeof value === typeof absent) return value as T;
  const type = typeof absent === "string" ? "string" : "int64";
  throw new Error(`json: cannot unmarshal ${kindOf(value)} into Go struct field Plan.${key} of type ${type}`);
}

function kindOf(value: unknown): string {
  if (Array.isArray(value)) return "array";
  return typeof value === "boolean" ? "bool" : typeof value;
}

function problemOf(name: string, height: number): string | undefined {
  if (name.trim() === "") return "name cannot be empty";
  if (!(height > 0)) return "height must be greater than 0";
  if (!Number.isInteger(height) || height > Number(HEIGHT_MAX)) return `height must be an integer up to ${HEIGHT_MAX}`;
  return undefined;
}
