/** The CPU time that scripts/test.mjs prints. */
import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import { CPU_MINUTES, CPU_MINUTES_MAX, cpuReport, cpuSeconds } from "../../scripts/cpu.mjs";

const files = [
  { file: "test/a.test.ts", seconds: 0.25 },
  { file: "test/b.test.ts", seconds: 61 },
];

test("within the budget → the minutes, and the files that took most", () => {
  expect(cpuReport(1.5, files, 1)).toEqual([
    `CPU time: 1.5 minutes of ${CPU_MINUTES}; the files that took most:`,
    "    61.0 s  test/b.test.ts",
  ]);
});

test("above the budget → a warning; the bound above which CI fails is at least one and a half times the budget", () => {
  expect(cpuReport(CPU_MINUTES + 1, files).at(-1)).toBe(
    `warning: ${CPU_MINUTES + 1}.0 CPU minutes are above the budget of ${CPU_MINUTES}`,
  );
  expect(CPU_MINUTES_MAX).toBeGreaterThanOrEqual(CPU_MINUTES * 1.5);
});

test.skipIf(process.platform !== "linux")("a child that computes → its time is that of children, on Linux", () => {
  const before = cpuSeconds()?.children ?? 0;
  execFileSync(process.execPath, ["--eval", "while (process.cpuUsage().user < 300_000);"]);
  expect((cpuSeconds()?.children ?? 0) - before).toBeGreaterThan(0.25);
});
