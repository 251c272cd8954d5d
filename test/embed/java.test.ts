/** A host in Java, written from docs/abi.md and docs/gas.md alone: a test of the documents. It replays the vectors. */
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { describe, expect, test } from "vitest";
import { ROOT } from "../house/sources.js";
import { readVectors } from "./vector-counts.js";

const SOURCES = join(ROOT, "test/embed/java");
const JARS = join(ROOT, "build/engines/chicory");
const CLASSES = join(ROOT, "build/embed/java");
/** `npm run embed:java` runs all of them. */
const HANDLER_CASES_STRIDE = Number(process.env["HANDLER_CASES_STRIDE"] ?? 16);
const HOST_LINES_MAX = 500;
/** The host; beside it is what replays the vectors. */
const HOST = ["Guest.java", "Core.java", "Handler.java", "Run.java"];

const missing = whyNot();
const named = (name: string) => (missing ? `${name} (skipped: ${missing})` : name);

function whyNot(): string | undefined {
  if (spawnSync("javac", ["-version"]).status !== 0) return "javac is not here";
  return existsSync(JARS) ? undefined : "build/engines/chicory is not here: .ci/run has Maven fetch it";
}

function run(program: string, args: readonly string[]): string {
  const { status, stdout, stderr } = spawnSync(program, args, { cwd: SOURCES, encoding: "utf8", maxBuffer: 1 << 26 });
  expect(status, `${stdout}\n${stderr}`).toBe(0);
  return stdout;
}

describe("a host in Java", () => {
  test.skipIf(missing)(
    named("the vectors → every recorded call of core.wasm, and a sample of handler cases, are as the node's"),
    () => {
      mkdirSync(CLASSES, { recursive: true });
      const jars = readdirSync(JARS).map((name) => join(JARS, name));
      const sources = readdirSync(SOURCES).filter((name) => name.endsWith(".java"));
      run("javac", ["-cp", jars.join(delimiter), "-d", CLASSES, ...sources]);
      const files = [join(ROOT, "test/vectors"), join(ROOT, "dist/core.wasm"), String(HANDLER_CASES_STRIDE)];
      const stdout = run("java", ["-cp", [CLASSES, ...jars].join(delimiter), "Vectors", ...files]);
      const { coreCalls, handlerCases } = readVectors();
      expect(stdout).toContain(`core-calls: ${coreCalls} calls, 0 wrong`);
      const [, runs, refused] = /handler-cases: (\d+) runs, 0 wrong, (\d+) refused files left out/.exec(stdout) ?? [];
      expect(Number(runs) + Number(refused)).toBe(Math.ceil(handlerCases / HANDLER_CASES_STRIDE));
      expect(Number(runs)).toBeGreaterThan(Number(refused));
    },
    300_000,
  );

  test(`its lines → at most ${HOST_LINES_MAX}, of at most 120 characters`, () => {
    const lines = HOST.flatMap((name) => readFileSync(join(SOURCES, name), "utf8").trimEnd().split("\n"));
    expect(lines.length).toBeLessThanOrEqual(HOST_LINES_MAX);
    expect(lines.filter((line) => line.length > 120)).toEqual([]);
  });
});
