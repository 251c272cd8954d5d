/**
 * The conformance vectors: language-neutral cases computed by the Cosmos SDK's own code (test/vectors/README.md).
 * A runner takes one case, throws when ours answers otherwise, and returns the tags by which the case differs on
 * purpose (none: it passed). What a tag does not touch is compared all the same.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { toHex } from "../../host/base/text/bytes.js";
import { type ExpectedText, hexBytes, isText, printedBytes, readAs } from "./short-forms.js";

/** A case as it is in the file; runners look at what they need. */
// biome-ignore lint/suspicious/noExplicitAny: cases are JSON of many shapes, and a wrong field fails its case.
export type VectorCase = Record<string, any>;

export type CaseRunner = (vector: VectorCase) => readonly string[];
/** `head`: what the file has beside its cases. */
export type HeadedRunner = (vector: VectorCase, head: VectorCase) => readonly string[];

export interface FileReport {
  readonly file: string;
  readonly cases: number;
  readonly passed: number;
  readonly differing: number;
  readonly failed: number;
  /** How many cases differ by each tag. */
  readonly by: Readonly<Record<string, number>>;
  readonly failures: readonly { readonly label: string; readonly message: string }[];
}

export function vectorsDirectory(): string {
  return process.env["VECTORS"] ?? join(import.meta.dirname, ".");
}

export function loadVectors(file: string, directory = vectorsDirectory()): VectorCase[] {
  return loadFile(file, directory).cases;
}

export function loadFile(file: string, directory = vectorsDirectory()): { head: VectorCase; cases: VectorCase[] } {
  const text = gunzipSync(readFileSync(join(directory, `${file}.json.gz`))).toString("utf8");
  const { cases, ...head } = JSON.parse(text) as { cases: VectorCase[] };
  return { head, cases };
}

/** `every`: of so many cases the first alone, where all of them take too long. */
export function runVectors(file: string, runner: HeadedRunner, directory = vectorsDirectory(), every = 1): FileReport {
  const { head, cases: all } = loadFile(file, directory);
  const cases = all.filter((_, index) => index % every === 0);
  const by: Record<string, number> = {};
  const failures: { label: string; message: string }[] = [];
  let differing = 0;
  cases.forEach((vector, index) => {
    try {
      const tags = runner(vector, head);
      if (tags.length > 0) differing++;
      for (const tag of new Set(tags)) by[tag] = (by[tag] ?? 0) + 1;
    } catch (error) {
      const label = String(vector["label"] ?? vector["kind"] ?? "case");
      failures.push({
        label: `#${index * every} ${label}`,
        message: error instanceof Error ? error.message : String(error),
      });
    }
  });
  const failed = failures.length;
  return { file, cases: cases.length, passed: cases.length - differing - failed, differing, failed, by, failures };
}

/** Compares bytes with expected hex, or with the length and SHA-256 that represent long outputs. */
export function expectBytes(actual: Uint8Array, expected: ExpectedText, what: string): void {
  const isDigest = typeof expected === "object" && "len" in expected;
  expectEqual(printedBytes(actual, expected), isDigest ? expected : toHex(hexBytes(expected)), what);
}

/** Compares texts, whatever the form of the expected one. */
export function expectText(actual: string, expected: ExpectedText, what: string): void {
  if (!isText(actual, expected)) expectEqual(actual, expected, what);
}

/** Deep equality by canonical JSON; bigint counts as its decimal text; expected texts may have short forms. */
export function expectEqual(actual: unknown, expected: unknown, what: string): void {
  const a = canonical(actual);
  const b = canonical(readAs(expected, actual));
  if (a !== b) throw new Error(`${what}: expected ${shorten(b)}, got ${shorten(a)}`);
}

function canonical(value: unknown): string {
  return JSON.stringify(value, (_, part: unknown) => {
    if (typeof part === "bigint") return part.toString();
    if (part instanceof Map) return Object.fromEntries([...part].sort());
    if (part !== null && typeof part === "object" && !Array.isArray(part)) {
      return Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)));
    }
    return part;
  });
}

function shorten(text: string | undefined): string {
  if (text === undefined) return "undefined";
  return text.length > 400 ? `${text.slice(0, 400)}… (${text.length} characters)` : text;
}
