import { expect, test } from "vitest";
import { runCoreCalls } from "./core-calls.js";
import { runVectors } from "./harness.js";

test("core-calls.json → every call returns, writes and stores the same", () => {
  const report = runVectors("core-calls", runCoreCalls);
  expect(report.failures).toEqual([]);
  expect(report.cases).toBeGreaterThan(600);
});
