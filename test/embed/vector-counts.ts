/** How many calls and cases the vectors have: what a host of another language says that it ran. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { ROOT } from "../house/sources.js";

function casesOf(name: string): readonly { readonly calls?: readonly unknown[] }[] {
  const file = gunzipSync(readFileSync(join(ROOT, `test/vectors/${name}.json.gz`)));
  return JSON.parse(file.toString()).cases;
}

export function readVectors(): { coreCalls: number; handlerCases: number } {
  const coreCalls = casesOf("core-calls").reduce((sum, { calls = [] }) => sum + calls.length, 0);
  return { coreCalls, handlerCases: casesOf("handler-cases").length };
}
