/** Walks over whole stores: they give way, are worked out once a height, and are bounded in number. */
import { setImmediate as turn } from "node:timers/promises";
import { expect, test } from "vitest";
import type { QueryCall } from "../../../../host/chain/app/query/call.js";
import { HEIGHTS_UNDER_WAY_MAX, OnceAHeight } from "../../../../host/chain/modules/once-a-height.js";
import { inTurns, Turns, WALKS_MAX } from "../../../../host/serve/query/scheduler.js";

const BUSY = expect.objectContaining({ code: "UPG_REMOTE_BUSY" });

/** Steps that take two milliseconds each. */
function* slowSteps(count: number, log: string[] = []): Generator<void, number> {
  for (let i = 0; i < count; i++) {
    const end = performance.now() + 2;
    while (performance.now() < end);
    log.push("step");
    yield;
  }
  return count;
}

test("inTurns() a long walk → its result, and others have their turn all the way", async () => {
  const log: string[] = [];
  const walk = inTurns(slowSteps(40, log));
  const isDone = walk.then(() => true);
  while (!(await Promise.race([isDone, turn(false)]))) log.push("turn");
  expect(await walk).toBe(40);
  let inARow = 0;
  let most = 0;
  for (const each of log) {
    inARow = each === "step" ? inARow + 1 : 0;
    most = Math.max(most, inARow);
  }
  expect(most).toBeLessThanOrEqual(8);
});

test("inTurns() its client leaves → UPG_INVALID_ARGUMENT, no further steps", async () => {
  const client = new AbortController();
  const log: string[] = [];
  const walk = inTurns(slowSteps(1_000, log), client.signal);
  client.abort();
  await expect(walk).rejects.toMatchObject({ code: "UPG_INVALID_ARGUMENT" });
  expect(log.length).toBeLessThan(1_000);
});

test("Turns.next() many at once → one in a turn of the event loop, in order; one past the limit is refused", async () => {
  const turns = new Turns();
  const order: number[] = [];
  const waiting = Array.from({ length: WALKS_MAX }, (_, index) => turns.next().then(() => order.push(index)));
  await expect(turns.next()).rejects.toEqual(BUSY);
  await turn();
  expect(order.length).toBeLessThanOrEqual(2);
  await Promise.all(waiting);
  expect(order).toEqual(Array.from({ length: WALKS_MAX }, (_, index) => index));
});

const callAt = (app: object, height: bigint) => ({ app, height }) as QueryCall;

test("OnceAHeight.of() the same height from many → worked out once; another height → again", async () => {
  const computed: bigint[] = [];
  const kept = new OnceAHeight("it", async ({ height }) => {
    computed.push(height);
    await turn();
    return height * 10n;
  });
  const app = {};
  expect(await Promise.all([5n, 5n, 6n, 5n].map((height) => kept.of(callAt(app, height))))).toEqual([
    50n,
    50n,
    60n,
    50n,
  ]);
  expect(await kept.of(callAt(app, 5n))).toBe(50n);
  expect(computed).toEqual([5n, 6n]);
});

test("OnceAHeight.of() more heights than may be under way → UPG_REMOTE_BUSY, and room again afterwards", async () => {
  let running = 0;
  const kept = new OnceAHeight("it", async ({ height }) => {
    expect(++running).toBe(1);
    await turn();
    running--;
    return height;
  });
  const app = {};
  const heights = Array.from({ length: HEIGHTS_UNDER_WAY_MAX }, (_, index) => BigInt(index));
  const answers = heights.map((height) => kept.of(callAt(app, height)));
  expect(() => kept.of(callAt(app, 99n))).toThrow(BUSY);
  expect(await Promise.all(answers)).toEqual(heights);
  expect(await kept.of(callAt(app, 99n))).toBe(99n);
});

test("OnceAHeight.of() a walk that fails → its error, and the next one tries again", async () => {
  let tries = 0;
  const kept = new OnceAHeight("it", async () => {
    if (++tries === 1) throw new Error("the first try");
    return tries;
  });
  const app = {};
  await expect(kept.of(callAt(app, 1n))).rejects.toThrow("the first try");
  expect(await kept.of(callAt(app, 1n))).toBe(2);
});
