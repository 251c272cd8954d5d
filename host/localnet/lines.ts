/** What a node of a local network writes to its log, as events: the program's own lines, and CometBFT's errors. */
import { visible } from "../visible.js";

export interface NodeEvent {
  readonly node: string;
  readonly event: "start" | "block" | "log" | "halt" | "end";
  readonly [name: string]: unknown;
}

/** Levels of pino's numbers, from those that are shown. */
const LEVELS: Readonly<Record<number, string>> = { 30: "info", 40: "warn", 50: "error", 60: "fatal" };
const OWN = new Set(["level", "time", "msg"]);
/** CometBFT's errors: `E[2026-01-01|00:00:00.000] …`. */
const COMET_ERROR = /^E\[[^\]]*\]\s*/;
/** Why a node ends that writes no record. */
const OWN_ERROR = /^Error: /;

export const isOfComet = (line: string): boolean => !line.startsWith("{") && !line.startsWith("Error: ");

/** Undefined: a line that is only in the node's log. */
export function eventOf(node: string, line: string): NodeEvent | undefined {
  if (COMET_ERROR.test(line))
    return { node, event: "log", level: "error", message: `CometBFT: ${line.replace(COMET_ERROR, "")}` };
  if (OWN_ERROR.test(line)) return { node, event: "log", level: "error", message: line.replace(OWN_ERROR, "") };
  const entry = entryOf(line);
  if (!entry) return undefined;
  if (entry["v"] === 1 && typeof entry["code"] === "string") return haltOf(node, entry);
  const level = LEVELS[Number(entry["level"])];
  if (level === undefined) return undefined;
  const fields = Object.fromEntries(Object.entries(entry).filter(([name]) => !OWN.has(name)));
  if (entry["msg"] === "block committed") return { node, event: "block", ...fields };
  return { node, event: "log", level, message: String(entry["msg"] ?? ""), ...fields };
}

/** The record of halt.json, as the node prints it. */
function haltOf(node: string, { code, height, app_hash, message, next }: Readonly<Record<string, unknown>>): NodeEvent {
  return { node, event: "halt", code, height, app_hash, message, next };
}

function entryOf(line: string): Readonly<Record<string, unknown>> | undefined {
  if (!line.startsWith("{")) return undefined;
  try {
    return JSON.parse(line) as Record<string, unknown>;
  } catch {
    return undefined;
  }
}

/** `node0  block 7  app hash 73c1…`. */
export function lineOf(event: NodeEvent, nameLength: number): string {
  return `${event.node.padEnd(nameLength)}  ${visible(textOf(event))}`;
}

function textOf({ event, node, ...fields }: NodeEvent): string {
  switch (event) {
    case "block":
      return `block ${fields["height"]}  app hash ${String(fields["app_hash"]).toUpperCase()}`;
    case "halt":
      return `halt at height ${fields["height"]}: ${fields["code"]}; ${fields["next"]}`;
    case "end":
      return `${fields["signal"] ? `ended by ${fields["signal"]}` : `ended with exit status ${fields["exit"]}`}; log: ${fields["log"]}`;
    case "start":
      return `started, process ${fields["pid"]}`;
    case "log": {
      const { level, message, ...rest } = fields;
      const more = Object.entries(rest).map(
        ([name, value]) => ` ${name}=${typeof value === "string" ? value : JSON.stringify(value)}`,
      );
      return `${level === "info" ? "" : `${String(level).toUpperCase()} `}${message}${more.join("")}`;
    }
  }
}
