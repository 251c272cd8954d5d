/** The CPU time that scripts/test.mjs prints. */
import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import {
  budgetMinutes,
  CPU_MINUTES,
  CPU_MINUTES_MAX,
  cpuReport,
  cpuSeconds,
  EMPTY_SCRIPT_SECONDS,
  emptyScriptSeconds,
} from "../../scripts/cpu.mjs";

const files = [
  { file: "test/a.test.ts", seconds: 0.25 },
  { file: "test/b.test.ts", seconds: 61 },
];

test("within the budget → the minutes here and on the machine of the budget, and the files that took most", () => {
  expect(cpuReport(1.5, 0.1, files, 1)).toEqual([
    `CPU time: 1.5 minutes here, which are 0.6 of the budget's ${CPU_MINUTES} minutes on its machine (an empty Node.js script takes 0.100 s here and ${EMPTY_SCRIPT_SECONDS} s there)`,
    "The files that took most:",
    "    61.0 s  test/b.test.ts",
  ]);
});

test("above the budget → a warning; the bound above which CI fails is at least one and a half times the budget", () => {
  const twice = 2 * EMPTY_SCRIPT_SECONDS;
  expect(cpuReport(2 * (CPU_MINUTES + 1), twice, files).at(-1)).toBe(
    `warning: ${CPU_MINUTES + 1}.0 CPU minutes on the machine of the budget are above its ${CPU_MINUTES}`,
  );
  expect(cpuReport(2 * CPU_MINUTES - 1, twice, files).at(-1)).not.toContain("warning");
  expect(budgetMinutes(2 * CPU_MINUTES, twice)).toBe(CPU_MINUTES);
  expect(CPU_MINUTES_MAX).toBeGreaterThanOrEqual(CPU_MINUTES * 1.5);
});

test.skipIf(process.platform !== "linux")("an empty script → between 5 ms and 2 s of CPU, on Linux", () => {
  const seconds = emptyScriptSeconds() ?? 0;
  expect(seconds).toBeGreaterThan(0.005);
  expect(seconds).toBeLessThan(2);
});

test.skipIf(process.platform !== "linux")("a child that computes → its time is that of children, on Linux", () => {
  const before = cpuSeconds()?.children ?? 0;
  execFileSync(process.execPath, ["--eval", "while (process.cpuUsage().user < 300_000);"]);
  expect((cpuSeconds()?.children ?? 0) - before).toBeGreaterThan(0.25);
});
