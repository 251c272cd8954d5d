/** Requests a second of a node's doors over 50 connections, while it makes a block a second. */
import { loadGrpc, loadRest } from "../doors/load.js";
import { startNode } from "../doors/node.js";

const CONNECTIONS = 50;
const ROUNDS = 3;
const REST = "/cosmos/upgrade/v1beta1/current_plan";
const GRPC = "/cosmos.upgrade.v1beta1.Query/CurrentPlan";

const millis = (Number(process.argv[2]) * 1_000) / ROUNDS;
const node = await startNode("1s");
const rest: number[] = [];
const grpc: number[] = [];
const rpc: number[] = [];
let errors = 0;
for (let round = 0; round < ROUNDS; round++) {
  const results = [
    await loadRest(`${node.rest}${REST}`, CONNECTIONS, millis),
    await loadGrpc(node.grpc, GRPC, CONNECTIONS, millis),
    await loadRest(`${node.rpc}/status`, CONNECTIONS, millis),
  ] as const;
  rest.push(results[0].requestsPerSecond);
  grpc.push(results[1].requestsPerSecond);
  rpc.push(results[2].requestsPerSecond);
  errors += results.reduce((sum, result) => sum + result.errors, 0);
}
await node.stop();
process.stdout.write(
  JSON.stringify([
    { row: "rest current_plan", unit: "requests/s", samples: rest },
    { row: "grpc CurrentPlan", unit: "requests/s", samples: grpc, against: "rest current_plan" },
    { row: "rpc status", unit: "requests/s", samples: rpc, against: "rest current_plan" },
    { row: "errors", unit: "requests", samples: [errors] },
  ]),
);
