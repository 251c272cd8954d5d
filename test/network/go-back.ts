/** All validators go back over an applied upgrade, by the commands of docs/recovery.md: the chain goes on under a new chain id. */
import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { compareHeaders } from "./compare.js";
import type { Network } from "./network.js";
import type { NetNode } from "./node.js";
import { expectSame, HEIGHTS_AFTER, halted, OLD, type Scene } from "./scenes.js";

const NEW_CHAIN = "network-1-back";

/** The document of the state at the height, under the new chain id. */
function exported(node: NetNode, height: number): string {
  const file = join(node.home, "back.json");
  node.command("export", "--height", String(height), "--output-document", file);
  return JSON.stringify({ ...JSON.parse(readFileSync(file, "utf8")), chain_id: NEW_CHAIN });
}

/** Rolls the application back alone: CometBFT's blocks have the new version's app hashes, and the old version cannot replay them. */
async function refusesReplay(node: NetNode, height: number): Promise<void> {
  node.command("rollback", "--to", String(height - 1), "--yes");
  node.start({ flags: [...OLD.flags, "--unsafe-skip-upgrades", String(height)] });
  expectSame("exit status after a rollback and a skip", (await node.end()).exit, 18);
}

function moveToNewChain(node: NetNode, document: string): void {
  // Out of the home: beside the new data its record of signatures would count.
  renameSync(node.data(""), `${node.home}-data-before`);
  writeFileSync(join(node.home, "config/genesis.json"), document);
  node.command("config", "set", "client", "chain-id", NEW_CHAIN);
}

interface Status {
  readonly node_info: { readonly network: string };
  readonly sync_info: { readonly earliest_block_height: string };
}

export const goBack: Scene = {
  name: "go-back",
  what: "all go back over an applied upgrade: skip alone is refused with 18; from the exported state the old version goes on under a new chain id",
  async run(network: Network) {
    const height = await halted(network);
    network.start();
    await network.untilHeight(height + 5);
    await network.stop();
    const [first, ...others] = network.nodes;
    if (!first) throw new Error("no node");
    const document = exported(first, height - 1);
    for (const node of others) expectSame(`document of ${node.own.name}`, exported(node, height - 1), document);
    await refusesReplay(first, height);
    for (const node of network.nodes) moveToNewChain(node, document);
    network.start(OLD);
    await network.untilHeight(height + HEIGHTS_AFTER);
    const { node_info, sync_info } = (await first.rpc.call("status")) as Status;
    expectSame("chain", [node_info.network, sync_info.earliest_block_height], [NEW_CHAIN, String(height)]);
    const { response } = (await first.rpc.call("abci_info")) as { response: { app_version: string } };
    expectSame("app version", response.app_version, "1");
    return compareHeaders(network.nodes, height);
  },
};
