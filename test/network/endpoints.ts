/** What the nodes of a network serve, asked over and over: how long each answer took, and how many peers each node had. */
import { Agent } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { Client, credentials } from "@grpc/grpc-js";
import { askHttp, callGrpc, percentile } from "../../bench/servers/endpoints.js";
import type { NetNode } from "./node.js";

const RPC = [
  ...["/status", "/net_info", "/block", "/abci_info", "/num_unconfirmed_txs"],
  ...['/abci_query?path="/chain.upgrade.v1beta1.Query/Progress"', "/broadcast_tx_sync?tx=0x0a00"],
];
const REST = [
  ...["/readyz", "/metrics", "/chain/upgrade/v1beta1/progress", "/cosmos/upgrade/v1beta1/current_plan"],
  ...["/cosmos/auth/v1beta1/accounts?pagination.limit=10", "/cosmos/base/tendermint/v1beta1/blocks/latest"],
];
const GRPC = [
  ...["/grpc.health.v1.Health/Check", "/cosmos.upgrade.v1beta1.Query/CurrentPlan"],
  ...["/chain.upgrade.v1beta1.Query/Progress", "/cosmos.base.tendermint.v1beta1.Service/GetLatestBlock"],
];
/** Between the rounds of one node. */
const PAUSE_MILLIS = 200;

export interface Asked {
  readonly millis: number[];
  readonly errors: string[];
  slowest: { readonly what: string; readonly millis: number };
  /** The fewest that any node had. */
  peers: number;
  /** Answers that said how far the upgrade is. */
  progress: number;
}

/** Each node is asked for everything, one after the other. */
export async function askWhile(nodes: readonly NetNode[], isGoingOn: () => boolean): Promise<Asked> {
  const asked: Asked = { millis: [], errors: [], slowest: { what: "", millis: 0 }, peers: nodes.length, progress: 0 };
  await Promise.all(nodes.map((node) => askNode(node, asked, isGoingOn)));
  return asked;
}

async function askNode({ own }: NetNode, asked: Asked, isGoingOn: () => boolean): Promise<void> {
  const agent = new Agent({ keepAlive: true });
  const client = new Client(`127.0.0.1:${own.grpc}`, credentials.createInsecure());
  const timed = async (what: string, ask: () => Promise<unknown>): Promise<void> => {
    const begun = performance.now();
    const text = String(await ask().catch((error: unknown) => asked.errors.push(`${own.name} ${what}: ${error}`)));
    const millis = performance.now() - begun;
    asked.millis.push(millis);
    if (millis > asked.slowest.millis) asked.slowest = { what, millis };
    const [, peers] = /"n_peers":\s*"(\d+)"/.exec(text) ?? [];
    if (peers !== undefined) asked.peers = Math.min(asked.peers, Number(peers));
    if (/"progress":\{/.test(text)) asked.progress++;
  };
  while (isGoingOn()) {
    for (const path of RPC) await timed(path, () => askHttp(agent, `http://127.0.0.1:${own.rpc}${path}`));
    for (const path of REST) await timed(path, () => askHttp(agent, `http://127.0.0.1:${own.api}${path}`));
    for (const path of GRPC) await timed(path, () => callGrpc(client, path));
    await sleep(PAUSE_MILLIS);
  }
  agent.destroy();
  client.close();
}

export function describe({ millis, slowest, errors, peers, progress }: Asked): string {
  const [half, most] = [percentile(millis, 0.5), percentile(millis, 0.99)].map((value) => value.toFixed(1));
  const answers = `${millis.length} answers, p50 ${half} ms, p99 ${most} ms, slowest ${slowest.what} ${slowest.millis.toFixed(0)} ms`;
  return `${answers}, ${errors.length} errors, ${progress} of progress, ${peers} peers at least`;
}
