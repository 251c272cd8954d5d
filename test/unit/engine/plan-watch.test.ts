/** Lines of the log about a plan that is scheduled. */
import { expect, test } from "vitest";
import { PlanWatch } from "../../../host/engine/plan-watch.js";
import type { Plan } from "../../../host/types.js";

const plan = (name: string, height: bigint, info = ""): Plan => ({ name, height, info });

/** Messages after a block. */
const said = (watch: PlanWatch, ...after: Parameters<PlanWatch["after"]>) =>
  watch.after(...after).map(({ message }) => message);

test("after() a plan is there for the first time → plan scheduled, with the blocks that are left", () => {
  const [line] = new PlanWatch(undefined).after(3n, plan("v2", 20n), undefined);
  expect(line).toEqual({
    message: "plan scheduled",
    fields: { plan: "v2", plan_height: "20", blocks_left: "17" },
  });
});

test("after() the plan that was there at start → nothing", () => {
  expect(said(new PlanWatch(plan("v2", 20n)), 3n, plan("v2", 20n), undefined)).toEqual([]);
});

test.each([
  ["name", plan("v3", 20n)],
  ["height", plan("v2", 21n)],
  ["info", plan("v2", 20n, "other")],
])("after() another %s → plan changed", (_, changed) => {
  expect(said(new PlanWatch(plan("v2", 20n)), 3n, changed, undefined)).toEqual(["plan changed"]);
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

test("after() another plan in the block that applied the one before → plan scheduled", () => {
  expect(said(new PlanWatch(plan("v2", 20n)), 20n, plan("v3", 40n), "v2")).toEqual(["plan scheduled"]);
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
