import { expect, test } from "vitest";
import { runHandlerCases } from "./handler-cases.js";
import { runVectors } from "./harness.js";

test("handler-cases.json → every run ends with the same code, gas, counts, pairs and roots", () => {
  const report = runVectors("handler-cases", runHandlerCases);
  expect(report.failures).toEqual([]);
  expect(report.cases).toBeGreaterThan(400);
});
