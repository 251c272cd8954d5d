import { expect, test } from "vitest";
import { runVectors } from "./harness.js";
import { runPlanInfo } from "./plan-info.js";

test("checkPlanInfo() agrees with the Cosmos SDK on every info text, or is stricter by a named rule", () => {
  const report = runVectors("plan-info", runPlanInfo);
  expect(report.failures).toEqual([]);
  expect(report.passed + report.differing).toBe(report.cases);
  const rules = [
    "checksum-rule",
    "digest-rule",
    "handler-only",
    "host-rule",
    "lost-checksum",
    "scheme-rule",
    "weak-checksum",
  ];
  expect(rules).toEqual(expect.arrayContaining(Object.keys(report.by)));
});
