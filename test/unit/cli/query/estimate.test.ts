import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  type BlockTimes,
  dateText,
  durationText,
  estimate,
  estimateJson,
  estimateText,
  medianOf,
} from "../../../../host/cli/query/estimate.js";

const S = 1_000_000_000n;
const NOW = 1_767_225_600n * S; // 2026-01-01T00:00:00Z

const times = (height: bigint, ...means: bigint[]): BlockTimes => ({ last: { height, nanos: NOW }, means });

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
    expect(estimate(times(5n), 10n, NOW)).toEqual({ lastHeight: 5n, blocksLeft: 5n });
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

  test("medianOf() → the lower middle one; of nothing nothing", () => {
    expect(medianOf([])).toBeUndefined();
    expect(medianOf([1n, 2n, 9n])).toBe(2n);
    expect(medianOf([1n, 2n])).toBe(1n);
  });
});
