import { create } from "@bufbuild/protobuf";
import { describe, expect, test } from "vitest";
import { tooNear } from "../../../../host/cli/tx/cancellable.js";
import { ParamsSchema } from "../../../../host/gen/cosmos/gov/v1/gov_pb.js";

const S = 1_000_000_000n;
const DAY = 86_400n;
const params = create(ParamsSchema, { votingPeriod: { seconds: 2n * DAY }, maxDepositPeriod: { seconds: 2n * DAY } });
const times = (...means: bigint[]) => ({ last: { height: 1_000n, nanos: 1_767_225_600n * S }, means });
const flags = (upgradeHeight: bigint, safetyDelta = 0n) => ({ upgradeHeight, safetyDelta });

describe("tooNear()", () => {
  // 2 × (2 d + 2 d) = 691,200 s; at 6 s a block 115,200 blocks.
  test("at the height from which a vote to cancel can end in time → nothing to say; one below it → said", () => {
    expect(tooNear(params, times(6n * S), flags(116_200n))).toBeUndefined();
    expect(tooNear(params, times(6n * S), flags(116_199n))).toBe(
      "at height 116199 a vote to cancel the upgrade may come too late: it needs height 116200 or later, 8 d from now, " +
        "Friday, 9 January 2026 at 00:00:00 UTC",
    );
  });

  test("--safety-delta moves the height", () => {
    expect(tooNear(params, times(6n * S), flags(116_200n, 3_600n * S))).toContain(
      "height 116800 or later, 8 d 1 h from now",
    );
    expect(tooNear(params, times(6n * S), flags(116_800n, 3_600n * S))).toBeUndefined();
  });

  test("a chain that is too young to know its pace → one second a block is assumed, and said", () => {
    expect(tooNear(params, times(), flags(2_000n))).toContain("1 s a block is assumed");
  });

  test("periods of hundreds of years do not overflow", () => {
    const long = create(ParamsSchema, {
      votingPeriod: { seconds: 9_000_000_000n },
      maxDepositPeriod: { seconds: 9_000_000_000n },
    });
    expect(tooNear(long, times(S), flags(2n ** 63n - 1n))).toBeUndefined();
  });
});
