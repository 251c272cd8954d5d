/** CometBFT's settings for a node of a local network: peers on one address, quick rounds. */
import type { LocalNode } from "./network.js";

export interface CometSettings {
  readonly node: LocalNode;
  /** All of the network. */
  readonly nodes: readonly LocalNode[];
  /** Between a block and the next. */
  readonly blockMillis: number;
}

/** Peers of one machine propose and vote in milliseconds; a busy machine must not make rounds fail. */
const PROPOSE_MILLIS = 1_000;
const VOTE_MILLIS = 500;

export function cometToml({ node, nodes, blockMillis }: CometSettings): string {
  const peers = nodes.filter(({ name }) => name !== node.name).map(({ node_id, p2p }) => `${node_id}@127.0.0.1:${p2p}`);
  return `# Settings of CometBFT for a network on one machine. What is left out has CometBFT's default.
moniker = "${node.name}"

[rpc]
laddr = "tcp://127.0.0.1:${node.rpc}"

[p2p]
laddr = "tcp://127.0.0.1:${node.p2p}"
persistent_peers = "${peers.join(",")}"
# All nodes have one address.
addr_book_strict = false
allow_duplicate_ip = true

[consensus]
timeout_propose = "${PROPOSE_MILLIS}ms"
timeout_prevote = "${VOTE_MILLIS}ms"
timeout_precommit = "${VOTE_MILLIS}ms"
timeout_commit = "${blockMillis}ms"
`;
}
