import { create, toBinary } from "@bufbuild/protobuf";
import { describe, expect, test } from "vitest";
import { ParamsSchema } from "../../../../host/base/gen/cosmos/gov/v1/gov_pb.js";
import { QueryParamsResponseSchema } from "../../../../host/base/gen/cosmos/gov/v1/query_pb.js";
import { checkCancellable, tooNear } from "../../../../host/cli/client/tx/cancellable.js";
import { requireAhead } from "../../../../host/cli/client/tx/plan-check.js";
import type { RpcClient } from "../../../../host/node/remote/client.js";

const S = 1_000_000_000n;
const DAY = 86_400n;
const params = create(ParamsSchema, { votingPeriod: { seconds: 2n * DAY }, maxDepositPeriod: { seconds: 2n * DAY } });
const times = (...means: bigint[]) => ({
  last: { height: 1_000n, nanos: 1_767_225_600n * S },
  means,
  blocks: means.length === 0 ? 0n : 20n,
});
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

/** A node at a height, whose blocks are so far apart. */
function nodeAt(height: number, blockMillis: number): RpcClient {
  const time = (block: number) => new Date(1_767_225_600_000 + block * blockMillis).toISOString();
  const value = toBinary(QueryParamsResponseSchema, create(QueryParamsResponseSchema, { params }));
  const call = async (method: string, { height: block }: { height?: string } = {}) => {
    if (method === "abci_query") return { response: { code: 0, value: Buffer.from(value).toString("base64") } };
    if (method === "commit") return { signed_header: { header: { time: time(Number(block)) } } };
    const latest = { latest_block_height: String(height), latest_block_time: time(height) };
    return { sync_info: { ...latest, earliest_block_height: "1" } };
  };
  return { call } as unknown as RpcClient;
}

describe("checkCancellable()", () => {
  const FAR = 1_000_000_000n;
  const said = async (rpc: RpcClient, requireCancellable: boolean, upgradeHeight = FAR) => {
    const lines: string[] = [];
    await checkCancellable(rpc, { ...flags(upgradeHeight), requireCancellable }, (line) => lines.push(line));
    return lines;
  };

  test.each([false, true])(
    "a far height and an assumed pace → taken, and the pace is said (required: %s)",
    async (is) => {
      expect(await said(nodeAt(2, 150), is)).toEqual([
        "warning: the chain is too young to know its pace: 1 s a block is assumed to compute whether the upgrade can still be cancelled",
      ]);
      expect(await said(nodeAt(10, 150), is)).toEqual([
        "warning: the chain is young: this is the pace of its last 8 blocks alone",
      ]);
      expect(await said(nodeAt(200, 150), is)).toEqual([]);
    },
  );

  test("the pace of a young chain counts, not one second → a height that 1 s a block would let pass is refused", async () => {
    // 691,200 s are 4,608,000 blocks at 150 ms.
    await expect(said(nodeAt(10, 150), true, 700_000n)).rejects.toMatchObject({
      code: "UPG_INVALID_ARGUMENT",
      message: expect.stringMatching(/it needs height 4608010 or later.*pace of its last 8 blocks alone/),
    });
  });
});

describe("requireAhead()", () => {
  test("a height that is reached → UPG_INVALID_PLAN_IN_PAST with both heights; the next one → taken", async () => {
    await requireAhead(nodeAt(30, 1_000), 31n);
    for (const height of [1n, 29n, 30n]) {
      await expect(requireAhead(nodeAt(30, 1_000), height)).rejects.toMatchObject({
        code: "UPG_INVALID_PLAN_IN_PAST",
        message: expect.stringContaining(`--upgrade-height ${height} is in the past: the chain is at height 30`),
      });
    }
  });
});
