/** Searches over the RPC and REST: from the end that is asked for, whole, paged, bounded, and said when they are cut. */
import { SigningStargateClient } from "@cosmjs/stargate";
import { Comet38Client } from "@cosmjs/tendermint-rpc";
import { describe, expect, test } from "vitest";
import { sha256 } from "../../../../host/base/native/sha256.js";
import { parseEventQuery } from "../../../../host/chain/events/event-query-text.js";
import { EventSearch } from "../../../../host/node/blocks/event-search.js";
import { SEARCH_LIMITS } from "../../../../host/node/blocks/search-budget.js";
import { TxIndex } from "../../../../host/node/index/tx-index.js";
import { MemoryDatabase } from "../../../../host/state/store/disk/memory-database.js";
import { IS_OF_COMET, SIGNER, type TestNode, useTestNode, wallet } from "./test-node.js";

const OTHER = "cosmos1vx8knpllrj7n963p9ttd80w47kpacrhuts497x";
const BLOCKS = 12_004;

async function call(node: TestNode, method: string, params: object) {
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
  // biome-ignore lint/suspicious/noExplicitAny: answers are JSON of many shapes.
  return (await (await fetch(node.rpc, { method: "POST", body })).json()) as any;
}

/** `count` transfers, one a block, of 1, 2, 3 … */
async function sendInBlocks(node: TestNode, count: number): Promise<void> {
  const client = await SigningStargateClient.connectWithSigner(node.rpc, wallet);
  const fee = { amount: [], gas: "200000" };
  for (let amount = 1; amount <= count; amount++) {
    const value = { fromAddress: SIGNER, toAddress: OTHER, amount: [{ denom: "ustake", amount: String(amount) }] };
    const messages = [{ typeUrl: "/cosmos.bank.v1beta1.MsgSend", value }];
    const signer = { accountNumber: 100n, sequence: amount - 1, chainId: "scenario-1" };
    const raw = await client.sign(SIGNER, messages, fee, "", signer);
    const { TxRaw } = await import("cosmjs-types/cosmos/tx/v1beta1/tx");
    node.node.mempool.add(TxRaw.encode(raw).finish());
    node.makeBlocks(1);
  }
  client.disconnect();
}

const txHeights = (answer: { result: { txs: { height: string }[] } }) => answer.result.txs.map(({ height }) => height);

/** Blocks without anything in them, as many as it takes to show a limit. */
function manyBlocks(): EventSearch {
  const index = new TxIndex(new MemoryDatabase(), sha256);
  const searched = {
    heights: () => ({ lowest: 1n, last: BigInt(BLOCKS) }),
    results: () => ({ txResults: [], events: [], validatorUpdates: [] }),
    txHash: () => "",
  };
  return new EventSearch(index, searched, SEARCH_LIMITS);
}

const pageAt = (first: number, size: number, isDescending: boolean) => ({ first, size, isDescending });

describe("searches over 12,004 blocks", () => {
  test("from either end, first and last page → every block, the total exact", async () => {
    const search = (query: string, first: number, size: number, isDescending: boolean) =>
      manyBlocks().searchBlocks(parseEventQuery(query), pageAt(first, size, isDescending));
    const all = { total: BLOCKS, isTotalExact: true };
    expect(await search("block.height>0", 0, 2, true)).toEqual({ hits: [12_004n, 12_003n], ...all });
    expect(await search("block.height>0", 0, 2, false)).toEqual({ hits: [1n, 2n], ...all });
    expect(await search("block.height>0", 12_000, 100, true)).toEqual({ hits: [4n, 3n, 2n, 1n], ...all });
    expect(await search("block.height>0", 12_100, 100, true)).toEqual({ hits: [], ...all });
    const some = await search("block.height>=11000 AND block.height<11003", 0, 30, true);
    expect(some).toEqual({ hits: [11_002n, 11_001n, 11_000n], total: 3, isTotalExact: true });
    expect((await search("block.height>99999999999999999999999", 0, 30, true)).total).toBe(0);
    expect((await search("block.height='x'", 0, 30, true)).total).toBe(0);
  });

  test("for transactions by height → blocks without any are not looked at", async () => {
    const search = manyBlocks();
    const none = { hits: [], total: 0, isTotalExact: true };
    expect(await search.searchTxs(parseEventQuery("tx.height>0"), pageAt(0, 30, true))).toEqual(none);
  });

  test("a search that looks at every block gives way to timers, and ends when its client leaves", async () => {
    const left = new AbortController();
    const search = manyBlocks().searchBlocks(parseEventQuery("a.b CONTAINS 'x'"), {
      ...pageAt(0, 30, true),
      signal: left.signal,
    });
    setImmediate(() => left.abort());
    await expect(search).rejects.toThrow("the client left");
  });
});

describe("searches for transactions", () => {
  test("either order, every page, several conditions → the same hits, newest first when asked", () =>
    useTestNode(async (node) => {
      await sendInBlocks(node, 12);
      const sender = `transfer.sender='${SIGNER}'`;
      const up = Array.from({ length: 12 }, (_, at) => String(at + 3));
      for (const query of [sender, "tx.height>0", `message.action='/cosmos.bank.v1beta1.MsgSend' AND ${sender}`]) {
        const all = await call(node, "tx_search", { query, per_page: "100" });
        expect(txHeights(all)).toEqual(up);
        expect(all.result.total_count).toBe("12");
        const down = await call(node, "tx_search", { query, per_page: "5", order_by: "desc" });
        expect(txHeights(down)).toEqual(["14", "13", "12", "11", "10"]);
        const last = await call(node, "tx_search", { query, per_page: "5", page: "3", order_by: "desc" });
        expect(txHeights(last)).toEqual(["4", "3"]);
      }
      const narrow = { query: `${sender} AND tx.height>5 AND tx.height<=7` };
      expect(txHeights(await call(node, "tx_search", narrow))).toEqual(["6", "7"]);
      const one = { query: "transfer.amount='4ustake' AND tx.height EXISTS" };
      expect(txHeights(await call(node, "tx_search", one))).toEqual(["6"]);
      const both = { query: "transfer.amount='4ustake' AND transfer.amount='5ustake'" };
      expect((await call(node, "tx_search", both)).result.total_count).toBe("0");
      const rest = `${node.rest}/cosmos/tx/v1beta1/txs?limit=3&order_by=ORDER_BY_DESC&query=${encodeURIComponent(sender)}`;
      const answer = await (await fetch(rest)).json();
      expect(answer.tx_responses.map(({ height }: { height: string }) => height)).toEqual(["14", "13", "12"]);
      expect(answer.total).toBe("12");
    }));

  test("bounds with a fraction → the heights between them, over the RPC and REST", () =>
    useTestNode(async (node) => {
      await sendInBlocks(node, 4);
      const heightsOf = async (query: string) => txHeights(await call(node, "tx_search", { query }));
      expect(await heightsOf("tx.height>4.5")).toEqual(["5", "6"]);
      expect(await heightsOf("tx.height>=4.0 AND tx.height<5.5")).toEqual(["4", "5"]);
      expect(await heightsOf("tx.height>3 AND tx.height<=4.999")).toEqual(["4"]);
      expect(await heightsOf("tx.height=4.5")).toEqual([]);
      const blocks = await call(node, "block_search", { query: "block.height>=4.5", order_by: "asc" });
      expect(
        blocks.result.blocks.map((each: { block: { header: { height: string } } }) => each.block.header.height),
      ).toEqual(["5", "6"]);
      const rest = await fetch(`${node.rest}/cosmos/tx/v1beta1/txs?query=${encodeURIComponent("tx.height>4.5")}`);
      expect((await rest.json()).total).toBe("2");
      const hash = (await call(node, "tx_search", { query: "tx.height=4" })).result.txs[0].hash as string;
      expect(await heightsOf(`tx.hash='${hash.toLowerCase()}'`)).toEqual(["4"]);
    }));

  test.each([
    ["tx.height<1e3", "e3"],
    ["tx.height>0x1", "x1"],
    ["tx.height>3abc", "abc"],
    ["tx.height>=0&page=5", "&page=5"],
    ["tx.height>-1", "-1"],
    ["tx.height!=3", "!=3"],
    ["tx.height>9", "512 digits", 2_000],
  ])("%s → a parse error that shows %s, over the RPC and REST", (written, part, repeated = 1) =>
    useTestNode(async (node) => {
      const query = written + written.slice(-1).repeat(repeated - 1);
      for (const method of ["tx_search", "block_search"]) {
        const { error } = await call(node, method, {
          query: method === "tx_search" ? query : query.replace("tx", "block"),
        });
        expect(error.data).toContain("failed to parse query");
        expect(error.data).toContain(part);
      }
      const rest = await fetch(`${node.rest}/cosmos/tx/v1beta1/txs?query=${encodeURIComponent(query)}`);
      expect([rest.status, (await rest.json()).code]).toEqual([400, 3]);
    }),
  );

  // CometBFT counts all hits.
  test.skipIf(IS_OF_COMET)(
    "more hits than are counted → the page whole, the total a lower bound and said to be; walkers reach the end",
    () =>
      useTestNode(
        async (node) => {
          await sendInBlocks(node, 9);
          const query = `transfer.sender='${SIGNER}'`;
          const first = await call(node, "tx_search", { query, per_page: "2", order_by: "desc" });
          expect(txHeights(first)).toEqual(["11", "10"]);
          expect(Number(first.result.total_count)).toBeGreaterThan(2);
          expect(Number(first.result.total_count)).toBeLessThan(9);
          expect(first.result.cut).toContain("lower bound");
          const comet = await Comet38Client.connect(node.rpc);
          const all = await comet.txSearchAll({ query, per_page: 2 });
          expect(all.txs.length).toBe(9);
          comet.disconnect();
          const rest = await fetch(`${node.rest}/cosmos/tx/v1beta1/txs?limit=2&query=${encodeURIComponent(query)}`);
          expect(rest.headers.get("x-search-cut")).toContain("lower bound");
        },
        { search: { hits: 3 } },
      ),
  );

  test("a page that is not reached within the budget → UPG_REMOTE_SEARCH_CUT with the remedy, and nothing by halves", () =>
    useTestNode(
      async (node) => {
        await sendInBlocks(node, 9);
        const { error } = await call(node, "tx_search", { query: "transfer.amount CONTAINS 'nope'" });
        expect(error.data).toContain("UPG_REMOTE_SEARCH_CUT");
        expect(error.data).toContain("tx.height>=");
        const narrow = "transfer.amount CONTAINS '3u' AND tx.height>=5 AND tx.height<=5";
        expect(txHeights(await call(node, "tx_search", { query: narrow }))).toEqual(["5"]);
        const path = `/cosmos/tx/v1beta1/txs?query=${encodeURIComponent("transfer.amount CONTAINS 'nope'")}`;
        const rest = await fetch(`${node.rest}${path}`);
        expect([rest.status, rest.headers.get("x-error-code")]).toEqual([429, "UPG_REMOTE_SEARCH_CUT"]);
      },
      { search: { work: 60 } },
    ));

  test("more searches than run and wait at once → the rest refused as busy", () =>
    useTestNode(
      async (node) => {
        await sendInBlocks(node, 3);
        const search = () => call(node, "tx_search", { query: "transfer.amount CONTAINS 'nope'" });
        const answers = await Promise.all(Array.from({ length: 40 }, search));
        const busy = answers.filter(({ error }) => error?.data.includes("UPG_REMOTE_BUSY"));
        expect(busy.length + answers.filter(({ result }) => result?.total_count === "0").length).toBe(40);
        expect((await search()).result.total_count).toBe("0");
      },
      { search: { concurrency: 1, waiting: 1 } },
    ));
});
