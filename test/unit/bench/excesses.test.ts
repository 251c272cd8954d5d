/** When a bench fails: a row above its own limit, or above that of its bench. */
import { describe, expect, test } from "vitest";
import type { Bench } from "../../../bench/benches.js";
import { excesses } from "../../../bench/comparison.js";
import type { Row } from "../../../bench/row.js";

const BENCH: Bench = { name: "b", what: "", unit: "ns", sizes: [1], quickSizes: [1], isComparison: true, ratioMax: 5 };
const row = (fields: Partial<Row>): Row => {
  return { bench: "b", row: "r", value: 150, unit: "ms", n: 1, min: 1, max: 1, ...fields };
};

describe("excesses()", () => {
  test.each<[what: string, fields: Partial<Row>]>([
    ["a row without a limit", {}],
    ["at the bench's ratio", { against: "x", ratio: 5 }],
    ["at its own ratio", { against: "x", ratio: 2, ratioMax: 2 }],
    ["at its own value", { valueMax: 150 }],
  ])("%s → none", (_, fields) => {
    expect(excesses(BENCH, [row(fields)])).toEqual([]);
  });

  test.each<[what: string, fields: Partial<Row>, text: string]>([
    [
      "above the bench's ratio",
      { against: "x", ratio: 5.01 },
      "r takes 5.01 times what x takes, at most 5 times is due",
    ],
    ["above its own", { against: "x", ratio: 2.01, ratioMax: 2 }, "at most 2 times is due"],
    ["above its own value", { valueMax: 149 }, "r: 150 ms, at most 149 is due"],
  ])("%s → a message", (_, fields, text) => {
    expect(excesses(BENCH, [row({}), row(fields)])).toEqual([expect.stringContaining(text)]);
  });
});
