import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { durationText } from "../../../../host/base/time/time.js";
import { type BlockTimes, blockTimesOf, estimate, paceOf, windowsOf } from "../../../../host/chain/app/pace.js";
import { dateText, estimateJson, estimateText } from "../../../../host/cli/client/query/estimate.js";

const S = 1_000_000_000n;
const NOW = 1_767_225_600n * S; // 2026-01-01T00:00:00Z

const times = (height: bigint, ...means: bigint[]): BlockTimes => ({
  last: { height, nanos: NOW },
  means,
  blocks: means.length === 0 ? 0n : 20n,
});

describe("windowsOf()", () => {
  test("the earliest block is in none; a chain younger than the shortest window has one of all it has", () => {
    expect(windowsOf(1n, 1n)).toEqual([]);
    expect(windowsOf(2n, 1n)).toEqual([]);
    expect(windowsOf(3n, 1n)).toEqual([1n]);
    expect(windowsOf(21n, 1n)).toEqual([19n]);
    expect(windowsOf(22n, 1n)).toEqual([20n]);
    expect(windowsOf(101n, 1n)).toEqual([20n]);
    expect(windowsOf(102n, 1n)).toEqual([20n, 100n]);
    expect(windowsOf(1_000_000n, 1n)).toEqual([20n, 100n, 1_000n, 10_000n]);
  });

  test("of a chain that began at another height than 1, or keeps few blocks → within those that are there", () => {
    expect(windowsOf(1_002n, 1_000n)).toEqual([1n]);
    expect(windowsOf(1_200n, 1_000n)).toEqual([20n, 100n]);
  });
});

test("blockTimesOf() → the means in order, and the longest window", () => {
  const last = { height: 200n, nanos: 1_000n * S };
  const from = [
    { height: 180n, nanos: 900n * S },
    { height: 100n, nanos: 800n * S },
  ];
  expect(blockTimesOf(last, from)).toEqual({ last, means: [2n * S, 5n * S], blocks: 100n });
  expect(blockTimesOf(last, [])).toEqual({ last, means: [], blocks: 0n });
});

describe("estimate()", () => {
  test("the median of the means counts, their spread is the ±", () => {
    const found = estimate(times(100n, 2n * S, 3n * S, 10n * S), 200n, NOW);
    expect(found).toMatchObject({
      blocksLeft: 100n,
      blockNanos: 3n * S,
      leftNanos: 300n * S,
      plusMinusNanos: 700n * S,
    });
    expect(found?.at).toBe(NOW + 300n * S);
  });

  test("one mean alone → ± one block", () => {
    expect(estimate(times(100n, 5n * S), 110n, NOW)).toMatchObject({ plusMinusNanos: 5n * S });
  });

  test("too few blocks → blocks only; a height that is reached → nothing", () => {
    expect(estimate(times(5n), 10n, NOW)).toEqual({ lastHeight: 5n, blocksLeft: 5n, paceBlocks: 0n });
    expect(estimate(times(10n, S), 10n, NOW)).toBeUndefined();
    expect(estimate(times(11n, S), 10n, NOW)).toBeUndefined();
  });

  test("a chain that is silent for longer than ten blocks and 30 s → said", () => {
    expect(estimate(times(100n, S), 200n, NOW + 29n * S)?.staleNanos).toBeUndefined();
    expect(estimate(times(100n, S), 200n, NOW + 31n * S)?.staleNanos).toBe(31n * S);
    expect(estimate(times(100n, 6n * S), 200n, NOW + 59n * S)?.staleNanos).toBeUndefined();
  });

  test("any height and pace → texts that can be printed, and exact integers", () => {
    fc.assert(
      fc.property(fc.bigInt(1n, 2n ** 63n - 1n), fc.bigInt(1n, 10n ** 15n), (height, pace) => {
        const found = estimate(times(0n, pace), height, NOW);
        expect(found?.leftNanos).toBe(height * pace);
        if (!found) return;
        expect(estimateText(found)).toMatch(/^left:\n {2}blocks: \d+ after 0\n/);
        expect(estimateJson(found).blocks_left).toBe(String(height));
      }),
    );
  });
});

describe("texts", () => {
  test("a pace of few blocks → said with the estimate; of twenty → not", () => {
    const young = estimate({ ...times(10n, S), blocks: 8n }, 100n, NOW);
    expect(young && estimateText(young)).toContain(
      "note: the chain is young: this is the pace of its last 8 blocks alone",
    );
    expect(young && estimateJson(young).pace_blocks).toBe("8");
    const older = estimate(times(100n, S), 200n, NOW);
    expect(older && estimateText(older)).not.toContain("note");
  });

  test.each([
    [S / 20n, "in: 5 s ±1 s, at 0.050 s a block"],
    [S / 200n, "in: 1 s ±1 s, at 0.005 s a block"],
    [2n * S, "in: 3 min 20 s ±2 s, at 2.000 s a block"],
  ])("estimateText() of %d ns a block → %s", (mean, text) => {
    const found = estimate(times(100n, mean), 200n, NOW);
    expect(found && estimateText(found)).toContain(`  ${text}\n`);
  });

  test.each([
    [0n, "0 s"],
    [S / 2n, "less than 1 s"],
    [S, "1 s"],
    [61n * S, "1 min 1 s"],
    [3_600n * S, "1 h"],
    [3_661n * S, "1 h 1 min"],
    [90_000n * S, "1 d 1 h"],
    [86_401n * S, "1 d"],
  ])("durationText(%d) → %s", (nanos, text) => expect(durationText(nanos)).toBe(text));

  test("dateText() → the moment in a zone; beyond all calendars there is none", () => {
    expect(dateText(NOW, "UTC")).toBe("Thursday, 1 January 2026 at 00:00:00 UTC");
    expect(dateText(10n ** 30n, "UTC")).toBe("beyond all calendars");
  });

  test("paceOf() → the lower middle one; of nothing nothing", () => {
    expect(paceOf({ means: [] })).toBeUndefined();
    expect(paceOf({ means: [0n] })).toBeUndefined();
    expect(paceOf({ means: [1n, 2n, 9n] })).toBe(2n);
    expect(paceOf({ means: [1n, 2n] })).toBe(1n);
  });
});
