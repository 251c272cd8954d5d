/** Log lines for people: `10:47:03 INF block made height=5`. */

import { Writable } from "node:stream";
import { decodeLossy } from "../text.js";
import { visible } from "../visible.js";

const LEVELS: Readonly<Record<number, string>> = { 10: "TRC", 20: "DBG", 30: "INF", 40: "WRN", 50: "ERR", 60: "FTL" };
const OWN = new Set(["level", "time", "msg", "pid", "hostname"]);

/** A stream that takes pino's lines and writes plain ones to stderr. */
export function plainLog(): Writable {
  return new Writable({
    write(chunk: Buffer, _encoding, done) {
      for (const line of decodeLossy(chunk).split("\n")) if (line) process.stderr.write(`${plainLine(line)}\n`);
      done();
    },
  });
}

function plainLine(line: string): string {
  const entry = JSON.parse(line) as Record<string, unknown>;
  const time = new Date(Number(entry["time"])).toISOString().slice(11, 19);
  const fields = Object.entries(entry)
    .filter(([key]) => !OWN.has(key))
    .map(([key, value]) => ` ${key}=${typeof value === "string" ? value : JSON.stringify(value)}`);
  const text = `${String(entry["msg"] ?? "")}${fields.join("")}`;
  return `${time} ${LEVELS[Number(entry["level"])] ?? "???"} ${visible(text)}`;
}
