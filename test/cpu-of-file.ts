/** Runs before each test file when `npm test` measures: appends the CPU seconds of the file and of the processes that it started. */
import { appendFileSync } from "node:fs";
import { relative } from "node:path";
import { afterAll, expect } from "vitest";
import { cpuSeconds } from "../scripts/cpu.mjs";

const seconds = () => {
  const { own, children } = cpuSeconds() ?? { own: 0, children: 0 };
  return own + children;
};
const before = seconds();

afterAll(() => {
  const file = relative(process.cwd(), expect.getState().testPath ?? "unknown");
  appendFileSync(process.env["CPU_FILE"] ?? "/dev/null", `${JSON.stringify({ file, seconds: seconds() - before })}\n`);
});
