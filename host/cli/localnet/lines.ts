/** What a node of a local network writes to its log, as events: the program's own lines, and CometBFT's errors. */
import { type LogEntry, type LogFields, parseLogLine } from "../../base/text/log-line.js";
import { visible } from "../../base/text/visible.js";

export interface NodeEvent {
  readonly node: string;
  readonly event: "start" | "block" | "log" | "halt" | "end";
  readonly [name: string]: unknown;
}

export const isOfComet = (line: string): boolean => parseLogLine(line)?.source === "engine";

/** Undefined: a line that is only in the node's log. */
export function eventOf(node: string, line: string): NodeEvent | undefined {
  const entry = parseLogLine(line);
  if (!entry) return OWN_ERROR.test(line) ? errorOf(node, line.replace(OWN_ERROR, "")) : undefined;
  const { level, source, message, fields } = entry;
  if (source === "engine") return level === "error" ? errorOf(node, `CometBFT: ${message}`, fields) : undefined;
  if (level === "debug") return undefined;
  if ("code" in fields && "next" in fields) return haltOf(node, entry);
  if (message === "block committed") return { node, event: "block", ...fields };
  return { node, event: "log", level, message, ...fields };
}

/** Why a node ends that has not opened its log. */
const OWN_ERROR = /^Error: /;

const errorOf = (node: string, message: string, fields: LogFields = {}): NodeEvent => ({
  ...{ node, event: "log", level: "error", message },
  ...fields,
});

/** The facts of halt.json, as the node logs them. */
function haltOf(node: string, { message, fields: { code, height, app_hash, next } }: LogEntry): NodeEvent {
  return { node, event: "halt", code, height, app_hash, message, next };
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
      return `halt${fields["height"] === undefined ? "" : ` at height ${fields["height"]}`}: ${fields["code"]}; ${fields["next"]}`;
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
