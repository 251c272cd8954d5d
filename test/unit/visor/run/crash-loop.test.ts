import { describe, expect, test } from "vitest";
import { CrashLoop } from "../../../../host/visor/decide/decision/crash-loop.js";
import { WORKER_RESTARTS } from "../../../../host/visor/hot/relay.js";

describe("CrashLoop", () => {
  test("a worker of the hot switch → five in a minute, each later than the one before, then none; again after the minute", () => {
    const restarts = new CrashLoop(WORKER_RESTARTS);
    expect([0, 1, 2, 3, 4, 5].map((at) => restarts.next(at * 1_000))).toEqual([0, 250, 500, 1_000, 2_000, undefined]);
    expect(restarts.next(60_000)).toBe(2_000);
    expect(restarts.next(500_000)).toBe(0);
  });

  test("each restart waits twice as long, up to a minute; too many within the window → none; later → again", () => {
    const loop = new CrashLoop({ restartsMax: 8, restartWindow: 600_000 });
    expect(Array.from({ length: 9 }, () => loop.next(5))).toEqual([
      ...[1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000],
      undefined,
    ]);
    expect(loop.next(600_005)).toBe(1_000);
    expect(new CrashLoop({ restartsMax: 0, restartWindow: 1 }).next(0)).toBeUndefined();
  });

  test("a start that the program has asked for → given also where crashes are given none; it counts with them", () => {
    const loop = new CrashLoop({ restartsMax: 0, restartWindow: 600_000 });
    expect([true, true, false].map((isAsked) => loop.next(5, { isAsked }))).toEqual([1_000, undefined, undefined]);
    expect(loop.next(600_005, { isAsked: true })).toBe(1_000);
  });
});
