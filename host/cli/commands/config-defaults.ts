/** The settings that `init` writes into a home: everything that can be set, with what it means. */

import { existsSync } from "node:fs";
import { writeFileAtomically } from "../../base/files/atomic-file.js";
import { writeSetting } from "../../base/terminal/config-edit.js";
import { type ConfigName, configPath, configValue, readConfig, tomlText } from "../../base/terminal/config-file.js";
import { utf8 } from "../../base/text/bytes.js";
import { envPrefix } from "../../base/text/program-text.js";
import { SPILL_BYTES_MAX_DEFAULT } from "../../base/types/limits.js";
import { NODE_DEFAULT } from "../client/flags.js";
import { limitLines } from "../flags/limit-settings.js";

const FILE_MODE = 0o644;

function clientToml(program: string, chainId: string): string {
  return `# Settings of the commands that ask a node. A flag counts more, and so does the environment (${envPrefix(program)}NODE …).

# The chain that transactions are signed for; empty: the node's.
chain-id = ${tomlText(chainId)}
# Where keys are kept: file (sealed with a password) or test (open, for development).
keyring-backend = "file"
# Form of results: text or json; empty: text, and json for transactions.
output = ""
# Address of a node's RPC.
node = "${NODE_DEFAULT}"
# Wait for nothing (async), for the node's check (sync) or for the block (block).
broadcast-mode = "sync"
`;
}

function appToml(program: string, moniker: string): string {
  return `# Settings of \`${program} start\`. A flag counts more, and so does the environment (${envPrefix(program)}HALT_HEIGHT, ${envPrefix(program)}API_ADDRESS …).

# Name of this node, shown in its status.
moniker = ${tomlText(moniker)}
# Refuse transactions that pay less a unit of gas, as "0.001stake,0.1uatom"; empty: take them all.
minimum-gas-prices = ""
# Time between blocks.
block-time = "1s"
# Stop before this block; 0: never.
halt-height = 0
# Historical versions to keep readable besides the last.
keep-versions = 100
# Blocks before the last to keep, with their results and what the index has of them; 0: all. Removed are those of 100 blocks
# at a time or more, whatever the state that is kept; what an explorer shows must be kept, and what IBC clients ask for.
min-retain-blocks = 0
# Events to index, as ["transfer.recipient", "message.sender"]; []: all. Holds for blocks that are made from then on.
index-events = []
# After an upgrade, take a snapshot of the state before it. It stays as long as that state is held (\`upgrade forget\`).
snapshot-before-upgrade = false
# Bytes that what one upgrade writes may take on disk besides the database, in <home>/data/spill; it is gone afterwards.
handler-disk-max = ${SPILL_BYTES_MAX_DEFAULT}

[rpc]
enable = true
laddr = "tcp://127.0.0.1:26657"
# Web pages that may call and open a websocket, as "https://host[:port]"; "*": all. Pages of this machine may always open one.
cors-allowed-origins = []
${limitLines("rpc")}
[grpc]
enable = true
address = "127.0.0.1:9090"

[grpc-web]
# For web pages, on REST's port.
enable = true

[api]
enable = true
address = "tcp://127.0.0.1:1317"
# Let web pages of any origin read REST's responses, and those of gRPC-Web.
enabled-unsafe-cors = false

[tx_index]
# kv: transactions and blocks can be searched by their events, transactions found by their hash. null: neither, and nothing is written for it.
indexer = "kv"

# With CometBFT: snapshots of the state, which nodes that join fetch instead of running all blocks.
[state-sync]
# Take one each so many blocks; 0: none.
snapshot-interval = 0
# Keep the newest; 0: all.
snapshot-keep-recent = 2

# What one request, one client and all of them together may cost the node.
[limits]
${limitLines("limits")}`;
}

/** Existing files stay as they are. */
export function writeDefaultConfig(program: string, home: string, chainId: string, moniker: string): void {
  const texts: Readonly<Record<ConfigName, string>> = {
    client: clientToml(program, chainId),
    app: appToml(program, moniker),
  };
  for (const [name, text] of Object.entries(texts) as [ConfigName, string][]) {
    const path = configPath(home, name);
    if (!existsSync(path)) writeFileAtomically(path, utf8(text), FILE_MODE);
  }
  // A home that is begun again has another chain.
  if (configValue(readConfig(home, "client"), "chain-id") !== chainId)
    writeSetting(home, "client", "chain-id", chainId);
}
