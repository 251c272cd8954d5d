/** The error line of a node's log that has the facts of its halt.json. */
import { type LogEntry, parseLogLine } from "../host/base/text/log-line.js";
import { type HaltRecord, haltFields } from "../host/upgrade/module/halt.js";

export type HaltFacts = Readonly<Record<string, unknown>>;

const isHalt = (entry: LogEntry | undefined): entry is LogEntry =>
  entry?.level === "error" && "code" in entry.fields && "next" in entry.fields;

/** Of a log in either form; undefined: no such line. */
export function haltInLog(log: string): HaltFacts | undefined {
  const entry = log.split("\n").map(parseLogLine).find(isHalt);
  return entry && { message: entry.message, ...entry.fields };
}

/** What the log has of a record: as JSON has it. */
export function factsOf(record: HaltRecord): HaltFacts {
  return JSON.parse(JSON.stringify({ message: record.message, ...haltFields(record) })) as HaltFacts;
}
