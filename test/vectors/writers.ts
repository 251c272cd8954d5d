/** The files that this repository writes itself: `npm run vectors -- --write FILE…`. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { coreCalls } from "./core-calls/write.js";
import { handlerCases } from "./handler-cases/write.js";
import type { VectorCase } from "./harness.js";

/** What a file has beside its cases, and these. */
export interface WrittenVectors {
  readonly head: VectorCase;
  readonly cases: readonly VectorCase[];
}

export const WRITERS: Readonly<Record<string, () => WrittenVectors | Promise<WrittenVectors>>> = {
  "core-calls": coreCalls,
  "handler-cases": handlerCases,
};

/** One case a line, compressed; the same input makes the same bytes. */
export function writeVectors(file: string, { head, cases }: WrittenVectors, directory: string): number {
  const members = Object.entries(head).map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`);
  const lines = cases.map((vector) => JSON.stringify(vector));
  const text = `{${members.join(",\n")},\n"cases":[\n${lines.join(",\n")}\n]}\n`;
  const bytes = gzipSync(text, { level: 9 });
  writeFileSync(join(directory, `${file}.json.gz`), bytes);
  return bytes.length;
}
