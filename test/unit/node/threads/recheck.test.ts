/** Rechecks in small parts, while work waits for them. */
import { setImmediate as turn } from "node:timers/promises";
import { expect, test } from "vitest";
import { OVERTAKEN_MAX, Recheck } from "../../../../host/node/threads/recheck.js";

const STEPS = 50;
const STEP_MILLIS = 1;

/** Steps of a millisecond each: too many for one turn. */
function* slowSteps(): Generator<undefined, void> {
  for (let step = 0; step < STEPS; step++) {
    const end = performance.now() + STEP_MILLIS;
    while (performance.now() < end);
    yield;
  }
}

test.each([
  ["blocks that begin", "begin", true],
  ["restarts without a block", "restart", false],
] as const)(
  "%s the rechecks as often as blocks may overtake → through in one turn: %s %s",
  async (_, method, isThrough) => {
    const recheck = new Recheck(() => undefined);
    let isDone = false;
    recheck.begin(slowSteps());
    void recheck.after(() => {
      isDone = true;
    });
    for (let times = 0; times < OVERTAKEN_MAX; times++) recheck[method](slowSteps());
    await turn();
    expect(isDone).toBe(isThrough);
    while (!isDone) await turn();
  },
);
