import { expect, test } from "vitest";
import { changedLeaves } from "./changed-leaves.js";
import { runCoreCalls } from "./core-calls.js";
import { loadVectors, runVectors, type VectorCase } from "./harness.js";

/** `npm run vectors -- core-calls` runs all of them. */
const EVERY = 4;
const CASES = ["pure: rooms of every size", "stores: plan_schedule", "stores: pointers outside of both areas"];

test("core-calls.json → every call of a sample returns, writes and stores the same", () => {
  const report = runVectors("core-calls", runCoreCalls, undefined, EVERY);
  expect(report.failures).toEqual([]);
  expect(report.cases).toBeGreaterThan(150);
});

test("runCoreCalls() with any result, byte, error or store of a call changed → fails", () => {
  const cases = loadVectors("core-calls").filter(({ label }) => CASES.includes(label));
  expect(cases).toHaveLength(CASES.length);
  for (const { calls } of cases) {
    const some: VectorCase[] = calls.slice(0, 20);
    expect(() => runCoreCalls({ calls: some })).not.toThrow();
    some.forEach(({ call, args, before, ...outcome }, index) => {
      const given = { call, args, ...(before ? { before } : {}) };
      for (const changed of changedLeaves(outcome)) {
        const until = some.slice(0, index + 1).with(index, Object.assign({ ...given }, changed));
        expect(() => runCoreCalls({ calls: until }), `${call}: ${JSON.stringify(changed)}`).toThrow();
      }
    });
  }
});
