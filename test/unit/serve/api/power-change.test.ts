/** An upgrade handler changes voting power: what stock CosmJS reads and hears of it. */
import { Comet38Client, WebsocketClient } from "@cosmjs/tendermint-rpc";
import { expect, test } from "vitest";
import { defineChain } from "../../../../host/chain/app/define-chain.js";
import { writeValidator } from "../../../../host/chain/modules/staking/records.js";
import { logicalClock } from "../../../../host/node/embedded/clock.js";
import { consensusKey } from "../../../../host/node/home/consensus-key.js";
import { openNode } from "../../../../host/node/open/open-node.js";
import { makeBlocksUpTo, schedule } from "../../../e2e/prepared-home.js";
import { exampleChain } from "../../../example-chain.js";
import { genesisDocument } from "../../../scenario/genesis-text.js";
import { memberGenesis, memberRecord } from "../../../scenario/members.js";
import { useTestNode } from "./test-node.js";

/** The key that test homes have. */
const OWN = consensusKey(new Uint8Array(32).fill(1)).publicKey.bytes;
const OTHER = consensusKey(new Uint8Array(32).fill(2)).publicKey.bytes;
const member = (key: Uint8Array, units: number) => ({ key, tokens: BigInt(units) * 1_000_000n });

const chain = defineChain({
  name: exampleChain.name,
  modules: exampleChain.modules,
  upgrades: [
    {
      plan: "power",
      allows: { writeStores: ["staking"] },
      handler(context, _plan, versions) {
        writeValidator(context.stores.store("staking"), memberRecord(member(OTHER, 30)));
        return versions;
      },
    },
  ],
});
const genesis = JSON.stringify(memberGenesis(genesisDocument(), [member(OWN, 100), member(OTHER, 20)]));
const HEIGHT = 4n;

/** Plans the upgrade and makes blocks until the version before it halts. */
function upToHalt(home: string): void {
  const open = openNode({ chain, home, clock: logicalClock(5_000_000_000n), log: () => undefined });
  try {
    schedule(open.node, { name: "power", height: HEIGHT });
    makeBlocksUpTo(open.node, HEIGHT - 1n);
    expect(() => open.node.makeBlock()).toThrow("power");
  } finally {
    open.close();
  }
}

const request = (id: number, method: string, params = {}) => ({ jsonrpc: "2.0" as const, id, method, params });

test("a handler gives a validator more power → CosmJS hears it in its block, and sees it decide two blocks later", () =>
  useTestNode(
    async (node) => {
      const socket = new WebsocketClient(node.rpc.replace("http", "ws"));
      const client = await Comet38Client.connect(node.rpc);
      try {
        const heard: unknown[] = [];
        socket.listen(request(1, "subscribe", { query: "tm.event='ValidatorSetUpdates'" })).addListener({
          next: ({ data }) => void heard.push(data),
          error: (error) => void heard.push(error),
        });
        await socket.execute(request(2, "status"));
        node.makeBlocks(4);
        const powersAt = async (height: number) =>
          (await client.validatorsAll(height)).validators.map(({ votingPower }) => votingPower);
        expect([await powersAt(5), await powersAt(6)]).toEqual([
          [100n, 20n],
          [100n, 30n],
        ]);
        const { validatorUpdates } = await client.blockResults(4);
        expect(validatorUpdates.map(({ pubkey, votingPower }) => [pubkey.data, votingPower])).toEqual([[OTHER, 30n]]);
        expect((await client.blockResults(5)).validatorUpdates).toEqual([]);
        expect((await client.status()).validatorInfo.votingPower).toBe(100n);
        const headerAt = async (height: number) => (await client.block(height)).block.header;
        const [before, after] = [await headerAt(5), await headerAt(6)];
        expect(after.validatorsHash).toEqual(before.nextValidatorsHash);
        expect(after.validatorsHash).not.toEqual(before.validatorsHash);
        expect(heard).toEqual([
          {
            type: "tendermint/event/ValidatorSetUpdates",
            value: { validator_updates: [expect.objectContaining({ voting_power: "30", proposer_priority: "0" })] },
          },
        ]);
        expect(node.bugs).toEqual([]);
      } finally {
        socket.disconnect();
        client.disconnect();
      }
    },
    { chain, genesis, blocks: 0, prepare: upToHalt },
  ));
