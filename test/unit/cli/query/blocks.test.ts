/** `query block` and `query block-results` of a height that the node does not have: exit 3, whichever program serves the RPC. */

import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, expect, test } from "vitest";
import { block, blockResults } from "../../../../host/cli/client/query/blocks.js";
import { exampleChain } from "../../../example-chain.js";

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

async function refusing(data: string): Promise<string> {
  const error = { code: -32603, message: "Internal error", data };
  const server = createServer((_, response) => response.end(JSON.stringify({ jsonrpc: "2.0", id: 1, error })));
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return `tcp://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const FUTURE = "height 999 must be less than or equal to the current blockchain height 5";

test.each([
  ["CometBFT, a future height", FUTURE, "UPG_NOT_FOUND_BLOCK"],
  ["this program, a future height", `${FUTURE} [UPG_INVALID_HEIGHT]`, "UPG_NOT_FOUND_BLOCK"],
  ["CometBFT, a pruned height", "height 999 is not available, lowest height is 1000", "UPG_NOT_FOUND_BLOCK"],
  ["CometBFT, another error", "disk", "UPG_REMOTE_REFUSED"],
])("%s → %s is %s", async (_who, said, code) => {
  const flags = { node: await refusing(said), timeout: 5_000_000_000n, height: 0n };
  const message = expect.stringContaining(said.replace(/ \[.*/, ""));
  for (const query of [block, blockResults])
    await expect(query(["999"], flags, exampleChain)).rejects.toMatchObject({ code, message });
});
