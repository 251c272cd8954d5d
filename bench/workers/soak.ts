/** A thousand clients on REST and gRPC at once while blocks are made: no error, no missed block. */
import { loadGrpc, loadRest } from "../doors/load.js";
import { startNode } from "../doors/node.js";

const CLIENTS = 500;
const BLOCK_MILLIS = 1_000;
const REST = "/cosmos/upgrade/v1beta1/module_versions";
const GRPC = "/cosmos.upgrade.v1beta1.Query/ModuleVersions";

interface Meta {
  readonly header: { readonly height: string; readonly time: string };
}

const seconds = Number(process.argv[2]);
const node = await startNode(`${BLOCK_MILLIS}ms`);
const first = await lastHeight();
const [rest, grpc] = await Promise.all([
  loadRest(`${node.rest}${REST}`, CLIENTS, seconds * 1_000),
  loadGrpc(node.grpc, GRPC, CLIENTS, seconds * 1_000),
]);
const last = await lastHeight();
const missed = await missedBlocks(first, last);
await node.stop();
process.stdout.write(
  JSON.stringify([
    { row: `rest, ${CLIENTS} clients`, unit: "requests/s", samples: [rest.requestsPerSecond] },
    { row: `grpc, ${CLIENTS} clients`, unit: "requests/s", samples: [grpc.requestsPerSecond] },
    { row: "errors", unit: "requests", samples: [rest.errors + grpc.errors] },
    { row: "blocks made", unit: "blocks", samples: [last - first] },
    { row: "blocks missed", unit: "blocks", samples: [missed] },
  ]),
);

async function ask<T>(path: string): Promise<T> {
  const { result } = (await (await fetch(`${node.rpc}${path}`)).json()) as { result: T };
  return result;
}

async function lastHeight(): Promise<number> {
  const { sync_info } = await ask<{ sync_info: { latest_block_height: string } }>("/status");
  return Number(sync_info.latest_block_height);
}

/** Block times that went by without a block. The first block has the time of genesis. */
async function missedBlocks(from: number, to: number): Promise<number> {
  const times: number[] = [];
  for (let height = Math.max(2, from); height <= to; height += 20) {
    const range = `minHeight=${height}&maxHeight=${Math.min(height + 19, to)}`;
    const { block_metas } = await ask<{ block_metas: readonly Meta[] }>(`/blockchain?${range}`);
    times.push(...[...block_metas].reverse().map(({ header }) => Date.parse(header.time)));
  }
  const gaps = times.slice(1).map((time, at) => time - (times[at] ?? time));
  return gaps.reduce((sum, gap) => sum + Math.max(0, Math.floor(gap / BLOCK_MILLIS) - 1), 0);
}
