/** A node as the serving thread sees it; here its engine is in the same thread. */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate as turn } from "node:timers/promises";
import { afterAll, expect, test } from "vitest";
import { logicalClock } from "../../../host/engine/embedded/clock.js";
import { openNode } from "../../../host/engine/home/open-node.js";
import type { EngineFacts } from "../../../host/engine/thread/engine-port.js";
import { NodeView } from "../../../host/engine/thread/node-view.js";
import { UpgradeError } from "../../../host/errors.js";
import { LmdbReader } from "../../../host/store/disk/lmdb-reader.js";
import { makeHome } from "../../e2e/prepared-home.js";
import { exampleChain } from "../../example-chain.js";
import { Payer } from "../../scenario/payer.js";

const root = mkdtempSync(join(tmpdir(), "chain-upgrade-view-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));
let homes = 0;

const PAYER = new Payer("view");

function opened() {
  const path = join(root, `home-${homes++}`);
  makeHome(path, PAYER.genesis());
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
    ...{ chain: node.facts, bondDenom: "ustake", address: node.key.address, publicKey: node.key.publicKey.bytes },
    ...{ validators: node.validators, versions: node.app.versions, version: 1n, lastHeight: 1n },
    handlerState: undefined,
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
  const view = new NodeView({ chain: exampleChain, database, facts, mempool: {}, engine });
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
  return { view, engine, submitted, block, close };
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
    expect(view.submit(PAYER.transfer(sequence)).code).toBe(0);
    if (sequence % 2 === 1) {
      await block();
      expect(view.lastBlock?.txCount).toBe(2);
      expect(view.mempool.count).toBe(0);
    }
  }
  expect(() => view.submit(PAYER.transfer(5))).toThrow(expect.objectContaining({ code: "UPG_TX_IN_MEMPOOL" }));
  close();
});

test("submit() while the engine's queue is full → UPG_TX_MEMPOOL_FULL, and the same transaction may come again", () => {
  const { view, engine, close } = opened();
  engine.isFull = true;
  expect(() => view.submit(PAYER.transfer(0))).toThrow(expect.objectContaining({ code: "UPG_TX_MEMPOOL_FULL" }));
  expect(view.mempool.count).toBe(0);
  engine.isFull = false;
  expect(view.submit(PAYER.transfer(0)).code).toBe(0);
  close();
});

test("refused() → it leaves the mempool and may come again; a number that is not known changes nothing", () => {
  const { view, close } = opened();
  expect(view.submit(PAYER.transfer(0)).code).toBe(0);
  view.refused(77);
  expect(view.mempool.count).toBe(1);
  view.refused(1);
  expect(view.mempool.count).toBe(0);
  close();
});

test("committed() once after three blocks → listeners hear of each, in order, and of none twice", async () => {
  const { view, block, close } = opened();
  const heard: bigint[] = [];
  const stop = view.subscribe(({ stored }) => heard.push(stored.header.height));
  expect(view.submit(PAYER.transfer(0)).code).toBe(0);
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
