/** Messages of proposals as clients of the Cosmos SDK read them. */
import { expect, test } from "vitest";
import { votedGenesis } from "../../../e2e/cometbft.js";
import { get } from "./rest-client.js";
import { useTestNode } from "./test-node.js";

const YEAR_1 = "0001-01-01T00:00:00Z";

/** The Cosmos SDK's client/v2 refuses to print a plan without it. */
test("a proposal whose plan was sent without a time → year 1, alone, in lists and in gov v1beta1", () =>
  useTestNode(
    async (node) => {
      const plan = { name: "far", time: YEAR_1, height: "500", info: "", upgraded_client_state: null };
      for (const path of ["/cosmos/gov/v1/proposals/1", "/cosmos/gov/v1/proposals"]) {
        const { proposal, proposals = [proposal] } = JSON.parse((await get(node, path)).body);
        expect(proposals[0].messages[0].plan, path).toEqual(plan);
      }
      for (const path of ["/cosmos/gov/v1beta1/proposals/1", "/cosmos/gov/v1beta1/proposals"]) {
        const { proposal, proposals = [proposal] } = JSON.parse((await get(node, path)).body);
        expect(proposals[0].content.plan, path).toEqual(plan);
      }
      expect(node.bugs).toEqual([]);
    },
    { genesis: votedGenesis({ name: "far", height: 500 }) },
  ));
