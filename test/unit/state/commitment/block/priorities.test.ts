import { describe, expect, test } from "vitest";
import { INT64_MAX } from "../../../../../host/base/types/limits.js";
import { clipInt64 } from "../../../../../host/chain/comet-types/priorities.js";
import { newValidator } from "../../../../../host/chain/comet-types/validator.js";
import { rotateProposer, totalPowerOf } from "../../../../../host/chain/comet-types/validator-set.js";
import { sha256, update } from "./arbitraries.js";

/** Powers, priorities, and the priorities after one and two rounds as CometBFT v0.38.25 computed them. */
const ROUNDS: readonly (readonly [powers: bigint[], priorities: bigint[], first: bigint[], second: bigint[]])[] = [
  [
    [5n, 3n],
    [8n, -8n],
    [5n, -5n],
    [2n, -2n],
  ],
  [
    [5n, 3n],
    [9n, -8n],
    [1n, -1n],
    [-2n, 2n],
  ],
  [
    [5n, 3n],
    [20n, -13n],
    [2n, -2n],
    [-1n, 1n],
  ],
  [
    [5n, 3n],
    [20n, -12n],
    [5n, -5n],
    [2n, -2n],
  ],
  [
    [5n, 3n],
    [16n, -17n],
    [2n, -2n],
    [-1n, 1n],
  ],
  [
    [5n, 3n],
    [-7n, -8n],
    [-2n, 3n],
    [3n, -2n],
  ],
  [
    [5n, 3n],
    [7n, 8n],
    [-3n, 4n],
    [2n, -1n],
  ],
  [
    [5n, 3n, 1n],
    [-1n, -1n, 0n],
    [-4n, 3n, 2n],
    [1n, -3n, 3n],
  ],
  [
    [5n, 3n, 1n],
    [100n, -100n, 7n],
    [4n, -5n, 1n],
    [0n, -2n, 2n],
  ],
  [
    [5n, 3n, 1n],
    [1000n, 999n, 998n],
    [-3n, 3n, 0n],
    [2n, -3n, 1n],
  ],
  [
    [5n, 3n],
    [9_223_372_036_854_775_807n, -9_223_372_036_854_775_808n],
    [9_223_372_036_854_775_799n, -9_223_372_036_854_775_804n],
    [9_223_372_036_854_775_799n, -9_223_372_036_854_775_798n],
  ],
  [
    [5n, 3n],
    [-9_223_372_036_854_775_808n, 9_223_372_036_854_775_807n],
    [-9_223_372_036_854_775_802n, 9_223_372_036_854_775_799n],
    [-9_223_372_036_854_775_795n, 9_223_372_036_854_775_796n],
  ],
  [
    [5n, 3n],
    [9_223_372_036_854_775_807n, -1n],
    [4_611_686_018_427_387_901n, -4_611_686_018_427_387_901n],
    [-3n, 3n],
  ],
  [
    [5n, 3n],
    [9_223_372_036_854_775_807n, 0n],
    [-3n, 3n],
    [2n, -2n],
  ],
  [
    [5n, 3n],
    [-9_223_372_036_854_775_808n, 0n],
    [-4_611_686_018_427_387_899n, 4_611_686_018_427_387_899n],
    [5n, -5n],
  ],
  [
    [5n, 3n],
    [9_223_372_036_854_775_807n, 9_223_372_036_854_775_807n],
    [-3n, 3n],
    [2n, -2n],
  ],
  [
    [5n, 3n],
    [-9_223_372_036_854_775_808n, -9_223_372_036_854_775_808n],
    [-3n, 3n],
    [2n, -2n],
  ],
  [
    [1_152_921_504_606_846_974n, 1n],
    [9_223_372_036_854_775_807n, -9_223_372_036_854_775_808n],
    [8_070_450_532_247_928_832n, -9_223_372_036_854_775_806n],
    [8_070_450_532_247_928_832n, -8_646_911_284_551_352_318n],
  ],
  [
    [1_152_921_504_606_846_974n, 1n],
    [-9_223_372_036_854_775_807n, 9_223_372_036_854_775_807n],
    [-8_070_450_532_247_928_833n, 8_070_450_532_247_928_832n],
    [-2_882_303_761_517_117_442n, 2_882_303_761_517_117_442n],
  ],
  [
    [1_152_921_504_606_846_974n, 1n],
    [-9_223_372_036_854_775_808n, 9_223_372_036_854_775_807n],
    [-8_070_450_532_247_928_833n, 8_070_450_532_247_928_832n],
    [-2_882_303_761_517_117_442n, 2_882_303_761_517_117_442n],
  ],
  [
    [1_152_921_504_606_846_973n, 1n, 1n],
    [-9_223_372_036_854_775_808n, 1n, 9_223_372_036_854_775_807n],
    [-8_070_450_532_247_928_835n, 2n, 8_070_450_532_247_928_832n],
    [-6_917_529_027_641_081_861n, 4n, 6_917_529_027_641_081_859n],
  ],
];

describe("rotateProposer()", () => {
  test.each(ROUNDS)("with powers %s and priorities %s", (powers, priorities, first, second) => {
    const validators = powers.map((power, key) => ({
      ...newValidator(sha256, update(key, power).publicKey, power),
      priority: priorities[key] as bigint,
    }));
    const once = rotateProposer({ validators, proposer: undefined, totalPower: totalPowerOf(validators) });
    expect(once.validators.map(({ priority }) => priority)).toEqual(first);
    expect(rotateProposer(once).validators.map(({ priority }) => priority)).toEqual(second);
  });
});

describe("clipInt64()", () => {
  test("keeps int64 as it is and stops at its ends", () => {
    for (const value of [0n, 1n, -1n, INT64_MAX, -INT64_MAX - 1n]) expect(clipInt64(value)).toBe(value);
    expect(clipInt64(INT64_MAX + 1n)).toBe(INT64_MAX);
    expect(clipInt64(-INT64_MAX - 2n)).toBe(-INT64_MAX - 1n);
  });
});
