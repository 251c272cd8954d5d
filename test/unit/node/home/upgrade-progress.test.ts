/** Readings of a running upgrade: which of them are sent, and what follows from one. */
import { expect, test } from "vitest";
import { estimate, ProgressReporter, type UpgradeProgress } from "../../../../host/node/embedded/upgrade-progress.js";

/** A reporter whose clock the test moves. */
function reporter() {
  const clock = { now: 1_000 };
  const sent: UpgradeProgress[] = [];
  const own = new ProgressReporter(
    (progress) => sent.push(progress),
    () => clock.now,
  );
  return { clock, sent, own };
}

test("report() outside of an upgrade's block → nothing is sent", () => {
  const { own, sent } = reporter();
  own.report("scan", "auth", 1, 2);
  own.begin("v2", 5n);
  own.end();
  own.report("scan", "auth", 1, 2);
  expect(sent.map(({ phase }) => phase)).toEqual(["loading"]);
});

test("report() in one phase → at most one reading in 100 ms, each with the beginning of its phase", () => {
  const { own, sent, clock } = reporter();
  own.begin("v2", 5n);
  for (let done = 0; done <= 300; done++) {
    own.report("scan", "auth", done, 300);
    clock.now++;
  }
  const scans = sent.filter(({ phase }) => phase === "scan");
  expect(scans.map(({ done }) => done)).toEqual([0, 100, 200, 300]);
  expect(
    scans.every(({ phaseBegunAt, plan, height }) => phaseBegunAt === 1_000 && plan === "v2" && height === 5n),
  ).toBe(true);
});

test("report() after the machine's clock was set back by a day → readings go on, and nothing is negative", () => {
  const { own, sent, clock } = reporter();
  clock.now = 86_400_000;
  own.begin("v2", 5n);
  own.report("scan", "auth", 10, 300);
  clock.now = 0;
  own.report("scan", "auth", 20, 300);
  const last = sent.at(-1) as UpgradeProgress;
  expect(last.done).toBe(20);
  expect(estimate(last, clock.now)).toEqual({ rate: 0, secondsLeft: undefined, secondsElapsed: 0 });
});

test("report() another phase or store within 100 ms → sent at once", () => {
  const { own, sent } = reporter();
  own.begin("v2", 5n);
  own.report("scan", "auth", 0, 3);
  own.report("scan", "gov", 0, 3);
  own.report("commit", "auth", 0, 3);
  expect(sent.map(({ phase, store }) => [phase, store])).toEqual([
    ["loading", ""],
    ["scan", "auth"],
    ["scan", "gov"],
    ["commit", "auth"],
  ]);
});

const READING: UpgradeProgress = {
  ...{ plan: "v2", height: 5n, phase: "scan", store: "auth", done: 400, total: 1_000 },
  ...{ begunAt: 0, phaseBegunAt: 1_000, at: 3_000 },
};

test("estimate() 400 of 1,000 in 2 s, a second ago → 200 a second, 2 s left, 4 s gone", () => {
  expect(estimate(READING, 4_000)).toEqual({ rate: 200, secondsLeft: 2, secondsElapsed: 4 });
});

test("estimate() long after the reading → no time left, never less", () => {
  expect(estimate(READING, 60_000).secondsLeft).toBe(0);
});

test.each([
  ["nothing done yet", { done: 0 }],
  ["a total that is not known", { total: 0 }],
])("estimate() %s → the time left is not known", (_, change) => {
  expect(estimate({ ...READING, ...change }, 4_000).secondsLeft).toBeUndefined();
});
