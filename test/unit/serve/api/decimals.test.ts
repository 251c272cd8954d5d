/** Decimals of staking: a whole number of 10^-18 to clients that read bytes, a number with 18 places in JSON. */
import { createProtobufRpcClient, QueryClient } from "@cosmjs/stargate";
import { connectComet } from "@cosmjs/tendermint-rpc";
import { QueryClientImpl } from "cosmjs-types/cosmos/staking/v1beta1/query";
import { expect, test } from "vitest";
import { useTestNode } from "./test-node.js";

const PLACES = 18;
const STATUS = "BOND_STATUS_BONDED";

test("Validators → shares and rates as CosmJS reads them, and the same with a point by REST", () =>
  useTestNode(async (node) => {
    node.makeBlocks(1);
    const comet = await connectComet(node.rpc);
    const client = new QueryClientImpl(createProtobufRpcClient(QueryClient.withExtensions(comet)));
    const { validators } = await client.Validators({ status: STATUS });
    const response = await fetch(`${node.rest}/cosmos/staking/v1beta1/validators?status=${STATUS}`);
    const body = (await response.json()) as {
      validators: { tokens: string; delegator_shares: string; commission: { commission_rates: { rate: string } } }[];
    };
    expect(validators.length).toBeGreaterThan(0);
    expect(body.validators).toHaveLength(validators.length);
    validators.forEach(({ tokens, delegatorShares, commission }, index) => {
      expect(delegatorShares).toMatch(/^[0-9]+$/);
      const shown = body.validators[index];
      expect(shown?.delegator_shares).toMatch(/^[0-9]+\.[0-9]{18}$/);
      expect(shown?.delegator_shares.replace(".", "")).toBe(delegatorShares);
      // In the test's genesis a share is a token.
      expect(delegatorShares).toBe(`${tokens}${"0".repeat(PLACES)}`);
      expect(commission.commissionRates.rate).toBe("0");
      expect(shown?.commission.commission_rates.rate).toBe(`0.${"0".repeat(PLACES)}`);
    });
    comet.disconnect();
  }));
