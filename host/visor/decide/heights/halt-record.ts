/** `<home>/data/halt.json`, which programs of this project leave when they end by design. */
import type { Files } from "../../../base/files/files.js";
import { decodeText } from "../../../base/text/text.js";
import type { Plan } from "../decision/plan-file.js";

export interface HaltFacts {
  readonly code: string;
  readonly message: string;
  /** What to do, in words, with the commands in backquotes. */
  readonly next: string;
  readonly commands: readonly string[];
  /** Of the block that was not made. */
  readonly height: bigint;
  readonly lastCommitted: bigint;
  readonly plan: Plan | undefined;
  readonly print: string;
}

const BYTES_MAX = 4 * 1_024 * 1_024;
const HEIGHT = /^[0-9]{1,16}$/;

/** Undefined: there is none, or none that can be read; what is known of the height then comes from elsewhere. */
export function readHaltRecord(files: Files, path: string, isCaseKept: boolean): HaltFacts | undefined {
  try {
    const facts = files.facts(path);
    const bytes = facts && files.read(path, BYTES_MAX);
    if (!bytes) return undefined;
    const json = JSON.parse(decodeText(bytes)) as Record<string, unknown>;
    return json["v"] === 1 ? haltFacts(json, facts.print, isCaseKept) : undefined;
  } catch {
    return undefined;
  }
}

function haltFacts(json: Record<string, unknown>, print: string, isCaseKept: boolean): HaltFacts | undefined {
  const height = heightOf(json["height"]);
  const lastCommitted = heightOf(json["last_committed_height"]);
  if (height === undefined || lastCommitted === undefined) return undefined;
  const { commands } = json;
  return {
    ...{ code: text(json["code"]), message: text(json["message"]), next: text(json["next"]) },
    commands: Array.isArray(commands) ? commands.map(text) : [],
    ...{ height, lastCommitted, plan: planOf(json["plan"], isCaseKept), print },
  };
}

function planOf(value: unknown, isCaseKept: boolean): Plan | undefined {
  const { name, height, info } = (value ?? {}) as Record<string, unknown>;
  const block = heightOf(height);
  if (typeof name !== "string" || block === undefined) return undefined;
  return { name: isCaseKept ? name : name.toLowerCase(), height: block, info: text(info) };
}

const text = (value: unknown) => (typeof value === "string" ? value : "");

function heightOf(value: unknown): bigint | undefined {
  return typeof value === "string" && HEIGHT.test(value) ? BigInt(value) : undefined;
}
