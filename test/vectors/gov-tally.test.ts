import { expect, test } from "vitest";
import { runGovTally } from "./gov-tally.js";
import { loadVectors, runVectors } from "./harness.js";

test("runGovTally() counts and lives as the Cosmos SDK's governance did, plans refused at submission apart", () => {
  const report = runVectors("gov-tally", runGovTally);
  expect(report.failures.map(({ label, message }) => `${label}: ${message}`)).toEqual([]);
  expect(report.passed + report.differing).toBe(report.cases);
  expect(Object.keys(report.by)).toEqual(["plan-checked-at-submit"]);
});

test("runGovTally() with an expectation changed → fails", () => {
  const vectors = loadVectors("gov-tally");
  const tally = vectors.findLast(({ kind }) => kind === "tally") ?? {};
  expect(() => runGovTally({ ...tally, passes: !tally["passes"] })).toThrow();
  const life = vectors.find(({ kind }) => kind === "life") ?? {};
  const steps = [{ ...life["steps"][0], events: [] }, ...life["steps"].slice(1)];
  expect(() => runGovTally({ ...life, steps })).toThrow();
});
