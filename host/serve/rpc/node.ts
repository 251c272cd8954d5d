/** Who this node is, and whether it is well. */

import { equalBytes, toUpperHex } from "../../base/text/bytes.js";
import { formatTime, ZERO_TIME } from "../../base/time/time.js";
import type { Height } from "../../base/types/types.js";
import type { LocalNode, NodeBlock } from "../../chain/app/query/node-port.js";
import { BLOCK_PROTOCOL } from "../../chain/comet-types/header.js";
import { ENGINE_VERSION, P2P_PROTOCOL } from "../../chain/comet-types/release.js";
import { latestBlock, type RpcContext } from "./context.js";
import { JsonText, keyJson } from "./json.js";

export const health = () => ({});

/** What the status is made of besides facts that a node keeps for its whole life: its edges change with the last block. */
const STATUSES = new WeakMap<NodeBlock, { readonly address: string; readonly text: JsonText }>();

/** Monitors ask this most of all; it is made once a block. */
export function status({ query: { node }, address }: RpcContext): JsonText {
  const latest = node.latest();
  const known = latest && STATUSES.get(latest);
  if (known?.address === address) return known.text;
  const text = new JsonText([JSON.stringify(statusOf(node, address, latest))]);
  if (latest) STATUSES.set(latest, { address, text });
  return text;
}

function statusOf(node: LocalNode, address: string, latest: NodeBlock | undefined) {
  const { identity, consensusParams } = node;
  const earliest = node.earliest();
  return {
    node_info: {
      protocol_version: {
        p2p: String(P2P_PROTOCOL),
        block: String(BLOCK_PROTOCOL),
        app: String(consensusParams.version.app),
      },
      id: identity.nodeId,
      listen_addr: address,
      network: identity.chainId,
      version: ENGINE_VERSION,
      channels: "",
      moniker: identity.moniker,
      other: { tx_index: node.settings.isIndexed ? "on" : "off", rpc_address: address },
    },
    sync_info: { ...edge("latest", latest), ...edge("earliest", earliest), catching_up: false },
    validator_info: {
      address: toUpperHex(identity.address),
      pub_key: keyJson({ type: "ed25519", bytes: identity.publicKey }),
      voting_power: String(latest ? powerOf(node, latest.header.height + 1n) : 0n),
    },
  };
}

/** Of this node's key; 0n: it has none. */
function powerOf(node: LocalNode, height: Height): bigint {
  const { validators } = node.validatorsAt(height);
  return validators.find(({ address }) => equalBytes(address, node.identity.address))?.power ?? 0n;
}

/** Before the first block CometBFT's clients read empty hashes and year 1. */
function edge(name: "latest" | "earliest", block: NodeBlock | undefined) {
  return {
    [`${name}_block_hash`]: block ? toUpperHex(block.blockId.hash) : "",
    [`${name}_app_hash`]: block ? toUpperHex(block.header.appHash) : "",
    [`${name}_block_height`]: String(block?.header.height ?? 0n),
    [`${name}_block_time`]: formatTime(block?.header.time ?? ZERO_TIME),
  };
}

/** The engine has no peers. */
export const netInfo = ({ address }: RpcContext) => ({
  listening: true,
  listeners: [address],
  n_peers: "0",
  peers: [],
});

const ROUND_STEP_NEW_HEIGHT = 1;
const NO_VOTE = "nil-Vote";

/**
 * The round of the next block, in CometBFT's short form. The engine decides a block without rounds of votes, so none of them
 * has begun.
 */
export function consensusState({ query: { node } }: RpcContext) {
  const latest = latestBlock(node);
  const height = latest.header.height + 1n;
  const { validators } = node.validatorsAt(height);
  const power = validators.reduce((sum, each) => sum + each.power, 0n);
  const votes = validators.map(() => NO_VOTE);
  const bits = `BA{${votes.length}:${"_".repeat(votes.length)}} 0/${power} = 0.00`;
  const none = { proposal_block_hash: "", locked_block_hash: "", valid_block_hash: "" };
  const round = { round: 0, prevotes: votes, prevotes_bit_array: bits, precommits: votes, precommits_bit_array: bits };
  const own = validators.findIndex(({ address }) => equalBytes(address, node.identity.address));
  return {
    round_state: {
      "height/round/step": `${height}/0/${ROUND_STEP_NEW_HEIGHT}`,
      start_time: formatTime(latest.header.time),
      ...none,
      height_vote_set: [round],
      proposer: { address: toUpperHex(node.identity.address), index: own },
    },
  };
}
