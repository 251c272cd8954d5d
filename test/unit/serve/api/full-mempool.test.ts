/** A mempool at its bounds, through the servers that clients use: CometBFT's text and code, and room again after a block. */
import { SigningStargateClient } from "@cosmjs/stargate";
import { TxRaw } from "cosmjs-types/cosmos/tx/v1beta1/tx";
import { expect, test } from "vitest";
import { SIGNER, type TestNode, useTestNode, wallet } from "./test-node.js";

const OTHER = "cosmos1vx8knpllrj7n963p9ttd80w47kpacrhuts497x";

/** Transfers that follow each other, base64. */
async function transfers(node: TestNode, count: number): Promise<string[]> {
  const client = await SigningStargateClient.connectWithSigner(node.rpc, wallet);
  const value = { fromAddress: SIGNER, toAddress: OTHER, amount: [{ denom: "ustake", amount: "5" }] };
  const fee = { amount: [{ denom: "ustake", amount: "3" }], gas: "200000" };
  const txs: string[] = [];
  for (let sequence = 0; sequence < count; sequence++) {
    const signer = { accountNumber: 100n, sequence, chainId: "scenario-1" };
    const raw = await client.sign(SIGNER, [{ typeUrl: "/cosmos.bank.v1beta1.MsgSend", value }], fee, "", signer);
    txs.push(Buffer.from(TxRaw.encode(raw).finish()).toString("base64"));
  }
  client.disconnect();
  return txs;
}

async function rest(node: TestNode, tx: string, mode = "BROADCAST_MODE_SYNC") {
  const body = JSON.stringify({ tx_bytes: tx, mode });
  const response = await fetch(`${node.rest}/cosmos/tx/v1beta1/txs`, { method: "POST", body });
  return { status: response.status, json: await response.json() };
}

async function rpc(node: TestNode, method: string, tx: string) {
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params: { tx } });
  return (await fetch(node.rpc, { method: "POST", body })).json();
}

const failed = (data: string) => ({ error: { code: -32603, message: "Internal error", data } });
const BROADCASTS = ["broadcast_tx_sync", "broadcast_tx_async", "broadcast_tx_commit"];

test("a mempool with room for two → the third is refused in CometBFT's words at each server; a block makes room", () =>
  useTestNode(
    async (node) => {
      const [first = "", second = "", third = ""] = await transfers(node, 3);
      expect((await rest(node, first)).json.tx_response.code).toBe(0);
      expect((await rpc(node, "broadcast_tx_sync", second)).result.code).toBe(0);
      const bytes = Buffer.from(first, "base64").length + Buffer.from(second, "base64").length;
      const full = `mempool is full: number of txs 2 (max: 2), total txs bytes ${bytes} (max: 1073741824)`;
      for (const method of BROADCASTS) {
        expect(await rpc(node, method, third)).toMatchObject(failed(`${full} [UPG_TX_MEMPOOL_FULL]`));
      }
      for (const mode of ["BROADCAST_MODE_SYNC", "BROADCAST_MODE_ASYNC"]) {
        const { status, json } = await rest(node, third, mode);
        expect({ status, ...json.tx_response }).toMatchObject({ status: 200, code: 20, codespace: "sdk", height: "0" });
        expect(json.tx_response.txhash).toMatch(/^[0-9A-F]{64}$/);
      }
      expect((await rpc(node, "num_unconfirmed_txs", "")).result).toMatchObject({ n_txs: "2", total: "2" });
      node.makeBlocks(1);
      expect(node.node.lastBlock?.txCount).toBe(2);
      expect((await rest(node, third)).json.tx_response.code).toBe(0);
      expect(node.bugs).toEqual([]);
    },
    { mempool: { count: 2 } },
  ));

test("bounds of bytes, of all and of one → full, code 20; too large, code 21, in that order", () =>
  useTestNode(
    async (node) => {
      const [first = ""] = await transfers(node, 1);
      const large = Buffer.alloc(1_001).toString("base64");
      expect((await rest(node, large)).json.tx_response).toMatchObject({ code: 21, codespace: "sdk" });
      expect(await rpc(node, "broadcast_tx_sync", large)).toMatchObject(
        failed("Tx too large. Max size is 1000, but got 1001 [UPG_TX_TOO_LARGE]"),
      );
      const beyond = Buffer.alloc(2_001).toString("base64");
      expect((await rest(node, beyond)).json.tx_response).toMatchObject({ code: 20, codespace: "sdk" });
      expect(await rpc(node, "broadcast_tx_sync", beyond)).toMatchObject(
        failed("mempool is full: number of txs 0 (max: 5000), total txs bytes 0 (max: 2000) [UPG_TX_MEMPOOL_FULL]"),
      );
      expect((await rest(node, first)).json.tx_response.code).toBe(0);
    },
    { mempool: { bytes: 2_000, txBytes: 1_000 } },
  ));
