/** The JSON form of a plan's info: `binaries`, which is the Cosmos SDK's, and `handler`, which is ours. */
import { isUpgradeError, UpgradeError } from "../../base/errors/errors.js";
import { type JsonMember, type JsonValue, parseGoJson } from "./go-json.js";
import { goQuote } from "./go-quote.js";

/** The handler that a plan pins: the same bytes for every platform. */
export interface PlanHandler {
  readonly url?: string;
  /** 64 lower-case hex digits. */
  readonly sha256: string;
}

/** What was read of a JSON text; a part with errors is left out. */
export interface PlanDocument {
  /** URLs by platform key, in the order of the text; neither is checked. */
  readonly binaries: ReadonlyMap<string, string>;
  /** The first error. */
  readonly binariesError?: string;
  readonly handler?: PlanHandler;
  readonly handlerErrors: readonly string[];
}

/**
 * Reads a document. Keys are matched without case, as encoding/json does, and unknown ones ignored. `binaries`
 * given twice merges, null empties it. `handler` and its fields may be given once: readers that differ
 * in which of two they take would pin different handlers.
 *
 * @throws UpgradeError UPG_INVALID_PLAN_INFO when the text is not JSON
 */
export function readPlanDocument(text: string): PlanDocument {
  const value = parse(text);
  if (value.kind !== "object") {
    const binariesError = value.kind === "null" ? undefined : otherKind("it", "a JSON object", value);
    return { binaries: new Map(), handlerErrors: [], ...(binariesError && { binariesError }) };
  }
  const handlers = named(value.members, "handler").filter((member) => member.kind !== "null");
  return { ...readBinaries(named(value.members, "binaries")), ...readHandler(handlers) };
}

function parse(text: string): JsonValue {
  try {
    return parseGoJson(text);
  } catch (error) {
    if (isUpgradeError(error)) throw new UpgradeError("UPG_INVALID_PLAN_INFO", unreadable(error.message));
    throw error;
  }
}

function readBinaries(values: readonly JsonValue[]): Pick<PlanDocument, "binaries" | "binariesError"> {
  const binaries = new Map<string, string>();
  let binariesError: string | undefined;
  for (const value of values) {
    if (value.kind === "null") binaries.clear();
    else if (value.kind !== "object") {
      binariesError ??= otherKind('"binaries"', "an object of URLs by platform", value);
    } else {
      for (const { key, value: url } of value.members) {
        if (url.kind !== "string" && url.kind !== "null") {
          binariesError ??= otherKind(`binaries[${key}]`, "a URL in double quotes", url);
        }
        binaries.set(key, url.kind === "string" ? url.text : "");
      }
    }
  }
  return binariesError === undefined ? { binaries } : { binaries: new Map(), binariesError };
}

function readHandler(values: readonly JsonValue[]): Pick<PlanDocument, "handler" | "handlerErrors"> {
  const [value] = values;
  if (value === undefined) return { handlerErrors: [] };
  if (values.length > 1) return { handlerErrors: ["invalid handler: it is given twice"] };
  if (value.kind !== "object") return { handlerErrors: [`invalid handler: it must be an object, not ${value.kind}`] };
  const errors: string[] = [];
  const url = readText(value.members, "url", errors);
  const sha256 = readText(value.members, "sha256", errors);
  if (sha256 === undefined) {
    if (errors.length === 0) errors.push("invalid handler: it has no sha256");
  } else if (!/^[0-9a-fA-F]{64}$/.test(sha256)) {
    errors.push(`invalid handler: sha256 must be 64 hex digits, not ${goQuote(sha256)}`);
  }
  if (sha256 === undefined || errors.length > 0) return { handlerErrors: errors };
  return { handlerErrors: [], handler: { ...(url !== undefined && { url }), sha256: sha256.toLowerCase() } };
}

function readText(members: readonly JsonMember[], name: string, errors: string[]): string | undefined {
  const values = named(members, name).filter((value) => value.kind !== "null");
  const [value] = values;
  if (values.length > 1) errors.push(`invalid handler: ${name} is given twice`);
  else if (value !== undefined && value.kind !== "string") {
    errors.push(`invalid handler: ${name} must be a string, not ${value.kind}`);
  } else if (value !== undefined) return value.text;
  return undefined;
}

/** Values of the members of that name, compared by Unicode simple folding (`ſ` is `s`), in order. */
function named(members: readonly JsonMember[], name: string): JsonValue[] {
  const pattern = new RegExp(`^${name}$`, "iu");
  return members.filter(({ key }) => pattern.test(key)).map(({ value }) => value);
}

function otherKind(what: string, expected: string, { kind }: JsonValue): string {
  return unreadable(`${what} must be ${expected}, not ${kind}`);
}

function unreadable(text: string): string {
  return `could not parse plan info: ${text}`;
}
