/** CometBFT's RPC as a node asks it: what it says is read into our own types, and what is wrong with it is found. */
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { SigningStargateClient } from "@cosmjs/stargate";
import { afterEach, describe, expect, test } from "vitest";
import { sha256 } from "../../../../host/base/native/sha256.js";
import { toHex } from "../../../../host/base/text/bytes.js";
import { parseEventQuery } from "../../../../host/chain/events/event-query-text.js";
import { CometRpc } from "../../../../host/node/remote/comet-rpc.js";
import { SIGNER, type TestNode, useTestNode, wallet } from "../../serve/api/test-node.js";

const OTHER = "cosmos1vx8knpllrj7n963p9ttd80w47kpacrhuts497x";
const CHAIN = "scenario-1";

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

type Result = Record<string, unknown>;

/** An RPC that gives what another one gives, changed. */
async function rpcThat(node: string, change: (method: string, result: Result) => Result): Promise<string> {
  const server = createServer((request, response) => {
    let text = "";
    request.on("data", (part) => {
      text += String(part);
    });
    request.on("end", async () => {
      const { method } = JSON.parse(text) as { method: string };
      const answered = await fetch(node, {
        method: "POST",
        body: text,
        headers: { "content-type": "application/json" },
      });
      const { result, ...rest } = (await answered.json()) as { result?: Result };
      response.end(JSON.stringify(result ? { ...rest, result: change(method, result) } : rest));
    });
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return `tcp://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const cometOf = (address: string, chain = CHAIN) => new CometRpc(address, chain, sha256);

async function send(node: TestNode): Promise<Uint8Array> {
  const client = await SigningStargateClient.connectWithSigner(node.rpc, wallet);
  const value = { fromAddress: SIGNER, toAddress: OTHER, amount: [{ denom: "ustake", amount: "5" }] };
  const fee = { amount: [], gas: "200000" };
  const hash = await client.signAndBroadcastSync(SIGNER, [{ typeUrl: "/cosmos.bank.v1beta1.MsgSend", value }], fee);
  client.disconnect();
  return Buffer.from(hash, "hex");
}

describe("CometRpc", () => {
  test("heads, blocks, validators, transactions, searches, what waits → as the node itself has them", () =>
    useTestNode(async (node) => {
      const comet = cometOf(node.rpc);
      const own = node.query.node;
      const hash = await send(node);
      expect(await comet.waiting()).toEqual({ count: 1, bytes: own.mempool.bytes });
      expect(await comet.tx(hash)).toBeUndefined();
      node.makeBlocks(2);
      for (const height of [1n, 2n, 3n, 4n]) {
        const { header, blockId } = own.at(height);
        expect(await comet.head(height)).toEqual({ header, blockId });
        expect(await comet.block(height)).toMatchObject({ block: own.block(height), blockId });
        expect(await comet.validators(height)).toEqual(own.validatorsAt(height).validators);
      }
      const found = await comet.tx(hash);
      expect(found).toEqual({ ...own.tx(hash), hash: found?.hash });
      const window = { page: 1, perPage: 10, isDescending: false };
      for (const query of [
        "tx.height=3",
        `transfer.recipient='${OTHER}'`,
        "tx.height>2 AND tx.height<=3",
        "transfer.amount EXISTS",
      ]) {
        expect(await comet.searchTxs(parseEventQuery(query), window)).toMatchObject({ hits: [found], total: 1 });
      }
      const beyond = { ...window, page: 7, isDescending: true };
      expect(await comet.searchTxs(parseEventQuery("tx.height=3"), beyond)).toEqual({ hits: [], total: 1 });
      expect(await comet.status()).toMatchObject({
        chainId: CHAIN,
        version: "0.38.25",
        isSyncing: false,
        earliestHeight: 1n,
      });
      expect(await comet.broadcast(new Uint8Array([1]))).toMatchObject({ codespace: "sdk" });
    }));

  test("a height that is none → UPG_NOT_FOUND_BLOCK or UPG_INVALID_HEIGHT; the same transaction twice → UPG_TX_IN_MEMPOOL", () =>
    useTestNode(async (node) => {
      const comet = cometOf(node.rpc);
      await expect(comet.head(99n)).rejects.toMatchObject({ code: "UPG_INVALID_HEIGHT" });
      const hash = await send(node);
      const [waiting] = node.query.node.mempool.list(1);
      expect(toHex(sha256(waiting ?? new Uint8Array()))).toBe(toHex(hash));
      await expect(comet.broadcast(waiting ?? new Uint8Array())).rejects.toMatchObject({ code: "UPG_TX_IN_MEMPOOL" });
    }));

  test("another chain → UPG_REMOTE_REFUSED with both names, nothing else is asked", () =>
    useTestNode(async (node) => {
      const asked: string[] = [];
      const address = await rpcThat(node.rpc, (method, result) => {
        asked.push(method);
        return result;
      });
      const comet = cometOf(address, "other-1");
      for (const ask of [() => comet.broadcast(new Uint8Array(9)), () => comet.head(1n), () => comet.status()]) {
        await expect(ask()).rejects.toMatchObject({
          code: "UPG_REMOTE_REFUSED",
          message: expect.stringMatching(/"scenario-1".*"other-1"/),
        });
      }
      expect(asked).toEqual(["status", "status", "status"]);
    }));

  test("another chain at the address of one that was gone for a while → UPG_REMOTE_REFUSED, nothing else is asked", () =>
    useTestNode(async (node) => {
      let network = CHAIN;
      const asked: string[] = [];
      const address = await rpcThat(node.rpc, (method, result) => {
        asked.push(method);
        return method === "status" ? { ...result, node_info: { ...(result["node_info"] as object), network } } : result;
      });
      const comet = cometOf(address);
      await comet.waiting();
      const [server] = servers.splice(0);
      server?.closeAllConnections();
      await new Promise((resolve) => server?.close(resolve));
      await expect(comet.waiting()).rejects.toMatchObject({ code: "UPG_REMOTE_UNAVAILABLE" });
      network = "other-1";
      servers.push(server as Server);
      await new Promise<void>((resolve) => server?.listen(Number(new URL(address).port), "127.0.0.1", resolve));
      asked.length = 0;
      await expect(comet.broadcast(new Uint8Array(9))).rejects.toMatchObject({ code: "UPG_REMOTE_REFUSED" });
      expect(asked).toEqual(["status"]);
    }));

  test("a page beyond all numbers → no hits and the total; a code of 32 bits → as it is", () =>
    useTestNode(async (node) => {
      const hash = await send(node);
      node.makeBlocks(1);
      const conditions = parseEventQuery("tx.height>0");
      const asked = { page: 2 ** 64, perPage: 100, isDescending: false };
      expect(await cometOf(node.rpc).searchTxs(conditions, asked)).toEqual({ hits: [], total: 1 });
      const address = await rpcThat(node.rpc, (method, result) =>
        method === "tx" ? { ...result, tx_result: { ...(result["tx_result"] as object), code: 2 ** 32 - 1 } } : result,
      );
      expect((await cometOf(address).tx(hash))?.result.code).toBe(2 ** 32 - 1);
    }));

  test.each<[string, (text: string) => string]>([
    ["another height", (text) => text.replace(/"height":"2"/g, '"height":"1"')],
    ["another app hash", (text) => text.replace(/"app_hash":"[0-9A-F]{4}/g, '"app_hash":"FFFF')],
    ["a hash that is no hex", (text) => text.replace(/"data_hash":"../g, '"data_hash":"zz')],
    ["no header", (text) => text.replace(/"header":/g, '"haeder":')],
    ["a number for a text", (text) => text.replace(/"chain_id":"[^"]*"/g, '"chain_id":5')],
    ["a signature of another form", (text) => text.replace(/"block_id_flag":2/g, '"block_id_flag":9')],
    ["a time that is none", (text) => text.replace(/"time":"20/g, '"time":"x')],
  ])("a block with %s → UPG_REMOTE_REFUSED naming what is wrong, or no such block", (_what, change) =>
    useTestNode(async (node) => {
      const address = await rpcThat(node.rpc, (method, result) =>
        method === "status" ? result : (JSON.parse(change(JSON.stringify(result))) as Result),
      );
      for (const ask of [() => cometOf(address).head(2n), () => cometOf(address).block(2n)]) {
        await expect(ask()).rejects.toMatchObject({
          code: expect.stringMatching(/UPG_REMOTE_REFUSED|UPG_NOT_FOUND_BLOCK/),
        });
      }
    }),
  );

  test("a transaction that is not the one of its hash → UPG_REMOTE_REFUSED", () =>
    useTestNode(async (node) => {
      const hash = await send(node);
      node.makeBlocks(1);
      const address = await rpcThat(node.rpc, (method, result) =>
        method === "tx" ? { ...result, tx: "AAAA" } : result,
      );
      await expect(cometOf(address).tx(hash)).rejects.toMatchObject({ code: "UPG_REMOTE_REFUSED" });
    }));

  const changed = (member: string, value: unknown) => (result: Result) =>
    "txs" in result
      ? { ...result, txs: (result["txs"] as Result[]).map((tx) => ({ ...tx, [member]: value })) }
      : { ...result, [member]: value };
  const outcome = (member: string, value: unknown) => (result: Result) => {
    const change = (tx: Result) => ({ ...tx, tx_result: { ...(tx["tx_result"] as Result), [member]: value } });
    return "txs" in result ? { ...result, txs: (result["txs"] as Result[]).map(change) } : change(result);
  };
  test("a transaction that is not what its block says, in each of these ways → UPG_REMOTE_REFUSED", () =>
    useTestNode(async (node) => {
      const hash = await send(node);
      node.makeBlocks(2);
      const wrong: readonly (readonly [string, string, (result: Result) => Result, boolean])[] = [
        ["at another height", "tx", changed("height", "2"), false],
        ["at another place of its block", "tx", changed("index", 1), false],
        ["without a proof", "tx", changed("proof", undefined), false],
        ["with another code, elsewhere", "tx", outcome("code", 5), true],
        ["with other gas, elsewhere", "tx", outcome("gas_used", "1"), true],
        ["with other data, elsewhere", "tx", outcome("data", "AAAA"), true],
        ["among other results, elsewhere", "block_results", (result) => ({ ...result, txs_results: null }), true],
        ["at another height, in a search elsewhere", "tx_search", changed("height", "2"), true],
        ["with another code, in a search elsewhere", "tx_search", outcome("code", 5), true],
      ];
      let change: (method: string, result: Result) => Result = (_, result) => result;
      const address = await rpcThat(node.rpc, (method, result) => change(method, result));
      const window = { page: 1, perPage: 10, isDescending: false };
      for (const [what, changedMethod, changeOne, isElsewhere] of wrong) {
        change = (method, result) => (method === changedMethod ? changeOne(result) : result);
        const comet = new CometRpc(address, CHAIN, sha256, { isElsewhere });
        const asked =
          changedMethod === "tx_search" ? comet.searchTxs(parseEventQuery("tx.height>0"), window) : comet.tx(hash);
        await expect(asked, what).rejects.toMatchObject({ code: "UPG_REMOTE_REFUSED" });
      }
    }));

  test("a transaction of the last block, elsewhere → found once the next header names its result; here at once", () =>
    useTestNode(async (node) => {
      const hash = await send(node);
      node.makeBlocks(1);
      const elsewhere = new CometRpc(node.rpc, CHAIN, sha256, { isElsewhere: true });
      const window = { page: 1, perPage: 10, isDescending: false };
      const search = async () => (await elsewhere.searchTxs(parseEventQuery("tx.height>0"), window)).hits;
      expect(await elsewhere.tx(hash)).toBeUndefined();
      expect(await search()).toEqual([]);
      const found = await cometOf(node.rpc).tx(hash);
      expect(found).toBeDefined();
      node.makeBlocks(1);
      expect(await elsewhere.tx(hash)).toEqual(found);
      expect(await search()).toEqual([found]);
    }));

  test.each<[string, (each: Result) => Result]>([
    ["with another power", (each) => ({ ...each, voting_power: "11" })],
    [
      "with another key",
      (each) => ({ ...each, pub_key: { type: "tendermint/PubKeyEd25519", value: `${"A".repeat(43)}=` } }),
    ],
  ])(
    "validators %s, of a block and of the next one → UPG_REMOTE_REFUSED; none at a height that is none",
    (_what, change) =>
      useTestNode(async (node) => {
        const address = await rpcThat(node.rpc, (method, result) =>
          method === "validators" ? { ...result, validators: (result["validators"] as Result[]).map(change) } : result,
        );
        for (const height of [1n, 2n, 3n]) {
          await expect(cometOf(address).validators(height)).rejects.toMatchObject({
            code: "UPG_REMOTE_REFUSED",
            message: expect.stringContaining("the hash of its validators"),
          });
          expect(await cometOf(node.rpc).validators(height)).toEqual(node.query.node.validatorsAt(height).validators);
        }
        await expect(cometOf(node.rpc).validators(4n)).rejects.toMatchObject({ code: "UPG_INVALID_HEIGHT" });
      }),
  );

  test("a header that names another state than this node has → UPG_REMOTE_REFUSED with both app hashes", () =>
    useTestNode(async (node) => {
      const own = new Uint8Array(32).fill(7);
      const appHashAfter = (height: bigint) => (height === 1n ? own : undefined);
      const comet = new CometRpc(node.rpc, CHAIN, sha256, { appHashAfter });
      expect((await comet.head(1n)).header.height).toBe(1n);
      for (const ask of [() => comet.head(2n), () => comet.block(2n)]) {
        await expect(ask()).rejects.toMatchObject({
          code: "UPG_REMOTE_REFUSED",
          message: expect.stringContaining(`this node has ${toHex(own)}`),
        });
      }
    }));

  test("nobody there, and one that is silent → UPG_REMOTE_UNAVAILABLE that names the flag; too many at once → UPG_REMOTE_BUSY", async () => {
    const server = createServer(() => undefined);
    servers.push(server);
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as AddressInfo;
    const silent = new CometRpc(`tcp://127.0.0.1:${port}`, CHAIN, sha256, { answerMillis: 100 });
    await expect(silent.status()).rejects.toMatchObject({
      code: "UPG_REMOTE_UNAVAILABLE",
      message: expect.stringContaining("--comet.rpc"),
    });
    const all = await Promise.allSettled(Array.from({ length: 200 }, () => silent.status()));
    const codes = all.map((each) => (each.status === "rejected" ? (each.reason as { code: string }).code : "none"));
    expect(codes.filter((code) => code === "UPG_REMOTE_BUSY")).toHaveLength(120);
    expect(codes.filter((code) => code === "UPG_REMOTE_UNAVAILABLE")).toHaveLength(80);
  });

  test("a text with a quote, which CometBFT's searches cannot say → UPG_INVALID_ARGUMENT", () =>
    useTestNode(async (node) => {
      const conditions = parseEventQuery(`a.b="it's"`);
      const asked = cometOf(node.rpc).searchTxs(conditions, { page: 1, perPage: 1, isDescending: false });
      await expect(asked).rejects.toMatchObject({ code: "UPG_INVALID_ARGUMENT" });
    }));
});
