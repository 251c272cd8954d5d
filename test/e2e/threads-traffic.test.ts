/** Transactions and subscriptions across the border of the two threads, while blocks are made. */
import { readFileSync } from "node:fs";
import { Comet38Client } from "@cosmjs/tendermint-rpc";
import { afterEach, expect, test, vi } from "vitest";
import { Payer } from "../scenario/payer.js";
import { type Running, TestHome } from "./chaind.js";

vi.setConfig({ testTimeout: 120_000 });

const PAYER = new Payer("traffic");
const SENDS = 200;
const PORTS = ["--rpc.enable=true", "--rpc.laddr", "tcp://127.0.0.1:0"];
const nodes: Running[] = [];

afterEach(async () => {
  for (const { child, end } of nodes.splice(0)) {
    child.kill("SIGTERM");
    expect((await end).exit).toBe(0);
  }
});

async function node(): Promise<string> {
  const home = new TestHome(PAYER.genesis());
  const running = home.startSlowly("--app-version", "1", ...PORTS);
  nodes.push(running);
  await running.says("servers open");
  await running.says("block made");
  const { rpc } = JSON.parse(readFileSync(home.data("addresses.json"), "utf8")) as { rpc: string };
  return rpc.replace("tcp://", "");
}

test(`${SENDS} transfers in a burst while blocks are made → each is in exactly one block, in order`, async () => {
  const client = await Comet38Client.connect(`http://${await node()}`);
  const txs = Array.from({ length: SENDS }, (_, sequence) => PAYER.transfer(sequence));
  for (const tx of txs) expect((await client.broadcastTxSync({ tx })).code).toBe(0);
  const found: string[] = [];
  let blocks = 0;
  for (let height = 1; found.length < SENDS || (await client.numUnconfirmedTxs()).total > 0; height++) {
    while ((await client.status()).syncInfo.latestBlockHeight < height);
    const { block } = await client.block(height);
    const results = await client.blockResults(height);
    expect(results.results.every(({ code }) => code === 0)).toBe(true);
    if (block.txs.length > 0) blocks++;
    found.push(...block.txs.map((tx) => Buffer.from(tx).toString("hex")));
  }
  expect(found).toEqual(txs.map((tx) => Buffer.from(tx).toString("hex")));
  expect(blocks).toBeGreaterThan(1);
});

test("broadcast_tx_commit → the block and the result of the transaction; the same again → refused", async () => {
  const client = await Comet38Client.connect(`http://${await node()}`);
  const { height, checkTx, txResult } = await client.broadcastTxCommit({ tx: PAYER.transfer(0) });
  expect({ check: checkTx.code, deliver: txResult?.code }).toEqual({ check: 0, deliver: 0 });
  expect((await client.block(height)).block.txs).toEqual([PAYER.transfer(0)]);
  await expect(client.broadcastTxCommit({ tx: PAYER.transfer(0) })).rejects.toThrow("tx already exists in cache");
});

test("a websocket subscribed to blocks and to transactions → every block in order, and the transaction with its height", async () => {
  const client = await Comet38Client.connect(`ws://${await node()}`);
  const heights: number[] = [];
  const txHeights: number[] = [];
  const blocks = client.subscribeNewBlockHeader().subscribe({ next: ({ height }) => heights.push(height) });
  const txs = client.subscribeTx().subscribe({ next: ({ height }) => txHeights.push(height) });
  await expect.poll(() => heights.length, { timeout: 60_000 }).toBeGreaterThan(3);
  const { height } = await client.broadcastTxCommit({ tx: PAYER.transfer(0) });
  await expect.poll(() => txHeights, { timeout: 60_000 }).toEqual([height]);
  await expect.poll(() => heights.at(-1), { timeout: 60_000 }).toBeGreaterThan(height);
  const [first = 0] = heights;
  expect(heights).toEqual(heights.map((_, index) => first + index));
  blocks.unsubscribe();
  txs.unsubscribe();
  client.disconnect();
});
