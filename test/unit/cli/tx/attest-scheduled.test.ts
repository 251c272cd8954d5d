/** `tx upgrade attest` without a name: the plan is the one that the node says is scheduled. */
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { create, toBinary } from "@bufbuild/protobuf";
import { afterEach, expect, test } from "vitest";
import { QueryCurrentPlanResponseSchema } from "../../../../host/base/gen/chain/upgrade/v1beta1/query_pb.js";
import { encodeAddress } from "../../../addresses.js";
import { runHere } from "../run-here.js";

let server: Server | undefined;
afterEach(() => {
  server?.closeAllConnections();
  server?.close();
});

/** Says which plan is scheduled, whatever it is asked. */
async function nodeWith(plan: { name: string; height: bigint } | undefined): Promise<string> {
  const message = create(QueryCurrentPlanResponseSchema, plan ? { plan } : {});
  const value = Buffer.from(toBinary(QueryCurrentPlanResponseSchema, message)).toString("base64");
  const result = { response: { code: 0, value, height: "5" } };
  server = createServer((_, response) => response.end(JSON.stringify({ jsonrpc: "2.0", id: 1, result })));
  await new Promise<void>((resolve) => server?.listen(0, "127.0.0.1", resolve));
  return `tcp://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const attest = (node: string) => {
  const from = encodeAddress(new Uint8Array(20).fill(9));
  const said = ["--artifact-sha256", "1a".repeat(32), "--from", from, "--generate-only", "--chain-id", "c-1"];
  return runHere("tx", "upgrade", "attest", ...said, "--node", node, "--home", "/nonexistent");
};

test("tx upgrade attest without a name → of the scheduled plan; none is scheduled → UPG_NOT_FOUND_PLAN", async () => {
  const tx = (await attest(await nodeWith({ name: "v9", height: 77n }))) as { body: { messages: unknown[] } };
  expect(tx.body.messages).toMatchObject([{ plan: "v9" }]);
  server?.close();
  await expect(attest(await nodeWith(undefined))).rejects.toMatchObject({ code: "UPG_NOT_FOUND_PLAN" });
});
