/** Time spans of a unit file, as systemd.time(7) writes them. */
import { describe, expect, test } from "vitest";
import { unitSeconds } from "../../../host/visor/stage/doctor/unit-text.js";

describe("time spans of a unit file", () => {
  test.each([
    ["90", 90],
    ["250ms", 0.25],
    ["1s", 1],
    ["7sec", 7],
    ["30min", 1_800],
    ["2m", 120],
    ["1h", 3_600],
    ["1hr", 3_600],
    ["1d", 86_400],
    ["2d 1h 30min", 178_200],
    ["1.5h", 5_400],
    ["1h30min", 5_400],
  ])("%s → %d seconds", (text, seconds) => {
    expect(unitSeconds(text)).toBe(seconds);
  });

  test.each(["infinity", "0", "3fortnights"])("%s → counts as without end", (text) => {
    expect(unitSeconds(text)).toBe(Number.POSITIVE_INFINITY);
  });
});
