/** The output of another program, line by line. */
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";

/** A panic prints whole blocks. */
const LINE_CHARACTERS_MAX = 32_768;

/** Calls back for each line until the stream ends; of a longer one it passes the first 32,768 characters. */
export function onLines(streams: readonly (Readable | null)[], onLine: (line: string) => void): void {
  for (const input of streams) {
    if (!input) continue;
    const lines = createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY });
    lines.on("line", (line) => onLine(line.slice(0, LINE_CHARACTERS_MAX)));
  }
}
