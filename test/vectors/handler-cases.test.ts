import { expect, test } from "vitest";
import { changedLeaves } from "./changed-leaves.js";
import { runHandlerCases } from "./handler-cases.js";
import { loadFile, runVectors, type VectorCase } from "./harness.js";

/** `npm run vectors -- handler-cases` runs all of them. */
const EVERY = 13;

test("handler-cases.json → a sample of runs ends with the same code, gas, counts, pairs and roots", () => {
  const report = runVectors("handler-cases", runHandlerCases, undefined, EVERY);
  expect(report.failures).toEqual([]);
  expect(report.cases).toBeGreaterThan(250);
});

test("handler-cases.json → more than a thousand cases, guests and inputs of one name each", () => {
  const { head, cases } = loadFile("handler-cases");
  expect(cases.length).toBeGreaterThan(1_000);
  for (const list of [head["guests"], head["inputs"]] as VectorCase[][]) {
    expect(new Set(list.map(({ name }) => name)).size).toBe(list.length);
  }
});

const GIVEN = ["label", "guest", "input", "gas_limit", "batch_bytes", "module_stores", "vital_modules"];
const CASES = [
  "split-balances on three-accounts",
  "handler_run returns -80, handler_err: a record",
  "checks: one that holds",
  "33 log lines of 3 bytes",
  "a gas bomb: a loop without end",
  "a float instruction",
];

test("runHandlerCases() with any outcome of a case changed → fails", () => {
  const { head, cases } = loadFile("handler-cases");
  for (const label of CASES) {
    const vector = cases.find((each) => each["label"] === label) as VectorCase;
    expect(() => runHandlerCases(vector, head), label).not.toThrow();
    const members = Object.entries(vector);
    const given = Object.fromEntries(members.filter(([name]) => GIVEN.includes(name)));
    const outcome = Object.fromEntries(members.filter(([name]) => !GIVEN.includes(name)));
    for (const changed of changedLeaves(outcome)) {
      const changedCase = Object.assign({ ...given }, changed);
      expect(() => runHandlerCases(changedCase, head), `${label}: ${JSON.stringify(changed)}`).toThrow();
    }
  }
});
