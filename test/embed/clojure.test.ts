/** A host in Clojure, written from docs/abi.md and docs/gas.md alone: a test of the documents. It replays the vectors. */
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { describe, expect, test } from "vitest";
import { ROOT } from "../house/sources.js";
import { readVectors } from "./vector-counts.js";

const SOURCES = join(ROOT, "test/embed/clojure");
const JARS = join(ROOT, "build/engines/chicory");
/** `npm run embed:clojure` runs all of them. */
const HANDLER_CASES_STRIDE = Number(process.env["HANDLER_CASES_STRIDE"] ?? 16);
const HOST_LINES_MAX = 300;

const missing = whyNot();
const named = (name: string) => (missing ? `${name} (skipped: ${missing})` : name);

function whyNot(): string | undefined {
  if (spawnSync("java", ["-version"]).status !== 0) return "java is not here";
  const jars = existsSync(JARS) ? readdirSync(JARS) : [];
  return jars.some((name) => name.startsWith("clojure-"))
    ? undefined
    : "build/engines/chicory has no Clojure: .ci/run has Maven fetch it";
}

function replay(): string {
  const jars = readdirSync(JARS).map((name) => join(JARS, name));
  const files = [join(ROOT, "test/vectors"), join(ROOT, "dist/core.wasm"), String(HANDLER_CASES_STRIDE)];
  // Chicory is an interpreter: its own stack must be larger than what the stack budget of a run allows.
  const args = ["-Xss16m", "-cp", [SOURCES, ...jars].join(delimiter), "clojure.main", "vectors.clj", ...files];
  const { status, stdout, stderr } = spawnSync("java", args, { cwd: SOURCES, encoding: "utf8", maxBuffer: 1 << 26 });
  expect(status, `${stdout}\n${stderr}`).toBe(0);
  return stdout;
}

describe("a host in Clojure", () => {
  test.skipIf(missing)(
    named("the vectors → every recorded call of core.wasm, and a sample of handler cases, are as the node's"),
    () => {
      const stdout = replay();
      const { coreCalls, handlerCases } = readVectors();
      expect(stdout).toContain(`core-calls: ${coreCalls} calls, 0 wrong`);
      const counts = /handler-cases: (\d+) runs, 0 wrong, (\d+) refused files and (\d+) guarded runs left out/;
      const [runs = 0, refused = 0, guarded = 0] = counts.exec(stdout)?.slice(1).map(Number) ?? [];
      expect(runs + refused + guarded, stdout).toBe(Math.ceil(handlerCases / HANDLER_CASES_STRIDE));
      expect(runs).toBeGreaterThan(refused + guarded);
    },
    300_000,
  );

  test(`its lines → at most ${HOST_LINES_MAX}, of at most 120 characters`, () => {
    const lines = readFileSync(join(SOURCES, "host.clj"), "utf8").trimEnd().split("\n");
    expect(lines.length).toBeLessThanOrEqual(HOST_LINES_MAX);
    expect(lines.filter((line) => line.length > 120)).toEqual([]);
  });
});
