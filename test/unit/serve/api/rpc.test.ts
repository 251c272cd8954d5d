/** CometBFT-style RPC, by CometBFT's own clients and by hand. */
import { iavlSpec, ics23, tendermintSpec, verifyMembership, verifyNonMembership } from "@confio/ics23";
import { GasPrice, SigningStargateClient } from "@cosmjs/stargate";
import { Comet38Client, WebsocketClient } from "@cosmjs/tendermint-rpc";
import { TxRaw } from "cosmjs-types/cosmos/tx/v1beta1/tx";
import { describe, expect, test } from "vitest";
import { WebSocket } from "ws";
import { fromHex, toHex, utf8 } from "../../../../host/base/text/bytes.js";
import { SIGNER, type TestNode, useTestNode, wallet } from "./test-node.js";

const OTHER = "cosmos1vx8knpllrj7n963p9ttd80w47kpacrhuts497x";

async function post(node: TestNode, body: unknown): Promise<{ status: number; json: unknown }> {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  const response = await fetch(node.rpc, { method: "POST", body: text });
  const answer = await response.text();
  return { status: response.status, json: answer === "" ? {} : JSON.parse(answer) };
}

const call = (method: string, params: unknown = {}, id: unknown = 1) => ({ jsonrpc: "2.0", id, method, params });

async function withSigner(node: TestNode, use: (client: SigningStargateClient) => Promise<void>): Promise<void> {
  const options = { gasPrice: GasPrice.fromString("0ustake"), broadcastPollIntervalMs: 20 };
  const client = await SigningStargateClient.connectWithSigner(node.rpc, wallet, options);
  try {
    await use(client);
  } finally {
    client.disconnect();
  }
}

/** Signs a transfer of `amount`, hands it in, and makes blocks until it is found. */
async function send(node: TestNode, client: SigningStargateClient, amount: string) {
  const blocks = setInterval(() => node.node.mempool.count > 0 && node.makeBlocks(1), 5);
  try {
    return await client.sendTokens(SIGNER, OTHER, [{ denom: "ustake", amount }], "auto", "<memo>");
  } finally {
    clearInterval(blocks);
  }
}

describe("RPC, stock CosmJS", () => {
  test("connect, ask, send, find again → every part of the transaction under its height", () =>
    useTestNode(async (node) => {
      await withSigner(node, async (client) => {
        expect(await client.getChainId()).toBe("scenario-1");
        expect(await client.getHeight()).toBe(2);
        expect(await client.getAccount(SIGNER)).toMatchObject({ accountNumber: 100n, sequence: 0 });
        expect(await client.getAccount(OTHER)).toBeNull();
        expect(await client.getBalance(SIGNER, "ustake")).toEqual({ denom: "ustake", amount: "1000000000" });
        const sent = await send(node, client, "7");
        expect(sent).toMatchObject({ code: 0, height: 3, txIndex: 0 });
        expect(await client.getBalance(OTHER, "ustake")).toEqual({ denom: "ustake", amount: "7" });
        expect(await client.getSequence(SIGNER)).toEqual({ accountNumber: 100n, sequence: 1 });
        const found = await client.searchTx([{ key: "message.sender", value: SIGNER }]);
        expect(found.map(({ hash }) => hash)).toEqual([sent.transactionHash]);
        expect(await client.searchTx([{ key: "message.sender", value: OTHER }])).toEqual([]);
        expect((await client.getBlock(3)).txs.length).toBe(1);
        const broke = await client
          .sendTokens(SIGNER, OTHER, [{ denom: "ustake", amount: "9" }], {
            amount: [{ denom: "ustake", amount: "9".repeat(30) }],
            gas: "200000",
          })
          .catch((error: unknown) => String(error));
        expect(broke).toContain("insufficient funds");
      });
      expect(node.bugs).toEqual([]);
    }));

  test("every method that CosmJS has → decoded without complaint", () =>
    useTestNode(async (node) => {
      await withSigner(node, async (client) => {
        const { height, transactionHash } = await send(node, client, "7");
        const comet = await Comet38Client.connect(node.rpc);
        expect((await comet.status()).nodeInfo).toMatchObject({ network: "scenario-1", version: "0.38.25" });
        expect((await comet.block(height)).block.header.height).toBe(height);
        const results = await comet.blockResults(height);
        expect(results.results[0]).toMatchObject({ code: 0 });
        expect(results.results[0]?.events.length).toBeGreaterThan(2);
        expect((await comet.blockResults(1)).results).toEqual([]);
        expect((await comet.blockchain()).blockMetas.map((meta) => meta.header.height)).toEqual([3, 2, 1]);
        expect((await comet.blockchain(2, 2)).blockMetas.map((meta) => meta.header.height)).toEqual([2]);
        expect((await comet.commit(2)).canonical).toBe(true);
        expect((await comet.commit(3)).canonical).toBe(false);
        expect((await comet.validatorsAll(height)).total).toBe(1);
        expect((await comet.abciInfo()).lastBlockHeight).toBe(3);
        expect((await comet.genesis()).chainId).toBe("scenario-1");
        expect(await comet.health()).toBeNull();
        const tx = await comet.tx({ hash: fromHex(transactionHash), prove: true });
        expect(tx).toMatchObject({ height, index: 0 });
        expect(tx.proof?.data).toEqual(tx.tx);
        expect((await comet.txSearchAll({ query: `tx.height=${height}` })).totalCount).toBe(1);
        expect((await comet.txSearchAll({ query: "tx.height>3" })).totalCount).toBe(0);
        expect((await comet.blockSearchAll({ query: "block.height>=2" })).totalCount).toBe(2);
        expect((await comet.numUnconfirmedTxs()).total).toBe(0);
        comet.disconnect();
      });
    }));

  test("subscribe → blocks, headers and transactions as they are made, and none after unsubscribing", () =>
    useTestNode(async (node) => {
      const rpc = new WebsocketClient(node.rpc.replace("http", "ws"));
      const comet = await Comet38Client.create(rpc);
      const heard: string[] = [];
      const streams = [
        comet.subscribeNewBlock().subscribe({ next: (event) => heard.push(`block ${event.header.height}`) }),
        comet.subscribeNewBlockHeader().subscribe({ next: (event) => heard.push(`header ${event.height}`) }),
        comet.subscribeTx().subscribe({ next: (event) => heard.push(`tx ${event.height} ${event.result.code}`) }),
        comet.subscribeTx("message.sender='nobody'").subscribe({ next: () => heard.push("a stranger's") }),
      ];
      await comet.status();
      await withSigner(node, async (client) => {
        await send(node, client, "1");
      });
      node.makeBlocks(1);
      await comet.status();
      expect([...heard].sort()).toEqual(["block 3", "block 4", "header 3", "header 4", "tx 3 0"]);
      for (const stream of streams) stream.unsubscribe();
      await comet.status();
      node.makeBlocks(1);
      await comet.status();
      expect(heard.length).toBe(5);
      comet.disconnect();
    }));

  test("a plan and its proof → verified by ics23 up to the app hash in the next header", () =>
    useTestNode(async (node) => {
      node.schedule("v2", 50n);
      node.makeBlocks(2);
      const comet = await Comet38Client.connect(node.rpc);
      const key = Uint8Array.of(0);
      for (const [asked, isThere] of [
        [key, true],
        [utf8("absent"), false],
      ] as const) {
        const answer = await comet.abciQuery({ path: "/store/upgrade/key", data: asked, prove: true });
        const height = answer.height ?? 0;
        const { appHash } = (await comet.block(height + 1)).block.header;
        const [inStore, inApp] = (answer.proof?.ops ?? []).map(({ data }) => ics23.CommitmentProof.decode(data));
        if (!inStore || !inApp) throw new Error("the answer has no proof");
        const root = inApp.exist?.value ?? new Uint8Array();
        expect(verifyMembership(inApp, tendermintSpec, appHash, utf8("upgrade"), root)).toBe(true);
        const verified = isThere
          ? verifyMembership(inStore, iavlSpec, root, asked, answer.value)
          : verifyNonMembership(inStore, iavlSpec, root, asked);
        expect(verified).toBe(true);
        expect(answer.value.length > 0).toBe(isThere);
      }
      comet.disconnect();
    }));
});

describe("RPC, by hand", () => {
  test("wrong calls → JSON-RPC errors, 200 on POST, 4xx and 5xx in an address", () =>
    useTestNode(async (node) => {
      expect((await post(node, call("nope"))).json).toMatchObject({ error: { code: -32_601 } });
      expect((await post(node, call("nope"))).status).toBe(200);
      expect((await post(node, call("block", { height: "abc" }))).json).toMatchObject({ error: { code: -32_602 } });
      expect((await post(node, call("block", { height: "999" }))).json).toMatchObject({
        id: 1,
        error: { code: -32_603, message: "Internal error", data: expect.stringContaining("UPG_INVALID_HEIGHT") },
      });
      expect((await post(node, call("block", { height: 0 }))).json).toMatchObject({ error: {} });
      expect((await post(node, call("block", ["1", "2"]))).json).toMatchObject({ error: { code: -32_602 } });
      expect((await post(node, "nope")).json).toMatchObject({ id: -1, error: { code: -32_700 } });
      for (const body of ["1", "null", '"x"', '{"id":1}', '{"id":{},"method":"health"}']) {
        expect((await post(node, body)).json, body).toMatchObject({ id: -1, error: { code: -32_600 } });
      }
      expect((await post(node, { jsonrpc: "2.0", method: "health" })).json).toEqual({});
      const batch = await post(node, [call("health", {}, "a"), call("nope", {}, "b"), { method: "health" }]);
      expect(batch.json).toMatchObject([
        { id: "a", result: {} },
        { id: "b", error: { code: -32_601 } },
      ]);
      expect((await post(node, "x".repeat(10 * 1_048_576))).status).toBe(413);
      const get = async (path: string) => {
        const response = await fetch(`${node.rpc}${path}`);
        return { status: response.status, text: await response.text() };
      };
      expect((await get("/nope")).status).toBe(404);
      expect((await get("/block?height=999")).status).toBe(500);
      expect((await get("/block?height=%22x%22")).status).toBe(500);
      expect((await get("/")).text).toContain("/abci_query?path=_&data=_&height=_&prove=_");
      expect((await fetch(node.rpc, { method: "DELETE" })).status).toBe(405);
      expect(JSON.parse((await get("/block?height=2")).text).result.block.header.height).toBe("2");
      expect(JSON.parse((await get('/abci_query?path="/store/upgrade/key"&data=0x00')).text)).toMatchObject({
        result: { response: { code: 0, value: null, height: "1" } },
      });
      expect(node.bugs).toEqual([]);
    }));

  test("abci_query → what is wrong is in the answer, in the words that clients look for", () =>
    useTestNode(async (node) => {
      const ask = async (params: object) => {
        const { json } = await post(node, call("abci_query", params));
        return (json as { result: { response: Record<string, unknown> } }).result.response;
      };
      expect(await ask({ path: "/nope", data: "" })).toMatchObject({ code: 6, codespace: "sdk" });
      expect(await ask({ path: "/store/nope/key", data: "00" })).toMatchObject({ code: 22, codespace: "sdk" });
      const account = toHex(Uint8Array.of(10, OTHER.length, ...utf8(OTHER)));
      const missing = await ask({ path: "/cosmos.auth.v1beta1.Query/Account", data: account });
      expect(missing).toMatchObject({ code: 22, info: "x-error-code: UPG_NOT_FOUND_ACCOUNT" });
      expect(missing["log"]).toMatch(/^rpc error: code = NotFound desc = account cosmos1.* not found: key not found$/);
      const garbage = await ask({ path: "/cosmos.auth.v1beta1.Query/Account", data: "ff" });
      expect(garbage).toMatchObject({ code: 18 });
      expect(garbage["log"]).toMatch(/^rpc error: code = InvalidArgument desc = /);
      expect(await ask({ path: "/cosmos.upgrade.v1beta1.Query/CurrentPlan", data: "", height: "99" })).toMatchObject({
        code: 26,
      });
      expect(await ask({ path: "/store/upgrade/key", data: "00", height: "1", prove: true })).toMatchObject({
        code: 18,
      });
      const plan = await ask({ path: "/chain.upgrade.v1beta1.Query/CurrentPlan", data: "" });
      expect(plan).toMatchObject({ code: 0, height: "2" });
    }));

  test("broadcast: garbage, twice, too large, full → CometBFT's words, nothing kept that is not good", () =>
    useTestNode(async (node) => {
      const tx = (bytes: Uint8Array) => ({ tx: Buffer.from(bytes).toString("base64") });
      const garbage = await post(node, call("broadcast_tx_sync", tx(Uint8Array.of(1, 2, 3))));
      expect(garbage.json).toMatchObject({ result: { code: 2, codespace: "sdk", data: "" } });
      expect((await post(node, call("broadcast_tx_sync", { tx: "" }))).json).toMatchObject({
        error: { code: -32_602 },
      });
      const large = await post(node, call("broadcast_tx_sync", tx(new Uint8Array(700_000))));
      expect(large.json).toMatchObject({ result: { code: 2 } });
      await withSigner(node, async (client) => {
        const fee = { amount: [], gas: "200000" };
        const message = {
          typeUrl: "/cosmos.bank.v1beta1.MsgSend",
          value: { fromAddress: SIGNER, toAddress: OTHER, amount: [{ denom: "ustake", amount: "1" }] },
        };
        const { bodyBytes, authInfoBytes, signatures } = await client.sign(SIGNER, [message], fee, "");
        const bytes = TxRaw.encode({ bodyBytes, authInfoBytes, signatures }).finish();
        const first = await post(node, call("broadcast_tx_async", tx(bytes)));
        expect(first.json).toMatchObject({ result: { code: 0, hash: expect.stringMatching(/^[0-9A-F]{64}$/) } });
        for (const method of ["broadcast_tx_sync", "broadcast_tx_async", "broadcast_tx_commit"]) {
          const again = await post(node, call(method, tx(bytes)));
          expect(again.json).toMatchObject({ error: { data: expect.stringContaining("tx already exists in cache") } });
        }
        const waiting = await post(node, call("unconfirmed_txs"));
        expect(waiting.json).toMatchObject({ result: { n_txs: "1", total: "1", txs: [tx(bytes).tx] } });
        node.makeBlocks(1);
        expect(node.node.mempool.count).toBe(0);
        const after = await post(node, call("broadcast_tx_sync", tx(bytes)));
        expect(after.json).toMatchObject({ error: { data: expect.stringContaining("tx already exists in cache") } });
      });
    }));

  test("websocket: wrong messages, too many subscriptions, other paths → refused, and the others go on", () =>
    useTestNode(async (node) => {
      const socket = new WebSocket(`${node.rpc.replace("http", "ws")}/websocket`);
      await new Promise((resolve) => socket.once("open", resolve));
      const ask = (message: string) =>
        new Promise<unknown>((resolve) => {
          socket.once("message", (data) => resolve(JSON.parse(String(data))));
          socket.send(message);
        });
      expect(await ask("nope")).toMatchObject({ error: { code: -32_700 } });
      expect(await ask("[]")).toMatchObject({ error: {} });
      const subscribe = (query: string) => ask(JSON.stringify(call("subscribe", { query }, query)));
      expect(await subscribe("tm.event=")).toMatchObject({ error: { code: -32_602 } });
      for (const query of ["tm.event='Tx' AND tx.height>3abc", "tx.height<1e3", "tx.height>=0&page=5"]) {
        expect(await subscribe(query)).toMatchObject({
          error: { data: expect.stringContaining("failed to parse query") },
        });
      }
      expect(await subscribe("tm.event='NewBlock'")).toEqual({ jsonrpc: "2.0", id: "tm.event='NewBlock'", result: {} });
      expect(await subscribe("tm.event='NewBlock'")).toMatchObject({
        error: { data: expect.stringContaining("already") },
      });
      for (let index = 0; index < 15; index++) await subscribe(`tx.height=${index + 1_000}`);
      expect(await subscribe("tx.height=1")).toMatchObject({ error: {} });
      expect(await ask(JSON.stringify(call("unsubscribe_all")))).toMatchObject({ result: {} });
      expect(await ask(JSON.stringify(call("status")))).toMatchObject({ result: { sync_info: {} } });
      socket.close();
      const other = new WebSocket(`${node.rpc.replace("http", "ws")}/nope`);
      const refused = await new Promise((resolve) => other.once("error", (error) => resolve(error.message)));
      expect(refused).toContain("404");
    }));
});
