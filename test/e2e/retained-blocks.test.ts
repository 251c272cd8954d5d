/** A node that prunes its blocks: what each of its servers says of those that are gone, and kills while it prunes. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { SigningStargateClient } from "@cosmjs/stargate";
import { TxRaw } from "cosmjs-types/cosmos/tx/v1beta1/tx";
import { expect, test } from "vitest";
import { sha256 } from "../../host/base/native/sha256.js";
import { writeSetting } from "../../host/base/terminal/config-edit.js";
import { toHex } from "../../host/base/text/bytes.js";
import { verifyHome } from "../../host/cli/offline/verify.js";
import { BlockStore } from "../../host/node/blocks/block-store.js";
import { Home } from "../../host/node/home/home.js";
import { LmdbFileDatabase } from "../../host/state/store/disk/lmdb-file-database.js";
import { bundleWorker } from "../sim/worker-process.js";
import { ReflectedClient } from "../unit/serve/api/reflected-client.js";
import { fundedGenesis, SIGNER, wallet } from "../unit/serve/api/test-node.js";
import { DIST, NO_SERVERS, run, TestHome } from "./chaind.js";
import { makeBlocksUpTo, withNode } from "./prepared-home.js";

const RETAIN = ["--min-retain-blocks", "5"];
const LAST = 106n;
const OLD = ["--app-version", "1"];
const ANY_PORT = [
  "--rpc.laddr",
  "tcp://127.0.0.1:0",
  "--grpc.address",
  "127.0.0.1:0",
  "--api.address",
  "tcp://127.0.0.1:0",
];
const SERVERS = [...ANY_PORT, ...OLD, "--block-time", "1h", "--log_format", "json"];
const GONE = "height 1 is not available, lowest height is";

interface Addresses {
  readonly rpc: string;
  readonly grpc: string;
  readonly api: string;
}

// biome-ignore lint/suspicious/noExplicitAny: answers are JSON of many shapes.
type Json = any;

/** A chain of 106 blocks; the third has a transaction. */
async function begun(): Promise<{ readonly home: TestHome; readonly hash: string }> {
  const home = new TestHome(fundedGenesis());
  const client = await SigningStargateClient.offline(wallet);
  const value = { fromAddress: SIGNER, toAddress: SIGNER, amount: [{ denom: "ustake", amount: "1" }] };
  const message = { typeUrl: "/cosmos.bank.v1beta1.MsgSend", value };
  const signer = { accountNumber: 100n, sequence: 0, chainId: "scenario-1" };
  const raw = await client.sign(SIGNER, [message], { amount: [], gas: "200000" }, "", signer);
  const bytes = TxRaw.encode(raw).finish();
  withNode({ path: home.path, handlers: join(DIST, "handlers"), appVersion: 1n }, (node) => {
    makeBlocksUpTo(node, 2n);
    expect(node.mempool.add(bytes).code).toBe(0);
    makeBlocksUpTo(node, LAST);
  });
  return { home, hash: toHex(sha256(bytes)) };
}

/** One block, and then none for an hour. */
async function withServers(
  home: TestHome,
  args: readonly string[],
  use: (at: Addresses) => Promise<void>,
): Promise<void> {
  const node = run(join(DIST, "chaind.js"), ["start", "--home", home.path, ...SERVERS, ...args]);
  try {
    await node.says("block made");
    await use(JSON.parse(readFileSync(home.data("addresses.json"), "utf8")) as Addresses);
  } finally {
    node.child.kill("SIGTERM");
    expect((await node.end).exit).toBe(0);
  }
}

function edges({ path }: TestHome): { readonly lowest: bigint | undefined; readonly last: bigint | undefined } {
  const database = LmdbFileDatabase.open(new Home(path).databaseFile);
  const blocks = new BlockStore(database);
  const found = { lowest: blocks.lowest(), last: blocks.highest() };
  database.close();
  return found;
}

const get = async (url: string): Promise<Json> => (await fetch(url)).json();

async function checkRpc(rpc: string, lowest: bigint, hash: string): Promise<void> {
  const url = rpc.replace("tcp:", "http:");
  const { sync_info, node_info } = (await get(`${url}/status`)).result;
  expect(sync_info.earliest_block_height).toBe(String(lowest));
  expect(node_info.other.tx_index).toBe("on");
  for (const method of ["block", "block_results", "commit", "header", "validators", "consensus_params"]) {
    expect((await get(`${url}/${method}?height=1`)).error.data, method).toContain(`${GONE} ${lowest}`);
    expect((await get(`${url}/${method}?height=${lowest}`)).error, method).toBeUndefined();
  }
  const { block_metas: metas } = (await get(`${url}/blockchain?minHeight=1&maxHeight=${lowest + 2n}`)).result;
  expect(metas.map(({ header }: Json) => BigInt(header.height))).toEqual([lowest + 2n, lowest + 1n, lowest]);
  expect((await get(`${url}/blockchain?minHeight=1&maxHeight=3`)).result.block_metas).toEqual([]);
  expect((await get(`${url}/tx?hash=0x${hash}`)).error.data).toContain("not found");
  expect((await get(`${url}/tx_search?query="tx.height>0"`)).result.total_count).toBe("0");
  expect((await get(`${url}/tx_search?query="message.module='bank'"`)).result.total_count).toBe("0");
  const { blocks, total_count } = (await get(`${url}/block_search?query="block.height>0"&order_by="asc"`)).result;
  expect(blocks[0].block.header.height).toBe(String(lowest));
  expect(BigInt(total_count)).toBe(BigInt(sync_info.latest_block_height) - lowest + 1n);
}

async function checkRest(api: string, lowest: bigint, hash: string): Promise<void> {
  const url = api.replace("tcp:", "http:");
  const gone = await fetch(`${url}/cosmos/base/tendermint/v1beta1/blocks/1`);
  expect([gone.status, gone.headers.get("x-error-code")]).toEqual([404, "UPG_NOT_FOUND_BLOCK"]);
  expect(((await gone.json()) as Json).message).toContain(`${GONE} ${lowest}`);
  expect((await fetch(`${url}/cosmos/base/tendermint/v1beta1/blocks/${lowest}`)).status).toBe(200);
  expect((await fetch(`${url}/cosmos/tx/v1beta1/txs/${hash}`)).status).toBe(404);
  expect((await fetch(`${url}/cosmos/tx/v1beta1/txs/block/1`)).status).toBe(404);
  expect((await get(`${url}/cosmos/tx/v1beta1/txs?query=message.module='bank'`)).total).toBe("0");
  // State is kept for longer than blocks: what needs the time of its block has it.
  const headers = { "x-cosmos-block-height": String(lowest - 10n) };
  const spendable = await fetch(`${url}/cosmos/bank/v1beta1/spendable_balances/${SIGNER}`, { headers });
  expect(spendable.status).toBe(200);
}

async function checkGrpc(address: string, lowest: bigint): Promise<void> {
  const client = new ReflectedClient(address);
  const service = "cosmos.base.tendermint.v1beta1.Service";
  try {
    await expect(client.call(service, "GetBlockByHeight", { height: "1" })).rejects.toMatchObject({
      code: 5,
      errorCode: "UPG_NOT_FOUND_BLOCK",
    });
    const { json } = await client.call(service, "GetBlockByHeight", { height: String(lowest) });
    expect((json as Json).block.header.height).toBe(String(lowest));
  } finally {
    client.close();
  }
}

test("chaind start --min-retain-blocks 5 → killed while it prunes, sound; then all servers know the lowest block", async () => {
  const { home, hash } = await begun();
  const worker = await bundleWorker();
  try {
    const args = ["start", "--home", home.path, "--handlers", join(DIST, "handlers"), ...NO_SERVERS, ...RETAIN];
    const killed = await run(worker.file, [...args, ...OLD, "--max-blocks", "1"], { SIM_KILL: "remove:250" }).end;
    expect(killed.signal).toBe("SIGKILL");
  } finally {
    worker.remove();
  }
  expect(edges(home)).toEqual({ lowest: 1n, last: LAST });
  expect(verifyHome(home.path, () => undefined)).toMatchObject({ ok: true, height: String(LAST), txs: "1" });
  const lowest = LAST + 1n - 5n;
  await withServers(home, RETAIN, async ({ rpc, grpc, api }) => {
    await checkRpc(rpc, lowest, hash);
    await checkRest(api, lowest, hash);
    await checkGrpc(grpc, lowest);
  });
  expect(edges(home)).toEqual({ lowest, last: LAST + 1n });
  expect(verifyHome(home.path, () => undefined)).toMatchObject({ ok: true, blocks: "6", txs: "0" });
  writeSetting(home.path, "app", "tx_index.indexer", "null");
  await withServers(home, [], async ({ rpc }) => {
    const url = rpc.replace("tcp:", "http:");
    for (const path of [`tx?hash=0x${hash}`, `tx_search?query="tx.height>0"`]) {
      expect((await get(`${url}/${path}`)).error.data).toContain("transaction indexing is disabled");
    }
    const search = await get(`${url}/block_search?query="block.height>0"`);
    expect(search.error.data).toContain("block indexing is disabled");
    expect((await get(`${url}/status`)).result.node_info.other.tx_index).toBe("off");
  });
  expect(verifyHome(home.path, () => undefined)).toMatchObject({ ok: true, blocks: "7" });
});

test("chaind start --index-events without a key → 2, and what is expected", async () => {
  const { exit, stderr } = await new TestHome().start("--index-events", "message").end;
  expect([exit, stderr]).toEqual([2, expect.stringContaining("transfer.recipient")]);
});
