/** Parameters of staking, as queries show what genesis says. */
import { describe, expect, test } from "vitest";
import { readStakingParams } from "../../../../host/chain/modules/staking/params.js";
import { JsonReader } from "../../../../host/chain/values/json-reader.js";
import { genesisDocument } from "../../../scenario/genesis-text.js";
import { memberGenesis } from "../../../scenario/members.js";
import { get } from "./rest-client.js";
import { useTestNode } from "./test-node.js";

const read = (value: unknown) => readStakingParams(new JsonReader(value, "params"));

describe("readStakingParams()", () => {
  test("nothing → the Cosmos SDK's defaults", () => {
    expect(read(undefined)).toEqual({
      ...{ unbondingTime: { seconds: 1_814_400n, nanos: 0 }, maxValidators: 100, maxEntries: 7 },
      ...{ historicalEntries: 10_000, minCommissionRate: "0" },
    });
  });

  test.each<[object, object]>([
    [{ unbonding_time: "1.5s" }, { unbondingTime: { seconds: 1n, nanos: 500_000_000 } }],
    [{ unbonding_time: "1814400000000001" }, { unbondingTime: { seconds: 1_814_400n, nanos: 1 } }],
    [{ max_validators: 1 }, { maxValidators: 1 }],
    [{ max_validators: "4294967295" }, { maxValidators: 4_294_967_295 }],
    [{ historical_entries: 0 }, { historicalEntries: 0 }],
    [{ min_commission_rate: "0.05" }, { minCommissionRate: "50000000000000000" }],
  ])("%j → read", (params, expected) => expect(read(params)).toMatchObject(expected));

  test.each([
    ["unbonding_time", "three weeks"],
    ["unbonding_time", "0s"],
    ["unbonding_time", "-1s"],
    ["max_validators", 0],
    ["max_validators", 4_294_967_296],
    ["max_entries", 0],
    ["historical_entries", -1],
    ["min_commission_rate", "-0.1"],
    ["min_commission_rate", "much"],
  ])("%s %j → UPG_INVALID_GENESIS with its path", (name, value) => {
    const wrong = { code: "UPG_INVALID_GENESIS", message: expect.stringContaining(`params.${name}: `) };
    expect(() => read({ [name]: value })).toThrow(expect.objectContaining(wrong));
  });
});

test("GET /cosmos/staking/v1beta1/params → what genesis says, beside the defaults", () => {
  const key = new Uint8Array(32).fill(1);
  const params = { max_validators: 3, unbonding_time: "86400s", min_commission_rate: "0.05" };
  const document = memberGenesis(genesisDocument(), [{ key, tokens: 10_000_000n }], params);
  return useTestNode(
    async (node) => {
      expect(JSON.parse((await get(node, "/cosmos/staking/v1beta1/params")).body)).toEqual({
        params: {
          ...{ unbonding_time: "86400s", max_validators: 3, max_entries: 7, historical_entries: 10_000 },
          ...{ bond_denom: "ustake", min_commission_rate: "0.050000000000000000" },
        },
      });
    },
    { genesis: JSON.stringify(document) },
  );
});
