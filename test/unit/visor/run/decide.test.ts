/** The table of decisions: which program runs, from what is known. */
import { describe, expect, test } from "vitest";
import { decide, type Known, operatorsNext, type Reached } from "../../../../host/visor/decide/decision/decide.js";
import type { Plan } from "../../../../host/visor/decide/decision/plan-file.js";

const plan = (name: string, height: bigint): Plan => ({ name, height, info: "" });
const file = (name: string, height: bigint): Known["planFile"] => ({
  kind: "plan",
  plan: plan(name, height),
  print: "1",
});
const at = (height: bigint, source: Reached["source"] = "wal"): Reached => ({ height, source });
const failed = { isFailure: true, isTooOld: false, hasWrittenPlan: false, silentRuns: 0 };
const wrote = { ...failed, hasWrittenPlan: true };

/** A chain of the Cosmos SDK at genesis, not started yet, of which nothing is known. */
const NOTHING: Known = {
  current: { name: "genesis", plan: undefined },
  planFile: { kind: "absent" },
  ...{
    isOurs: false,
    haltedFor: undefined,
    restartsFor: undefined,
    operatorPlans: [],
    skips: [],
    passed: [],
    reached: undefined,
    seen: undefined,
  },
  ...{ isRunning: false, ended: undefined, isStaged: () => true },
};
const V2 = file("v2", 49n);

/** What is known besides, and the plan that is switched to. */
const CASES: readonly (readonly [string, Partial<Known>, string | undefined])[] = [
  ["nothing", {}, undefined],
  ["half of a file", { planFile: { kind: "torn", why: "", print: "" }, reached: at(49n) }, undefined],
  ["a plan, no height", { planFile: V2 }, undefined],
  ["a plan, one block before it", { planFile: V2, reached: at(48n) }, undefined],
  ["a plan, its block in CometBFT's store", { planFile: V2, reached: at(49n) }, "v2"],
  ["a plan, the height by RPC while it runs", { planFile: V2, reached: at(49n, "rpc"), isRunning: true }, "v2"],
  ["a plan long ago", { planFile: V2, reached: at(1_000n) }, "v2"],
  [
    "the plan of the current program",
    { planFile: V2, reached: at(49n), current: { name: "v2", plan: undefined } },
    undefined,
  ],
  [
    "the same in another case",
    { planFile: file("V2", 49n), reached: at(49n), current: { name: "v2", plan: undefined } },
    undefined,
  ],
  [
    "an older plan than the current program's",
    { planFile: V2, reached: at(200n), current: { name: "v3", plan: plan("v3", 100n) } },
    undefined,
  ],
  [
    "another plan at the current one's height",
    { planFile: V2, reached: at(200n), current: { name: "v3", plan: plan("v3", 49n) } },
    undefined,
  ],
  ["a later plan", { planFile: V2, reached: at(49n), current: { name: "v1", plan: plan("v1", 10n) } }, "v2"],
  ["a skipped height", { planFile: V2, reached: at(49n), skips: [7n, 49n] }, undefined],
  ["another height is skipped", { planFile: V2, reached: at(49n), skips: [48n] }, "v2"],

  ["it failed without writing the file", { planFile: V2, ended: failed }, undefined],
  ["it wrote the file and failed, no height is known", { planFile: V2, ended: wrote }, "v2"],
  ["it wrote the file and failed, it had said the height before", { planFile: V2, seen: 48n, ended: wrote }, "v2"],
  ["it wrote the file and failed, it had said a lower height", { planFile: V2, seen: 47n, ended: wrote }, undefined],
  ["it wrote the file and ended with 0", { planFile: V2, ended: { ...wrote, isFailure: false } }, undefined],
  [
    "it wrote the file and failed, a lower height is in CometBFT's log",
    { planFile: V2, reached: at(20n, "wal"), ended: { ...wrote, silentRuns: 1 } },
    undefined,
  ],
  [
    "it failed again and again, after it had said a lower height each time",
    { planFile: V2, seen: 20n, ended: { ...wrote, silentRuns: 0 } },
    undefined,
  ],
  [
    "twice in a row it wrote the file and failed before it served: a node that came by old blocks",
    { planFile: V2, reached: at(20n, "wal"), seen: 30n, ended: { ...wrote, silentRuns: 2 } },
    "v2",
  ],

  ["an operator's plan, no height", { operatorPlans: [plan("op", 30n)] }, undefined],
  ["an operator's plan, before its height", { operatorPlans: [plan("op", 30n)], reached: at(29n) }, undefined],
  ["an operator's plan, at its height", { operatorPlans: [plan("op", 30n)], reached: at(30n) }, "op"],
  [
    "an operator's plan is no reason after a crash",
    { operatorPlans: [plan("op", 30n)], ended: { ...wrote, silentRuns: 3 } },
    undefined,
  ],
  ["two operator's plans that are due", { operatorPlans: [plan("b", 30n), plan("a", 20n)], reached: at(40n) }, "a"],
  [
    "an operator's plan that is due, the chain's is not",
    { planFile: V2, operatorPlans: [plan("op", 30n)], reached: at(30n) },
    "op",
  ],

  [
    "ours, made beyond it by a program that has the handler",
    { isOurs: true, planFile: V2, reached: at(60n, "store"), isRunning: true },
    undefined,
  ],
  ["ours, halted for it", { isOurs: true, planFile: V2, haltedFor: plan("v2", 49n), reached: at(49n, "store") }, "v2"],
  [
    "ours, halted, and the file was not written",
    { isOurs: true, haltedFor: plan("v2", 49n), reached: at(49n, "store") },
    "v2",
  ],
  [
    "ours, halted, and the file is an older plan's",
    {
      isOurs: true,
      planFile: file("v1", 9n),
      haltedFor: plan("v2", 49n),
      reached: at(49n, "store"),
      current: { name: "v1", plan: plan("v1", 9n) },
    },
    "v2",
  ],
  ["ours, a plan ahead", { isOurs: true, planFile: V2, reached: at(40n, "store") }, undefined],
  ["ours, no height", { isOurs: true, planFile: V2 }, undefined],
  [
    "ours, halted to open the stores of a handler's plan, another program is there",
    { isOurs: true, planFile: V2, restartsFor: plan("v2", 49n), reached: at(49n, "store") },
    undefined,
  ],
  [
    "ours, the block is made, done or skipped, its program is there, before a start",
    { isOurs: true, planFile: V2, reached: at(49n, "store") },
    undefined,
  ],
  [
    "ours, blocks are made beyond it, its program is there, before a start",
    { isOurs: true, planFile: V2, reached: at(65n, "store") },
    undefined,
  ],
  [
    "ours, its block is in CometBFT's log alone, before a start",
    { isOurs: true, planFile: V2, reached: at(49n, "wal") },
    "v2",
  ],
  ["ours, CometBFT's log is beyond it", { isOurs: true, planFile: V2, reached: at(50n, "wal") }, undefined],
  [
    "ours, halted for it again after a rollback, passed before",
    { isOurs: true, planFile: V2, haltedFor: plan("v2", 49n), reached: at(49n, "store"), passed: [plan("v2", 49n)] },
    "v2",
  ],
  ["passed, blocks beyond it", { planFile: V2, reached: at(60n), passed: [plan("v2", 49n)] }, undefined],
  [
    "passed, while it runs",
    { planFile: V2, reached: at(60n, "status"), isRunning: true, passed: [plan("v2", 49n)] },
    undefined,
  ],
  ["passed, no height", { planFile: V2, passed: [plan("V2", 49n)], ended: failed }, undefined],
  ["passed, then back at its height", { planFile: V2, reached: at(49n), passed: [plan("v2", 49n)] }, "v2"],
  [
    "passed, and written again by an application that failed",
    { planFile: V2, passed: [plan("v2", 49n)], ended: wrote },
    "v2",
  ],
  ["passed at another height", { planFile: V2, reached: at(60n), passed: [plan("v2", 20n)] }, "v2"],
  [
    "an operator's, passed",
    { operatorPlans: [plan("op", 30n)], reached: at(40n), passed: [plan("op", 30n)] },
    undefined,
  ],
  [
    "ours, the block is made by a handler's file",
    { isOurs: true, planFile: V2, reached: at(49n, "store"), isStaged: () => false },
    undefined,
  ],
  [
    "ours, the program is too old for the state, a newer one is there",
    { isOurs: true, planFile: V2, reached: at(60n, "store"), ended: { ...failed, isTooOld: true } },
    "v2",
  ],
  [
    "ours, it crashed after the block",
    { isOurs: true, planFile: V2, reached: at(60n, "store"), ended: failed },
    undefined,
  ],
];

describe("decide()", () => {
  test.each(CASES)("%s → its program", (_, known, wanted) => {
    const decision = decide({ ...NOTHING, ...known });
    expect(decision.kind === "switch" ? decision.plan.name : undefined).toBe(wanted);
  });

  test("a plan that is passed over or skipped → a note; one that is ahead → pending, the chain's first", () => {
    const over = decide({ ...NOTHING, planFile: V2, current: { name: "v3", plan: plan("v3", 100n) } });
    expect(over).toMatchObject({ pending: undefined, notes: [expect.stringContaining("is passed over")] });
    const skipped = decide({ ...NOTHING, planFile: V2, skips: [49n] });
    expect(skipped).toMatchObject({ pending: undefined, notes: [expect.stringContaining("is skipped")] });
    const ahead = decide({ ...NOTHING, planFile: V2, operatorPlans: [plan("op", 30n)], reached: at(1n) });
    expect(ahead).toMatchObject({ pending: { origin: "chain", plan: { name: "v2" } }, notes: [] });
  });

  test("for every height, file and end: none before the height is known to be reached, but for an application that wrote the plan", () => {
    for (let reached = 0n; reached < 60n; reached++) {
      for (const isOurs of [false, true]) {
        for (const isRunning of [false, true]) {
          const known = {
            ...NOTHING,
            planFile: V2,
            isOurs,
            isRunning,
            reached: at(reached),
            ended: isRunning ? undefined : failed,
          };
          const decision = decide(known);
          if (decision.kind === "switch") expect(reached).toBeGreaterThanOrEqual(49n);
        }
      }
    }
  });
});

describe("operatorsNext()", () => {
  const queued = { operatorPlans: [plan("b", 50n), plan("a", 30n)] };
  test.each<readonly [string, Partial<Known>, bigint | undefined]>([
    ["no plan", {}, undefined],
    ["a plan of the chain", { planFile: V2 }, undefined],
    ["two plans, no height", queued, 30n],
    ["two plans, before the first", { ...queued, reached: at(29n) }, 30n],
    ["the first one's block is in CometBFT's store", { ...queued, reached: at(30n) }, 30n],
    ["beyond the first", { ...queued, reached: at(31n) }, 50n],
    ["beyond both", { ...queued, reached: at(51n) }, undefined],
    ["the first one's program runs", { ...queued, current: { name: "a", plan: plan("a", 30n) } }, 50n],
    ["the first one is skipped", { ...queued, skips: [30n] }, 50n],
  ])("%s → %s", (_, known, height) => {
    expect(operatorsNext({ ...NOTHING, ...known })?.height).toBe(height);
  });
});
