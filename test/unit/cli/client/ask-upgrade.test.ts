/** Questions about upgrades to nodes that know the Cosmos SDK's service alone, as its `abci_query` refuses others. */

import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { create, toBinary } from "@bufbuild/protobuf";
import { afterEach, expect, test } from "vitest";
import { Query } from "../../../../host/base/gen/chain/upgrade/v1beta1/query_pb.js";
import { QueryCurrentPlanResponseSchema } from "../../../../host/base/gen/cosmos/upgrade/v1beta1/query_pb.js";
import { askUpgrade } from "../../../../host/cli/wallet/ask-upgrade.js";
import { RpcClient } from "../../../../host/node/remote/client.js";

let server: Server | undefined;
afterEach(() => {
  server?.closeAllConnections();
  server?.close();
});

/** The texts are those that a node of the Cosmos SDK 0.53 gave. */
async function cosmosNode(asked: string[]): Promise<RpcClient> {
  server = createServer((request, response) => {
    let body = "";
    request.on("data", (part) => {
      body += String(part);
    });
    request.on("end", () => {
      const { path } = (JSON.parse(body) as { params: { path: string } }).params;
      asked.push(path);
      const plan = { name: "v9", height: 77n };
      const value = toBinary(QueryCurrentPlanResponseSchema, create(QueryCurrentPlanResponseSchema, { plan }));
      const answer = path.startsWith("/cosmos.upgrade.v1beta1.Query/")
        ? { code: 0, value: Buffer.from(value).toString("base64"), height: "5" }
        : { code: 6, codespace: "sdk", log: "unknown query path: unknown request" };
      response.end(JSON.stringify({ jsonrpc: "2.0", id: 1, result: { response: answer } }));
    });
  });
  await new Promise<void>((resolve) => server?.listen(0, "127.0.0.1", resolve));
  return new RpcClient(`tcp://127.0.0.1:${(server.address() as AddressInfo).port}`, 5_000);
}

test("askUpgrade() a node of the Cosmos SDK → asked again under its own name, the same answer", async () => {
  const asked: string[] = [];
  const { plan } = await askUpgrade(await cosmosNode(asked), Query.method.currentPlan, {});
  expect(plan).toMatchObject({ name: "v9", height: 77n });
  expect(asked).toEqual(["/chain.upgrade.v1beta1.Query/CurrentPlan", "/cosmos.upgrade.v1beta1.Query/CurrentPlan"]);
});

test("askUpgrade() what the Cosmos SDK lacks → refused with the node's words, asked once", async () => {
  const asked: string[] = [];
  const receipt = askUpgrade(await cosmosNode(asked), Query.method.receipt, { name: "v9" });
  await expect(receipt).rejects.toThrow("unknown query path");
  expect(asked).toHaveLength(1);
});
