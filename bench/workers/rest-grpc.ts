/**
 * Requests to a node's servers over 50 connections, while it makes a block a second: how many a second, and what each of them
 * takes of the node's processor time. The rate alone would say how quick the client is where that is the slower one.
 */
import { loadGrpc } from "../servers/grpc-load.js";
import { type LoadResult, loadRest } from "../servers/load.js";
import { startNode } from "../servers/node.js";

const CONNECTIONS = 50;
const ROUNDS = 3;
const WARM_UP_MILLIS = 1_000;
const REST = "/cosmos/upgrade/v1beta1/current_plan";
const GRPC = "/cosmos.upgrade.v1beta1.Query/CurrentPlan";

const millis = (Number(process.argv[2]) * 1_000) / ROUNDS;
const node = await startNode("1s");
const servers: readonly { readonly name: string; load(millis: number): Promise<LoadResult> }[] = [
  { name: "rest current_plan", load: (time) => loadRest(`${node.rest}${REST}`, CONNECTIONS, time) },
  { name: "grpc CurrentPlan", load: (time) => loadGrpc(node.grpc, GRPC, CONNECTIONS, time) },
  { name: "rpc status", load: (time) => loadRest(`${node.rpc}/status`, CONNECTIONS, time) },
];
const rates = servers.map((): number[] => []);
const times = servers.map((): number[] => []);
let errors = 0;
for (const { load } of servers) await load(WARM_UP_MILLIS);
for (let round = 0; round < ROUNDS; round++) {
  for (const [at, { load }] of servers.entries()) {
    const before = node.cpuSeconds();
    const result = await load(millis);
    const after = node.cpuSeconds();
    rates[at]?.push(result.requestsPerSecond);
    if (before !== undefined && after !== undefined) times[at]?.push(((after - before) / result.requests) * 1e9);
    errors += result.errors;
  }
}
await node.stop();
process.stdout.write(
  JSON.stringify([
    ...servers.map(({ name }, at) => ({ row: name, unit: "requests/s", samples: rates[at] })),
    ...servers.flatMap(({ name }, at) =>
      times[at]?.length ? [{ row: `${name}, server's CPU`, unit: "ns/request", samples: times[at] }] : [],
    ),
    { row: "errors", unit: "requests", samples: [errors] },
  ]),
);
