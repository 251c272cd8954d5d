/** The same requests to two nodes whose blocks are the same: what they answer is, too. */
import type { QueryService } from "../../host/chain/app/query/service.js";
import { askGrpc, askRest, askRpc, grpcClient, type Servers } from "./answers.js";
import { type ChainFacts, grpcRequests, restRequests, rpcRequests } from "./requests.js";

export interface Comparison {
  readonly asked: number;
  /** That were not refused. */
  readonly good: number;
  readonly differences: readonly string[];
}

export interface Both {
  /** CometBFT's, and that of the embedded engine. */
  readonly nodes: readonly [Servers, Servers];
  /** Of so many requests one is sent; which, the seed says. */
  readonly every: number;
  readonly seed: number;
}

/** Which node it is: its name, key, addresses. */
const OF_ONE_NODE = /node_info|GetNodeInfo/;

export function compareRest(both: Both, services: readonly QueryService[], facts: ChainFacts): Promise<Comparison> {
  return compare(
    both,
    restRequests(services, facts),
    ({ verb, path, body = "", at = "" }) => `${verb} ${path} ${body} ${at}`,
    askRest,
  );
}

export async function compareGrpc(
  both: Both,
  services: readonly QueryService[],
  facts: ChainFacts,
): Promise<Comparison> {
  const clients = new Map(both.nodes.map((node) => [node, grpcClient(node)]));
  try {
    return await compare(
      both,
      grpcRequests(services, facts),
      ({ path, json, at = "" }) => `${path} ${JSON.stringify(json)} ${at}`,
      (node, request) => askGrpc(clients.get(node) ?? grpcClient(node), request),
    );
  } finally {
    for (const client of clients.values()) client.close();
  }
}

/** CometBFT's own RPC, and ours: all but what ours adds to errors. */
export function compareRpc(both: Both, facts: ChainFacts, heights: readonly number[]): Promise<Comparison> {
  return compare(
    both,
    rpcRequests(facts, heights),
    (path) => path,
    async (node, path) => {
      // Parameters of the embedded engine keep the app version of genesis, as its headers do, so an upgrade changes none.
      const text = (await askRpc(node, path))
        .replace(/"version":\{"app":"\d+"\}/, '"version":{}')
        .replace(/"consensus_param_updates":\{.*\},"app_hash"/, '"consensus_param_updates":null,"app_hash"');
      // Errors of ours end with their code; a page that is none is a wrong parameter, and no failure of the node.
      const plain = text.replace(/ \[UPG_[A-Z_]+\]("\}\}\n?)$/, "$1");
      return plain.includes("page should be") ? plain.replace(/"code":-\d+,"message":"[^"]*",/, "") : plain;
    },
  );
}

/** Of REST, gRPC and the RPC. */
const GOOD = /^(200\n|height )|"result":/;

async function compare<T>(
  { nodes, every, seed }: Both,
  requests: readonly T[],
  nameOf: (request: T) => string,
  ask: (node: Servers, request: T) => Promise<string>,
): Promise<Comparison> {
  const differences: string[] = [];
  let good = 0;
  const chosen = requests.filter((request, at) => at % every === seed % every && !OF_ONE_NODE.test(nameOf(request)));
  for (const request of chosen) {
    const [theirs, own] = await Promise.all([ask(nodes[0], request), ask(nodes[1], request)]);
    if (GOOD.test(theirs)) good++;
    if (theirs !== own) differences.push(`${nameOf(request)}\nby CometBFT: ${theirs}\nby the embedded engine: ${own}`);
  }
  return { asked: chosen.length, good, differences };
}
