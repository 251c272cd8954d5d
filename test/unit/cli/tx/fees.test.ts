import { describe, expect, test } from "vitest";
import { adjustedGas, feeFor } from "../../../../host/cli/client/tx/fees.js";

const code = expect.objectContaining({ code: "UPG_INVALID_ARGUMENT" });

describe("feeFor()", () => {
  test.each<[bigint, string, string, [string, bigint][]]>([
    [200_000n, "", "", []],
    [200_000n, "10ustake", "", [["ustake", 10n]]],
    [
      200_000n,
      "10ustake,3uatom",
      "",
      [
        ["uatom", 3n],
        ["ustake", 10n],
      ],
    ],
    [200_000n, "", "0.1ustake", [["ustake", 20_000n]]],
    [3n, "", "0.1ustake", [["ustake", 1n]]],
    [200_000n, "", "0.000000000000000001ustake", [["ustake", 1n]]],
    [
      200_000n,
      "",
      "1ustake,0.5uatom",
      [
        ["uatom", 100_000n],
        ["ustake", 200_000n],
      ],
    ],
    [200_000n, "", "0ustake", []],
  ])("gas %d, fees %j, prices %j", (gas, fees, gasPrices, expected) => {
    expect(feeFor(gas, { fees, gasPrices }).map(({ denom, amount }) => [denom, amount])).toEqual(expected);
  });

  test.each([
    ["1ustake", "1ustake"],
    ["x", ""],
    ["", "x"],
    ["", "-1ustake"],
    ["", "1.0000000000000000001ustake"],
    ["", "1..2ustake"],
  ])("fees %j, prices %j → UPG_INVALID_ARGUMENT", (fees, gasPrices) => {
    expect(() => feeFor(1n, { fees, gasPrices })).toThrow(code);
  });
});

describe("adjustedGas()", () => {
  test.each([
    [100n, 1.3, 130n],
    [101n, 1.3, 132n],
    [0n, 1.3, 0n],
    [10n ** 15n, 1, 10n ** 15n],
  ])("%d × %d → %d", (used, factor, expected) => expect(adjustedGas(used, factor)).toBe(expected));
});
