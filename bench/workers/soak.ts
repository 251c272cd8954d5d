/** A thousand clients on REST and gRPC at once while blocks are made: no error, no missed block. */
import { loadGrpc } from "../servers/grpc-load.js";
import { loadRest } from "../servers/load.js";
import { startNode } from "../servers/node.js";

const CLIENTS = 500;
const BLOCK_MILLIS = 1_000;
const REST = "/cosmos/upgrade/v1beta1/module_versions";
const GRPC = "/cosmos.upgrade.v1beta1.Query/ModuleVersions";

interface Meta {
  readonly header: { readonly time: string };
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

/** Blocks that the clock asked for and nobody made. The first block has the time of genesis. */
async function missedBlocks(first: number, to: number): Promise<number> {
  const from = Math.max(2, first);
  const [begin, end] = [await timeOf(from), await timeOf(to)];
  return Math.max(0, Math.floor((end - begin) / BLOCK_MILLIS) - (to - from));
}

async function timeOf(height: number): Promise<number> {
  const { block_metas } = await ask<{ block_metas: readonly Meta[] }>(
    `/blockchain?minHeight=${height}&maxHeight=${height}`,
  );
  return Date.parse(block_metas[0]?.header.time ?? "");
}
