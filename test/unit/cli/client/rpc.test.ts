import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, test } from "vitest";
import { abciQuery } from "../../../../host/cli/wallet/ask.js";
import { RpcClient } from "../../../../host/node/remote/client.js";

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

async function nodeThat(answer: RequestListener): Promise<string> {
  const server = createServer(answer);
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return `tcp://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const saying = (text: string) => nodeThat((_, response) => void response.end(text));
const call = async (node: Promise<string>, timeout = 5_000) => new RpcClient(await node, timeout).call("status");

describe("RpcClient", () => {
  test("a result → it; the request is JSON-RPC with its method and parameters", async () => {
    let asked = "";
    const node = await nodeThat((request, response) => {
      request.on("data", (part) => {
        asked += String(part);
      });
      request.on("end", () => response.end('{"jsonrpc":"2.0","id":1,"result":{"a":1}}'));
    });
    expect(await new RpcClient(node).call("block", { height: "5" })).toEqual({ a: 1 });
    expect(JSON.parse(asked)).toMatchObject({ jsonrpc: "2.0", method: "block", params: { height: "5" } });
  });

  test.each<[string, string, string]>([
    [
      "UPG_REMOTE_REFUSED",
      '{"error":{"code":-32603,"message":"Internal error","data":"no such height"}}',
      "Internal error: no such height",
    ],
    ["UPG_NOT_FOUND_BLOCK", '{"error":{"message":"Internal error","data":"gone [UPG_NOT_FOUND_BLOCK]"}}', "gone"],
    ["UPG_REMOTE_REFUSED", '{"error":{"message":"x [UPG_NO_SUCH_CODE]"}}', "x"],
    ["UPG_REMOTE_REFUSED", "<html>", "not JSON"],
    ["UPG_REMOTE_REFUSED", "", "not JSON"],
    ["UPG_REMOTE_REFUSED", "null", "not JSON"],
    ["UPG_REMOTE_REFUSED", "{}", "neither result nor error"],
  ])("%s for %s", async (code, text, message) => {
    await expect(call(saying(text))).rejects.toMatchObject({ code, message: expect.stringContaining(message) });
  });

  test("no answer in time, a cut connection, nobody there → UPG_REMOTE_UNAVAILABLE naming the node", async () => {
    const silent = nodeThat(() => undefined);
    const halting = nodeThat((_, response) => void response.write("{"));
    const cutting = nodeThat((request) => void request.socket.destroy());
    for (const [node, why] of [
      [silent, "no answer in time"],
      [halting, "no answer in time"],
      [cutting, "the connection was cut"],
      [Promise.resolve("tcp://127.0.0.1:1"), "connection refused"],
    ] as const) {
      const message = expect.stringContaining(`${await node}: ${why}`);
      await expect(call(node, 300)).rejects.toMatchObject({ code: "UPG_REMOTE_UNAVAILABLE", message });
    }
  });

  test("an answer without end → UPG_REMOTE_UNAVAILABLE, not kept", async () => {
    const endless = nodeThat((request, response) => {
      const part = Buffer.alloc(1_048_576, 32);
      const write = () => {
        while (!request.socket.destroyed && response.write(part));
      };
      response.on("drain", write).on("error", () => undefined);
      write();
    });
    await expect(call(endless, 30_000)).rejects.toMatchObject({
      code: "UPG_REMOTE_UNAVAILABLE",
      message: expect.stringContaining("longer than"),
    });
  });

  test.each(["", "nonsense://x", "tcp://", "http://", "tcp://a b:1", "ftp://a:1", "tcp://a:99999"])(
    "the address %j → UPG_INVALID_ARGUMENT",
    (node) => expect(() => new RpcClient(node)).toThrow(expect.objectContaining({ code: "UPG_INVALID_ARGUMENT" })),
  );

  test.each([
    ["tcp://localhost:26657", "http://localhost:26657/"],
    ["localhost:26657", "http://localhost:26657/"],
    ["https://node.example/rpc", "https://node.example/rpc"],
    ["tcp://[::1]:1", "http://[::1]:1/"],
  ])("%s → %s", (node, url) => expect(new RpcClient(node).url).toBe(url));
});

describe("abciQuery()", () => {
  const question = { path: "/x", data: "", height: 0n, prove: false };
  const answering = (response: object) => saying(JSON.stringify({ result: { response } }));

  test("value, height and proofs → decoded", async () => {
    const ops = [{ type: "ics23:iavl", key: "AQ==", data: "Ag==" }];
    const node = await answering({ code: 0, value: "aGk=", height: "7", proofOps: { ops } });
    expect(await abciQuery(new RpcClient(node), question)).toEqual({
      value: new Uint8Array([104, 105]),
      height: 7n,
      proofOps: [{ type: "ics23:iavl", key: Uint8Array.of(1), data: Uint8Array.of(2) }],
    });
  });

  test.each<[string, object]>([
    ["UPG_NOT_FOUND_RECORD", { code: 22, log: "rpc error: code = NotFound desc = nothing: key not found" }],
    ["UPG_INVALID_ARGUMENT", { code: 18, log: "rpc error: code = InvalidArgument desc = empty" }],
    ["UPG_NOT_FOUND_VERSION", { code: 26, log: "cannot query with height in the future: invalid height" }],
    ["UPG_NOT_FOUND_MODULE", { code: 22, info: "x-error-code: UPG_NOT_FOUND_MODULE", log: "code = NotFound" }],
    ["UPG_NOT_FOUND_RECORD", { code: 22, info: "x-error-code: UPG_NO_SUCH_CODE", log: "code = NotFound" }],
    ["UPG_NOT_FOUND_RECORD", { code: 22, info: "", log: "code = NotFound desc = it says UPG_BUG_ASSERT" }],
    ["UPG_REMOTE_REFUSED", { code: 1, log: "" }],
    ["UPG_REMOTE_REFUSED", { code: 6, log: "unknown query path: unknown request" }],
  ])("%s for %j", async (code, response) => {
    await expect(abciQuery(new RpcClient(await answering(response)), question)).rejects.toMatchObject({ code });
  });
});
