import { describe, expect, test } from "vitest";
import { reckon, reckonedBy } from "../../../web/countdown.js";

const TIME = Date.UTC(2026, 10, 23, 12);
const facts = { height: 1_000n, time: TIME, target: 1_050n, now: TIME };
const windows = [
  { blocks: 100n, seconds: 5 },
  { blocks: 1_000n, seconds: 5.2 },
  { blocks: 10_000n, seconds: 4.9 },
];

describe("reckon()", () => {
  test("several windows → the middle block time; ± by the one that differs most", () => {
    const reckoning = reckon({ ...facts, blockTimes: windows });
    expect(reckoning).toEqual({
      ...{ at: TIME + 250_000, plusMinus: 10, blockSeconds: 5, blocksLeft: 50n, silent: undefined },
    });
    expect(reckoning && reckonedBy(reckoning, windows)).toBe(
      "50 blocks to go, at 5.00 s a block (5.00 s over the last 100, 5.20 s over the last 1,000, 4.90 s over the last 10,000). The middle one counts; the ± is how far the others are from it.",
    );
  });

  test("one window → ± of a block", () => {
    const one = windows.slice(0, 1);
    const reckoning = reckon({ ...facts, blockTimes: one });
    expect(reckoning?.plusMinus).toBe(5);
    expect(reckoning && reckonedBy(reckoning, one)).toBe(
      "50 blocks to go, at 5.00 s a block (5.00 s over the last 100).",
    );
  });

  test("no block for long by the reader's clock → for how long", () => {
    expect(reckon({ ...facts, blockTimes: windows, now: TIME + 600_000 })?.silent).toBe(600);
  });

  test("a height that is reached, no window, or block times that cannot be → undefined", () => {
    expect(reckon({ ...facts, target: 1_000n, blockTimes: windows })).toBeUndefined();
    expect(reckon({ ...facts, blockTimes: [] })).toBeUndefined();
    const wrong = [0, -5, Number.NaN, Number.POSITIVE_INFINITY].map((seconds) => ({ blocks: 100n, seconds }));
    expect(reckon({ ...facts, blockTimes: wrong })).toBeUndefined();
  });
});
