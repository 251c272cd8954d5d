/** One count on every engine: results, gas, stack and memory of metered modules are the same, to the last unit. */
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ROOT } from "../house/sources.js";
import { bundle } from "./bundle.js";
import { engineCases } from "./cases.js";
import { launchChromium } from "./chromium.js";
import { PYTHON, prepareChromium, prepareWasmtime, prepareWazero, WAZERO } from "./prepare.js";
import { type EngineCase, runCases } from "./run-cases.js";

const noWazero = prepareWazero();
const noWasmtime = prepareWasmtime();
const noChromium = prepareChromium();
const named = (name: string, reason: string | undefined) => (reason ? `${name} (skipped: ${reason})` : name);

const folder = mkdtempSync(join(tmpdir(), "chain-upgrade-engines-"));
const file = join(folder, "cases.json");
let cases: EngineCase[] = [];
let due: string[] = [];

function lines(program: string, ...args: readonly string[]): string[] {
  const output = execFileSync(program, args, {
    encoding: "utf8",
    maxBuffer: 1 << 28,
    stdio: ["ignore", "pipe", "inherit"],
  });
  return output.trimEnd().split("\n");
}

beforeAll(async () => {
  cases = await engineCases();
  writeFileSync(file, JSON.stringify(cases));
  due = runCases(cases);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe("metered modules on every engine", () => {
  test("the cases end in every way: answers, traps, out of gas, out of stack", () => {
    expect(cases.length).toBeGreaterThan(200);
    expect(due.filter((line) => / -?\d+ gas \d/.test(line)).length).toBeGreaterThan(300);
    expect(due.filter((line) => / trap gas \d+ stack \d/.test(line)).length).toBeGreaterThan(20);
    expect(due.filter((line) => / trap gas -/.test(line)).length).toBeGreaterThan(100);
    expect(due.filter((line) => / trap .* stack -/.test(line)).length).toBeGreaterThan(3);
  });

  test("recursion with much to keep: as deep as the budget → 7, one deeper and a thousand → out of stack", () => {
    const verdicts = (which: string) =>
      due.filter((line) => line.startsWith("stack-") && line.split(" ")[0]?.includes(which));
    const whole = (lines: string[]) => lines.filter((line) => line.includes(" go ") && !line.includes("-half"));
    expect(whole(verdicts("-deepest-")).length).toBe(14);
    for (const line of whole(verdicts("-deepest-"))) expect(line).toMatch(/ go 7 gas \d+ stack \d+$/);
    expect(whole([...verdicts("-past-"), ...verdicts("-1000-")]).length).toBe(14);
    for (const line of whole([...verdicts("-past-"), ...verdicts("-1000-")]))
      expect(line).toMatch(/ trap gas \d+ stack -\d+$/);
  });

  test.each([
    [["--liftoff-only", "--no-wasm-tier-up"]],
    [["--no-liftoff"]],
    [["--wasm-dynamic-tiering"]],
    [["--wasm-dynamic-tiering", "--wasm-tiering-budget=1000"]],
  ])("Node %j → the same lines", async (flags) => {
    expect(lines(process.execPath, ...flags, await bundle("node-runner.ts", "esm", folder), file)).toEqual(due);
  });

  test.skipIf(noChromium)(named("Chromium → the same lines", noChromium), async () => {
    const browser = await launchChromium();
    try {
      const page = await browser.newPage();
      await page.addScriptTag({ path: await bundle("page-runner.ts", "iife", folder) });
      const run = (input: string) =>
        (globalThis as { runCases?: (list: unknown) => string }).runCases?.(JSON.parse(input));
      expect((await page.evaluate(run, JSON.stringify(cases)))?.split("\n")).toEqual(due);
    } finally {
      await browser.close();
    }
  });

  test.skipIf(noWazero).each(["compiler", "interpreter"])(named("wazero, %s → the same lines", noWazero), (mode) => {
    expect(lines(WAZERO, mode, file)).toEqual(due);
  });

  test.skipIf(noWasmtime)(named("wasmtime → the same lines", noWasmtime), () => {
    expect(lines(PYTHON, join(ROOT, "test/engines/python/run_cases.py"), file)).toEqual(due);
  });
});
