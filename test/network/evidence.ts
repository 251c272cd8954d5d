/** A validator's key signs two votes of one height: the evidence goes through CometBFT, and the chain jails the validator. */
import { toBase64, toHex } from "../../host/base/text/bytes.js";
import { parseTime } from "../../host/base/time/time.js";
import { PRECOMMIT, voteSignBytes } from "../../host/chain/comet-types/canonical.js";
import { sign } from "../../host/chain/comet-types/keys.js";
import { readConsensusKey } from "../../host/node/home/consensus-key.js";
import type { Network } from "./network.js";
import { type NetNode, until } from "./node.js";
import { powersAt } from "./power.js";
import { expectSame, HEIGHTS_AFTER, type Scene, upTo } from "./scenes.js";

interface Header {
  readonly block: {
    readonly header: { readonly time: string };
    readonly evidence: { readonly evidence: readonly unknown[] };
  };
}

const HASHES = [new Uint8Array(32).fill(1), new Uint8Array(32).fill(2)] as const;

/** Two precommits for blocks that do not exist, signed with the node's consensus key. */
async function duplicateVotes(network: Network, { home, rpc }: NetNode, height: number): Promise<unknown> {
  const key = readConsensusKey(`${home}/config/priv_validator_key.json`);
  const address = toHex(key.address).toUpperCase();
  const { validators } = (await rpc.call("validators", { height: String(height) })) as {
    validators: readonly { address: string }[];
  };
  const index = validators.findIndex((each) => each.address === address);
  const { block } = (await rpc.call("block", { height: String(height) })) as Header;
  const { time } = block.header;
  const voteFor = (hash: Uint8Array) => {
    const blockId = { hash, parts: { total: 1, hash } };
    const content = { type: PRECOMMIT, height: BigInt(height), round: 0, blockId, timestamp: parseTime(time) } as const;
    const text = toHex(hash).toUpperCase();
    return {
      ...{ type: PRECOMMIT, height: String(height), round: 0, timestamp: time, validator_index: index },
      block_id: { hash: text, parts: { total: 1, hash: text } },
      validator_address: address,
      signature: toBase64(sign("ed25519", key.seed, voteSignBytes("network-1", content))),
      ...{ extension: null, extension_signature: null },
    };
  };
  const [vote_a, vote_b] = HASHES.map(voteFor);
  const value = {
    vote_a,
    vote_b,
    TotalVotingPower: String(100 * network.signers.length),
    ValidatorPower: "100",
    Timestamp: time,
  };
  return { type: "tendermint/DuplicateVoteEvidence", value };
}

export const evidence: Scene = {
  name: "evidence",
  what: "two signed votes of one height through broadcast_evidence: in a block, jailed on every node, out of the set two heights on",
  async run(network) {
    network.start({ flags: ["--app-version", "1"] });
    await network.untilHeight(5);
    const [first, , , guilty] = network.nodes as [NetNode, NetNode, NetNode, NetNode];
    await first.rpc.call("broadcast_evidence", { evidence: await duplicateVotes(network, guilty, 3) });
    let height = 4;
    await until("the evidence is in a block", async () => {
      const last = await first.height();
      while (height < last) {
        const { block } = (await first.rpc.call("block", { height: String(height + 1) })) as Header;
        height++;
        if (block.evidence.evidence.length > 0) return true;
      }
      return false;
    });
    expectSame(`powers at ${height + 2}`, await powersAt(network, height + 2), "node0 100, node1 100, node2 100");
    const { finalize_block_events: events } = (await first.rpc.call("block_results", { height: String(height) })) as {
      finalize_block_events: readonly { type: string; attributes: readonly { key: string; value: string }[] }[];
    };
    const slashes = events.filter(({ type }) => type === "slash").map(({ attributes: [a] }) => a?.key);
    expectSame("events of the block", slashes, ["address", "jailed"]);
    process.stderr.write(`  evidence in block ${height}; from ${height + 2} on node0 100, node1 100, node2 100\n`);
    return { ...(await upTo(network, height + HEIGHTS_AFTER)), counts: `evidence in block ${height}` };
  },
};
