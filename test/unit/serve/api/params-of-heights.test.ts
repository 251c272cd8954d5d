/** The parameters of consensus of a height: those that its block was made with, not those of today. */
import { expect, test } from "vitest";
import { sha256 } from "../../../../host/base/native/sha256.js";
import { toHex } from "../../../../host/base/text/bytes.js";
import { defineChain } from "../../../../host/chain/app/define-chain.js";
import type { Module } from "../../../../host/chain/app/module.js";
import { consensusParamsHash } from "../../../../host/chain/comet-types/consensus-params.js";
import { exampleChain } from "../../../example-chain.js";
import { fundedGenesis, useTestNode } from "./test-node.js";

const KEY = Uint8Array.of(1);
/** Each block lowers the gas of the next ones by one. */
const own: Module = {
  name: "own",
  consensusVersion: 1n,
  beginBlock: (context) => {
    const [count = 0] = context.store("own").get(KEY) ?? [];
    context.store("own").set(KEY, Uint8Array.of(count + 1));
  },
  consensusParams: (stores, genesis) => {
    const [count = 0] = stores.store("own").get(KEY) ?? [];
    return count === 0 ? genesis : { ...genesis, block: { ...genesis.block, maxGas: 1_000_000n - BigInt(count) } };
  },
};
const chain = defineChain({ name: "ownd", modules: [...exampleChain.modules, own] });

test("consensus_params of RPC, consensus.v1 Params → of the height that is asked, as its header says; without one, today's", () =>
  useTestNode(
    async ({ rpc, rest, query }) => {
      const ofRpc = async (height: string) => {
        const { result } = (await (await fetch(`${rpc}/consensus_params?${height}`)).json()) as {
          result: { block_height: string; consensus_params: { block: { max_gas: string } } };
        };
        return [result.block_height, result.consensus_params.block.max_gas];
      };
      const ofRest = async (height: string) => {
        const headers = height === "" ? {} : { "x-cosmos-block-height": height };
        const answered = await fetch(`${rest}/cosmos/consensus/v1/params`, { headers });
        return ((await answered.json()) as { params: { block: { max_gas: string } } }).params.block.max_gas;
      };
      expect(await ofRpc("")).toEqual(["6", "999995"]);
      expect(await ofRpc("height=6")).toEqual(["6", "999995"]);
      expect(await ofRpc("height=3")).toEqual(["3", "999998"]);
      // Those for the block after a state.
      expect(await ofRest("")).toBe("999995");
      expect(await ofRest("5")).toBe("999995");
      expect(await ofRest("2")).toBe("999998");
      for (const height of [2n, 3n, 4n, 5n]) {
        const { consensusHash } = query.node.at(height).header;
        const params = query.app.consensusParamsFor(height);
        expect(toHex(consensusParamsHash(sha256, params))).toBe(toHex(consensusHash));
      }
    },
    { chain, blocks: 5 },
  ));

test("a chain that begins at height 10 → its first block has the parameters of genesis", () =>
  useTestNode(
    async ({ query }) => {
      expect([query.lastHeight, query.app.consensusParamsFor(10n).block.maxGas]).toEqual([12n, -1n]);
      for (const height of [10n, 11n, 12n]) {
        const { consensusHash } = query.node.at(height).header;
        expect(toHex(consensusParamsHash(sha256, query.app.consensusParamsFor(height)))).toBe(toHex(consensusHash));
      }
    },
    { chain, blocks: 3, genesis: JSON.stringify({ ...JSON.parse(fundedGenesis()), initial_height: "10" }) },
  ));
