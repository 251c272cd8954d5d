import { expect, test } from "vitest";
import { runVectors } from "./harness.js";
import { runHistories } from "./histories.js";

test("histories.json → every case equal, or differing by a tag of its own", () => {
  const report = runVectors("histories", runHistories);
  expect(report.failures).toEqual([]);
  expect(report.cases).toBeGreaterThan(100);
});
