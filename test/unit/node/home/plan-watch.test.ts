/** Lines of the log about a plan that is scheduled. */
import { expect, test } from "vitest";
import type { Plan } from "../../../../host/base/types/types.js";
import { PlanWatch } from "../../../../host/node/embedded/plan-watch.js";

const plan = (name: string, height: bigint, info = ""): Plan => ({ name, height, info });

/** Messages after a block. */
const said = (watch: PlanWatch, ...after: Parameters<PlanWatch["after"]>) =>
  watch.after(...after).map(({ message }) => message);

test("after() the plan that was there at start → nothing", () => {
  expect(said(new PlanWatch(plan("v2", 20n)), 3n, plan("v2", 20n), undefined)).toEqual([]);
});

test.each([
  ["there for the first time", undefined, plan("v2", 20n)],
  ["of another name", plan("v2", 20n), plan("v3", 20n)],
  ["of another height", plan("v2", 20n), plan("v2", 21n)],
  ["of another info", plan("v2", 20n), plan("v2", 20n, "other")],
])("after() a plan is %s → nothing: readiness says so in its one line", (_, before, after) => {
  expect(said(new PlanWatch(before), 3n, after, undefined)).toEqual([]);
});

test("after() the plan is gone before its height → plan cancelled", () => {
  expect(said(new PlanWatch(plan("v2", 20n)), 19n, undefined, undefined)).toEqual(["plan cancelled"]);
});

test.each([
  ["applied", "v2"],
  ["skipped", undefined],
])("after() the plan is gone at its height, %s → nothing", (_, applied) => {
  expect(said(new PlanWatch(plan("v2", 20n)), 20n, undefined, applied)).toEqual([]);
});

test("after() every block up to a plan → a line at 10,000, 1,000, 100, 10 blocks and 1 block, and no other", () => {
  const height = 10_050n;
  const watch = new PlanWatch(plan("v2", height));
  const lines: string[] = [];
  for (let at = 1n; at < height; at++) lines.push(...said(watch, at, plan("v2", height), undefined));
  expect(lines).toEqual([
    "upgrade in 10000 blocks",
    "upgrade in 1000 blocks",
    "upgrade in 100 blocks",
    "upgrade in 10 blocks",
    "upgrade in 1 block",
  ]);
});
