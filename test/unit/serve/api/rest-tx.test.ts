/** A transaction by REST alone: simulated, handed in, found again, as wallets and explorers do it. */
import { create, toBinary } from "@bufbuild/protobuf";
import { ConnectError, createClient } from "@connectrpc/connect";
import { createGrpcWebTransport } from "@connectrpc/connect-web";
import { SigningStargateClient } from "@cosmjs/stargate";
import { TxRaw } from "cosmjs-types/cosmos/tx/v1beta1/tx";
import { expect, test } from "vitest";
import { Service, SimulateRequestSchema } from "../../../../host/base/gen/cosmos/tx/v1beta1/service_pb.js";
import { GrpcClient } from "../../../../host/node/remote/grpc.js";
import { SIGNER, type TestNode, useTestNode, wallet } from "./test-node.js";

const OTHER = "cosmos1vx8knpllrj7n963p9ttd80w47kpacrhuts497x";
const TXS = "/cosmos/tx/v1beta1/txs";

async function signed(node: TestNode): Promise<string> {
  const client = await SigningStargateClient.connectWithSigner(node.rpc, wallet);
  const value = { fromAddress: SIGNER, toAddress: OTHER, amount: [{ denom: "ustake", amount: "5" }] };
  const fee = { amount: [{ denom: "ustake", amount: "3" }], gas: "200000" };
  const raw = await client.sign(SIGNER, [{ typeUrl: "/cosmos.bank.v1beta1.MsgSend", value }], fee, "a <memo>");
  client.disconnect();
  return Buffer.from(TxRaw.encode(raw).finish()).toString("base64");
}

async function ask(node: TestNode, path: string, body?: object) {
  const init = body ? { method: "POST", body: JSON.stringify(body) } : {};
  const response = await fetch(`${node.rest}${path}`, init);
  const text = await response.text();
  return { status: response.status, text, json: JSON.parse(text) };
}

test("simulate, broadcast, get, search, block → the Cosmos SDK's bodies with every message opened up", () =>
  useTestNode(async (node) => {
    const tx = await signed(node);
    const simulated = await ask(node, "/cosmos/tx/v1beta1/simulate", { tx_bytes: tx });
    expect(simulated.status, simulated.text).toBe(200);
    expect(Number(simulated.json.gas_info.gas_used)).toBeGreaterThan(10_000);
    expect(simulated.json.result.msg_responses).toEqual([{ "@type": "/cosmos.bank.v1beta1.MsgSendResponse" }]);
    const wrongMode = await ask(node, TXS, { tx_bytes: tx, mode: "BROADCAST_MODE_BLOCK" });
    expect(wrongMode.status).toBe(400);
    const sent = await ask(node, TXS, { tx_bytes: tx, mode: "BROADCAST_MODE_SYNC" });
    expect(sent.json.tx_response).toMatchObject({ code: 0, height: "0", tx: null });
    const { txhash } = sent.json.tx_response;
    const again = await ask(node, TXS, { tx_bytes: tx, mode: "BROADCAST_MODE_SYNC" });
    expect(again).toMatchObject({ status: 200, json: { tx_response: { code: 19, codespace: "sdk", txhash } } });
    expect((await ask(node, `${TXS}/${txhash}`)).status).toBe(404);
    node.makeBlocks(1);
    const found = await ask(node, `${TXS}/${txhash}`);
    expect(found.status, found.text).toBe(200);
    const message = { "@type": "/cosmos.bank.v1beta1.MsgSend", from_address: SIGNER, to_address: OTHER };
    expect(found.json.tx.body.messages).toMatchObject([{ ...message, amount: [{ denom: "ustake", amount: "5" }] }]);
    expect(found.text).toContain('"memo":"a \\u003cmemo\\u003e"');
    expect(found.json.tx.auth_info.signer_infos).toMatchObject([
      {
        public_key: { "@type": "/cosmos.crypto.secp256k1.PubKey" },
        mode_info: { single: { mode: "SIGN_MODE_DIRECT" } },
      },
    ]);
    expect(found.json.tx_response).toMatchObject({ height: "3", code: 0, gas_wanted: "200000", txhash });
    expect(found.json.tx_response.tx).toEqual({ "@type": "/cosmos.tx.v1beta1.Tx", ...found.json.tx });
    // The block's time, five seconds a block from genesis.
    expect(found.json.tx_response.timestamp).toBe("2026-01-01T00:00:10Z");
    const query = encodeURIComponent(`transfer.recipient='${OTHER}' AND tx.height=3`);
    const searched = await ask(node, `${TXS}?query=${query}`);
    expect(searched.json.total).toBe("1");
    expect(searched.json.tx_responses).toEqual([found.json.tx_response]);
    const old = await ask(node, `${TXS}?events=${encodeURIComponent("tx.height=3")}&order_by=ORDER_BY_DESC`);
    expect(old.json.txs).toEqual([found.json.tx]);
    const block = await ask(node, `${TXS}/block/3`);
    expect(block.json.txs).toEqual([found.json.tx]);
    expect(block.json.block.data.txs).toEqual([tx]);
    const account = await ask(node, `/cosmos/auth/v1beta1/accounts/${SIGNER}`);
    expect(account.json.account).toMatchObject({
      sequence: "1",
      pub_key: { "@type": "/cosmos.crypto.secp256k1.PubKey" },
    });
    const before = await fetch(`${node.rest}/cosmos/bank/v1beta1/balances/${OTHER}`, {
      headers: { "x-cosmos-block-height": "2" },
    });
    expect(await before.json()).toMatchObject({ balances: [] });
    expect((await ask(node, `/cosmos/bank/v1beta1/balances/${OTHER}`)).json.balances).toEqual([
      { denom: "ustake", amount: "5" },
    ]);
    expect(node.bugs).toEqual([]);
  }));

test("simulate when the next block applies an upgrade → 503, REST and gRPC alike: the same one may be tried again", () =>
  useTestNode(async (node) => {
    const tx = await signed(node);
    node.schedule("v2", 4n);
    const { status, json, text } = await ask(node, "/cosmos/tx/v1beta1/simulate", { tx_bytes: tx });
    expect([status, json.code], text).toEqual([503, 14]);
    expect(json.message).toContain("applies an upgrade and runs no transaction; send it again");
    // Another failure is the transaction's own.
    const failed = await ask(node, "/cosmos/tx/v1beta1/simulate", { tx_bytes: "AAAA" });
    expect(failed.status).not.toBe(200);
    expect(node.bugs).toEqual([]);
  }));

test("simulate of a transaction that fails → its codespace and code, by REST, gRPC and gRPC-Web alike", () =>
  useTestNode(async (node) => {
    const body = JSON.stringify({ tx_bytes: "AAAA" });
    const failed = await fetch(`${node.rest}/cosmos/tx/v1beta1/simulate`, { method: "POST", body });
    const header = (name: string) => failed.headers.get(name);
    expect([header("x-error-code"), header("x-tx-codespace"), header("x-tx-code")]).toEqual([
      "UPG_TX_FAILED",
      "sdk",
      "2",
    ]);
    const byWeb = createClient(Service, createGrpcWebTransport({ baseUrl: node.rest }));
    const webFailure = await byWeb.simulate({ txBytes: new Uint8Array(3) }).catch(ConnectError.from);
    const metadata = (webFailure as ConnectError).metadata;
    expect([metadata.get("x-tx-codespace"), metadata.get("x-tx-code")]).toEqual(["sdk", "2"]);
    const bytes = toBinary(SimulateRequestSchema, create(SimulateRequestSchema, { txBytes: new Uint8Array(3) }));
    const client = new GrpcClient(node.grpc, { isInsecure: true });
    await expect(client.unary("/cosmos.tx.v1beta1.Service/Simulate", bytes, 0n)).rejects.toMatchObject({
      code: "UPG_TX_FAILED",
      details: { tx_codespace: "sdk", tx_code: "2" },
    });
    // No other error has them.
    const other = await fetch(`${node.rest}/cosmos/bank/v1beta1/balances/x`);
    expect(other.headers.get("x-tx-code")).toBeNull();
    expect(node.bugs).toEqual([]);
  }));
