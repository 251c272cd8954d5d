import { describe, expect, test } from "vitest";
import {
  count,
  counted,
  duration,
  hexOf,
  isoDuration,
  millisOf,
  shortHash,
  size,
  utc,
} from "../../../web/number-text.js";

describe("words of the page", () => {
  test.each([
    [0, "0 s"],
    [59.4, "59 s"],
    [59.6, "1 min"],
    [80, "1 min 20 s"],
    [3_599.6, "1 h"],
    [7_170, "2 h"],
    [8_040, "2 h 14 min"],
    [86_399, "1 d"],
    [183_600, "2 d 3 h"],
    [360_000_000, "4,166 d 16 h"],
  ])("duration() %d seconds → %s", (seconds, words) => {
    expect(duration(seconds)).toBe(words);
  });

  test("isoDuration() seconds → the form of <time datetime>", () => {
    expect([0, -5, 93_784].map(isoDuration)).toEqual(["P0DT0H0M0S", "P0DT0H0M0S", "P1DT2H3M4S"]);
  });

  test("count(), counted() → the same for every language of the browser", () => {
    expect([0n, 999, 1_000n, 1_234_567n].map(count)).toEqual(["0", "999", "1,000", "1,234,567"]);
    expect([0, 1n, 2_000].map((each) => counted(each, "block"))).toEqual(["0 blocks", "1 block", "2,000 blocks"]);
  });

  test("size(), shortHash(), hexOf()", () => {
    expect([12, 1_024, 268_250, 17_800_000].map(size)).toEqual(["12 B", "1 KiB", "262 KiB", "17.0 MiB"]);
    expect(shortHash("84002E4E00000000000000B31")).toBe("84002E4E…0B31");
    expect(shortHash("84002E4E")).toBe("84002E4E");
    expect(hexOf(Uint8Array.of(0, 171, 255))).toBe("00ABFF");
  });

  test("utc(), millisOf() nanoseconds are cut; what is no time → undefined", () => {
    const millis = millisOf("2026-11-23T14:05:09.123456789Z");
    expect(millis).toBe(Date.UTC(2026, 10, 23, 14, 5, 9, 123));
    expect(utc(millis ?? 0)).toBe("2026-11-23 14:05:09 UTC");
    expect(["soon", 5, undefined, ""].map(millisOf)).toEqual([undefined, undefined, undefined, undefined]);
  });
});
