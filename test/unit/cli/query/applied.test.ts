/** `query upgrade applied` at a node that does not have the block of the upgrade. */

import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { create, toBinary } from "@bufbuild/protobuf";
import { afterEach, expect, test } from "vitest";
import { QueryAppliedPlanResponseSchema } from "../../../../host/base/gen/chain/upgrade/v1beta1/query_pb.js";
import { applied } from "../../../../host/cli/client/query/upgrade.js";
import { exampleChain } from "../../../example-chain.js";

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

/** An RPC whose state says that the upgrade was applied at height 17. */
async function rpcWith(blockchain: { readonly result?: object; readonly error?: object }): Promise<string> {
  const bytes = toBinary(QueryAppliedPlanResponseSchema, create(QueryAppliedPlanResponseSchema, { height: 17n }));
  const value = Buffer.from(bytes).toString("base64");
  const server = createServer((request, response) => {
    let text = "";
    request.on("data", (part) => {
      text += String(part);
    });
    request.on("end", () => {
      const { method } = JSON.parse(text) as { method: string };
      const ofState = { result: { response: { code: 0, height: "40", value, proofOps: null } } };
      response.end(JSON.stringify({ jsonrpc: "2.0", id: 1, ...(method === "blockchain" ? blockchain : ofState) }));
    });
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return `tcp://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const ask = async (node: string) => applied(["v2"], { node, timeout: 5_000_000_000n, height: 0n }, exampleChain);

test.each([
  [
    "CometBFT's refusal",
    { error: { code: -32603, message: "Internal error", data: "min height 30 can't be greater than max height 17" } },
  ],
  ["no record", { result: { last_height: "40", block_metas: [] } }],
])("applied(), %s → UPG_NOT_FOUND_BLOCK with the height that state knows and what to do", async (_what, blockchain) => {
  const node = await rpcWith(blockchain);
  await expect(ask(node)).rejects.toMatchObject({
    code: "UPG_NOT_FOUND_BLOCK",
    message: expect.stringContaining(`"v2" was applied at height 17, and the node at ${node} does not have that block`),
  });
});

test("applied(), another refusal → as it is; the record → printed", async () => {
  const failing = await rpcWith({ error: { code: -32603, message: "Internal error", data: "disk" } });
  await expect(ask(failing)).rejects.toMatchObject({ code: "UPG_REMOTE_REFUSED" });
  const meta = { num_txs: "0" };
  expect(await ask(await rpcWith({ result: { block_metas: [meta] } }))).toEqual({ json: meta });
});
