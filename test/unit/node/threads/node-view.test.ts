/** A node as the serving thread sees it; here its engine is in the same thread. */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate as turn } from "node:timers/promises";
import { afterAll, expect, test } from "vitest";
import { UpgradeError } from "../../../../host/base/errors/errors.js";
import { sha256 } from "../../../../host/base/native/sha256.js";
import { toHex } from "../../../../host/base/text/bytes.js";
import { type GasPrice, parseGasPrices } from "../../../../host/chain/values/minimum-fee.js";
import { logicalClock } from "../../../../host/node/embedded/clock.js";
import { openNode } from "../../../../host/node/open/open-node.js";
import type { EngineFacts } from "../../../../host/node/threads/engine-port.js";
import { NodeView } from "../../../../host/node/threads/node-view.js";
import { OVERTAKEN_MAX } from "../../../../host/node/threads/recheck.js";
import { LmdbReader } from "../../../../host/state/store/disk/lmdb-reader.js";
import { makeHome } from "../../../e2e/prepared-home.js";
import { exampleChain } from "../../../example-chain.js";
import { Payer } from "../../../scenario/payer.js";

const root = mkdtempSync(join(tmpdir(), "chain-upgrade-view-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));
let homes = 0;

const PAYER = new Payer("view");

function opened(minimumGasPrices: readonly GasPrice[] = [], genesis = PAYER.genesis()) {
  const path = join(root, `home-${homes++}`);
  makeHome(path, genesis);
  const handlers = join(path, "none");
  const held = openNode({
    chain: exampleChain,
    home: path,
    clock: logicalClock(1_000_000_000n),
    handlers,
    log: () => undefined,
  });
  const { node } = held;
  node.makeBlock();
  const facts: EngineFacts = {
    ...{
      chain: node.facts,
      bondDenom: "ustake",
      stakingParams: undefined,
      address: node.key.address,
      publicKey: node.key.publicKey.bytes,
    },
    ...{ versions: node.app.versions, version: 1n, lastHeight: 1n },
    handlerState: undefined,
    genesisDigest: held.genesisDigest,
  };
  const database = new LmdbReader(held.home.databaseFile);
  const submitted: Uint8Array[] = [];
  const engine = {
    isFull: false,
    requireRoom() {
      if (this.isFull) throw new UpgradeError("UPG_TX_MEMPOOL_FULL", "full");
    },
    submit: (tx: Uint8Array) => submitted.push(tx),
  };
  const view = new NodeView({ chain: exampleChain, database, facts, mempool: {}, engine, minimumGasPrices });
  /** What the engine's thread does with what it was handed, and a block of it. */
  const block = async () => {
    for (const tx of submitted.splice(0)) node.mempool.add(tx, "admitted");
    node.makeBlock();
    await turn();
  };
  const close = () => {
    database.close();
    held.close();
  };
  return { view, node, engine, submitted, block, close };
}

test("lastBlock after each block → that block, without a word of the engine", async () => {
  const { view, block, close } = opened();
  for (let height = 2n; height < 6n; height++) {
    await block();
    expect(view.lastBlock?.header.height).toBe(height);
    expect(view.app.at().height).toBe(height);
  }
  close();
});

test("submit() of transactions that follow each other, blocks in between → all are let in, and leave with their block", async () => {
  const { view, block, close } = opened();
  for (let sequence = 0; sequence < 6; sequence++) {
    expect((await view.submit(PAYER.transfer(sequence))).code).toBe(0);
    if (sequence % 2 === 1) {
      await block();
      expect(view.lastBlock?.txCount).toBe(2);
      expect(view.mempool.count).toBe(0);
    }
  }
  await expect(view.submit(PAYER.transfer(5))).rejects.toEqual(expect.objectContaining({ code: "UPG_TX_IN_MEMPOOL" }));
  close();
});

test("submit() while the engine's queue is full → UPG_TX_MEMPOOL_FULL, and the same transaction may come again", async () => {
  const { view, engine, close } = opened();
  engine.isFull = true;
  await expect(view.submit(PAYER.transfer(0))).rejects.toEqual(
    expect.objectContaining({ code: "UPG_TX_MEMPOOL_FULL" }),
  );
  expect(view.mempool.count).toBe(0);
  engine.isFull = false;
  expect((await view.submit(PAYER.transfer(0))).code).toBe(0);
  close();
});

test("refused() → it leaves the mempool and may come again; a number that is not known changes nothing", async () => {
  const { view, close } = opened();
  expect((await view.submit(PAYER.transfer(0))).code).toBe(0);
  view.refused(77);
  expect(view.mempool.count).toBe(1);
  view.refused(1);
  expect(view.mempool.count).toBe(0);
  close();
});

test("leftOut() → it leaves the mempool and comes in no more, and its sender's next one does at once", async () => {
  const { view, close } = opened();
  const tx = PAYER.transfer(0);
  expect((await view.submit(tx)).code).toBe(0);
  view.leftOut([toHex(sha256(tx))]);
  expect(view.mempool.count).toBe(0);
  expect((await view.submit(tx)).log).toContain("the node leaves it out of its blocks");
  expect((await view.submit(PAYER.transfer(0, "another"))).code).toBe(0);
  close();
});

test("submit() of what no block has room for → UPG_TX_TOO_LARGE on both sides, and the next one is in the next block", async () => {
  const document = JSON.parse(PAYER.genesis());
  document.consensus = { params: { block: { max_bytes: "3000" }, evidence: { max_bytes: "1000" } } };
  const { view, node, block, close } = opened([], JSON.stringify(document));
  const large = PAYER.transfer(0, "m".repeat(700));
  const tooLarge = expect.objectContaining({ code: "UPG_TX_TOO_LARGE" });
  await expect(view.submit(large)).rejects.toEqual(tooLarge);
  expect(() => node.mempool.add(large, "admitted")).toThrow(tooLarge);
  expect((await view.submit(PAYER.transfer(0))).code).toBe(0);
  await block();
  expect(view.lastBlock?.txCount).toBe(1);
  close();
});

test("committed() once after three blocks → listeners hear of each, in order, and of none twice", async () => {
  const { view, block, close } = opened();
  const heard: bigint[] = [];
  const stop = view.subscribe(({ stored }) => heard.push(stored.header.height));
  expect((await view.submit(PAYER.transfer(0))).code).toBe(0);
  for (let made = 0; made < 3; made++) await block();
  view.committed();
  view.committed();
  expect(heard).toEqual([2n, 3n, 4n]);
  stop();
  await block();
  view.committed();
  expect(heard).toHaveLength(3);
  close();
});

/** A node with so many transactions that wait; the engine has none of them but the first ones that `block` gives it. */
async function waiting(count: number) {
  const open = opened();
  for (let sequence = 0; sequence < count; sequence++) {
    expect((await open.view.submit(PAYER.transfer(sequence))).code).toBe(0);
  }
  const kept = open.submitted.splice(0);
  const block = async (taken: number) => {
    open.submitted.push(...kept.splice(0, taken));
    await open.block();
  };
  return { ...open, block };
}

test("a block that leaves hundreds waiting → its own leave at once, the loop turns many times until the rest is checked", async () => {
  const { view, block, close } = await waiting(600);
  await block(10);
  expect(view.lastBlock?.txCount).toBe(10);
  expect(view.mempool.count).toBe(590);
  let turns = 0;
  let isThrough = false;
  void view.afterRechecks(() => {
    isThrough = true;
  });
  for (; !isThrough; turns++) await turn();
  expect(turns).toBeGreaterThan(5);
  expect(view.mempool.count).toBe(590);
  close();
});

test("submit() and simulate() during the rechecks → over all that wait, in order of arrival, not over a part of them", async () => {
  const { view, block, close } = await waiting(300);
  await block(1);
  void view.lastBlock;
  const done: number[] = [];
  const sent = [300, 301, 303].map(async (sequence) => {
    const { code } = await view.submit(PAYER.transfer(sequence));
    done.push(sequence);
    return code;
  });
  const simulated = view.afterRechecks(() => view.app.simulate(PAYER.transfer(302)).code);
  // 303 leaves 302 out: code 32, a wrong sequence.
  expect(await Promise.all(sent)).toEqual([0, 0, 32]);
  expect(await simulated).toBe(0);
  expect(done).toEqual([300, 301, 303]);
  expect(view.mempool.count).toBe(301);
  close();
});

test("blocks that overtake the rechecks again and again → what waits after them is not starved", async () => {
  const { view, block, close } = await waiting(400);
  await block(1);
  void view.lastBlock;
  let code: number | undefined;
  void view.submit(PAYER.transfer(400)).then((result) => {
    code = result.code;
  });
  for (let blocks = 0; blocks < OVERTAKEN_MAX + 2; blocks++) await block(1);
  expect(code).toBe(0);
  close();
});

test("rechecks that fail → what waits after them fails with that error, and the next block begins again", async () => {
  const { view, block, close } = await waiting(3);
  const { rechecks } = view.mempool;
  view.mempool.rechecks = function* () {
    yield;
    throw new UpgradeError("UPG_STORE_IO", "the disk is gone");
  };
  await block(1);
  void view.lastBlock;
  await expect(view.submit(PAYER.transfer(3))).rejects.toEqual(expect.objectContaining({ code: "UPG_STORE_IO" }));
  await expect(view.submit(PAYER.transfer(3))).rejects.toEqual(expect.objectContaining({ code: "UPG_STORE_IO" }));
  view.mempool.rechecks = rechecks;
  await block(1);
  expect((await view.submit(PAYER.transfer(3))).code).toBe(0);
  close();
});

test("transactions that a block made wrong → gone when the rechecks are through, and may come again", async () => {
  const { view, node, block, close } = await waiting(5);
  // The engine makes a block of the third alone's forerunners and another transaction with its number.
  node.mempool.add(PAYER.transfer(0), "admitted");
  node.mempool.add(PAYER.transfer(1, "other"), "admitted");
  await block(0);
  expect(view.lastBlock?.txCount).toBe(2);
  expect(await view.afterRechecks(() => view.mempool.count)).toBe(3);
  close();
});

test("close() → what waits after the rechecks ends with that error", async () => {
  const { view, block, close } = await waiting(100);
  await block(1);
  void view.lastBlock;
  const refused = expect(view.submit(PAYER.transfer(100))).rejects.toThrow("the node stops");
  view.close(new Error("the node stops"));
  await refused;
  close();
});

test("submit() below the minimum gas price → sdk 13 in the Cosmos SDK's words; at it → taken", async () => {
  const gas = 1_000_000n;
  for (const [prices, required] of [
    ["0.000002ustake", "2ustake"],
    ["0.0000000000001uother,0.000000000000000001ustake", "1uother,1ustake"],
  ] as const) {
    const { view, close } = opened(parseGasPrices(prices));
    const result = await view.submit(PAYER.transfer(0));
    expect(result).toMatchObject({ code: 13, codespace: "sdk", gasWanted: gas });
    expect(result.log).toBe(`insufficient fees; got:  required: ${required}: insufficient fee`);
    expect((await view.submit(PAYER.transfer(0, "", "2"))).code).toBe(0);
    close();
  }
});

test("parseGasPrices() → ascending by denomination; what is no price, or one twice → UPG_INVALID_ARGUMENT", () => {
  expect(parseGasPrices("2uatom, 0.5stake").map(({ denom }) => denom)).toEqual(["stake", "uatom"]);
  expect(parseGasPrices("")).toEqual([]);
  for (const text of ["stake", "-1stake", "0.5", "1stake,2stake", "0.0000000000000000001stake", ","]) {
    expect(() => parseGasPrices(text), text).toThrow(expect.objectContaining({ code: "UPG_INVALID_ARGUMENT" }));
  }
});
