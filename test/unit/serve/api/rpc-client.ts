/** Calls of a node's RPC over HTTP, and a genesis document whose answer is large. */
import { fundedGenesis, type TestNode } from "./test-node.js";

export const call = (method: string, params: object = {}, id = 1) => ({ jsonrpc: "2.0", id, method, params });

// biome-ignore lint/suspicious/noExplicitAny: answers are JSON of many shapes.
export async function post(node: TestNode, body: unknown): Promise<any> {
  return await (await fetch(node.rpc, { method: "POST", body: JSON.stringify(body) })).json();
}

/** Answers of 300 kB. */
export function largeGenesis(): string {
  return JSON.stringify({ ...JSON.parse(fundedGenesis()), app_name: "x".repeat(300_000) });
}
