/** A node that joins after the upgrade: it fetches the state, and has neither the old version nor the old blocks. */
import { execFileSync } from "node:child_process";
import type { Network } from "./network.js";
import { type NetNode, until } from "./node.js";
import { HEIGHTS_AFTER, halted, type Scene } from "./scenes.js";

const INTERVAL = 20;
/** Ten blocks a second: long enough that a node finds one and fetches it. */
const KEPT = 10;

interface Status {
  readonly sync_info: { readonly earliest_block_height: string; readonly catching_up: boolean };
}

interface Commit {
  readonly signed_header: { readonly commit: { readonly block_id: { readonly hash: string } } };
}

/** Settings with which CometBFT trusts the header of a height, and asks two nodes for the rest. */
async function stateSyncToml(servers: readonly NetNode[], height: number): Promise<string> {
  const [first] = servers;
  if (!first) throw new Error("no server");
  const { signed_header } = (await first.rpc.call("commit", { height: String(height) })) as Commit;
  return `
[statesync]
enable = true
rpc_servers = "${servers.map(({ own }) => `http://127.0.0.1:${own.rpc}`).join(",")}"
trust_height = ${height}
trust_hash = "${signed_header.commit.block_id.hash}"
trust_period = "168h0m0s"
discovery_time = "5s"
`;
}

async function statusOf(node: NetNode): Promise<Status | undefined> {
  return (await node.rpc.call("status").catch(() => undefined)) as Status | undefined;
}

/** Headers of the heights that the node has, beside those of another one. */
async function differences(node: NetNode, other: NetNode): Promise<{ heights: number; found: string[] }> {
  const from = Number((await statusOf(node))?.sync_info.earliest_block_height ?? 0);
  const to = Math.min(await node.height(), await other.height());
  const [own, theirs] = await Promise.all([node.headers(from, to), other.headers(from, to)]);
  const found = [...own].flatMap(([height, header]) =>
    theirs.get(height) === header ? [] : [`height ${height}: ${header}, not ${theirs.get(height)}`],
  );
  return { heights: own.size, found };
}

export const stateSync: Scene = {
  name: "state-sync",
  what: "a node joins after the upgrade by a snapshot: no old version, no old blocks; it starts again, and its database is sound",
  async run(network: Network) {
    const height = await halted(network);
    const [interval, kept] = [String(INTERVAL), String(KEPT)];
    network.start({ flags: ["--state-sync.snapshot-interval", interval, "--state-sync.snapshot-keep-recent", kept] });
    await network.untilHeight(height + INTERVAL + 3);
    const [first, second] = network.nodes;
    if (!first || !second) throw new Error("no node");
    const joining = await network.addFullNode(await stateSyncToml([first, second], height + 1));
    joining.start();
    await until(
      "the node has fetched the state and caught up",
      async () => (await statusOf(joining))?.sync_info.catching_up === false && (await joining.height()) > height,
    ).catch((error: unknown) => {
      throw new Error(`${String(error)}; its log ends:\n${joining.log.slice(-6_000)}`);
    });
    const earliest = Number((await statusOf(joining))?.sync_info.earliest_block_height ?? 0);
    if (earliest <= height) throw new Error(`the node has blocks from ${earliest} on, so it ran them`);
    if (!joining.log.includes("was restored from a snapshot")) throw new Error("nothing was restored");
    await joining.untilHeight(earliest + HEIGHTS_AFTER);
    await joining.stop();
    execFileSync(process.execPath, [joining.program, "verify", "--home", joining.home], { stdio: "pipe" });
    joining.start();
    await joining.untilHeight(earliest + HEIGHTS_AFTER + 5);
    const { heights, found } = await differences(joining, first);
    return { heights, differences: found, counts: `first block ${earliest}, upgrade ${height}` };
  },
};
