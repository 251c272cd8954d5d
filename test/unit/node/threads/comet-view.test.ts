/** The application of a CometBFT node, as the serving thread sees it; here the thread that makes blocks is the same one. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { UpgradeError } from "../../../../host/base/errors/errors.js";
import { ServedApp } from "../../../../host/node/comet/served-app.js";
import type { EmbeddedNode } from "../../../../host/node/embedded/embedded-node.js";
import { CometView } from "../../../../host/node/threads/comet-view.js";
import type { EngineFacts } from "../../../../host/node/threads/engine-port.js";
import { LmdbReader } from "../../../../host/state/store/disk/lmdb-reader.js";
import { makeBlocksUpTo, makeHome, schedule, withNode } from "../../../e2e/prepared-home.js";
import { exampleChain } from "../../../example-chain.js";
import { Payer } from "../../../scenario/payer.js";

const root = mkdtempSync(join(tmpdir(), "chain-upgrade-comet-view-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));

const PAYER = new Payer("comet view");

/** Its disk fails once. */
class FailingReader extends LmdbReader {
  isFailing = false;

  override keys(range: Parameters<LmdbReader["keys"]>[0]): Uint8Array[] {
    if (!this.isFailing) return super.keys(range);
    this.isFailing = false;
    throw new UpgradeError("UPG_STORE_IO", "the disk of this test");
  }
}

/** As the thread that makes blocks says it. */
const factsOf = (node: EmbeddedNode): EngineFacts => ({
  ...{ chain: node.facts, bondDenom: "ustake", stakingParams: undefined, address: node.key.address },
  ...{ publicKey: node.key.publicKey.bytes, versions: node.app.versions, version: 1n },
  lastHeight: node.app.lastCommitID.version,
  handlerState: undefined,
  genesisDigest: { sha256: new Uint8Array(32), size: 0 },
});

test("last where the disk fails once after a commit → that failure, then the last block, not the one before", () => {
  const path = join(root, "failing");
  makeHome(path, PAYER.genesis());
  withNode({ path, handlers: join(path, "none"), appVersion: 1n }, (node) => {
    makeBlocksUpTo(node, 1n);
    const database = new FailingReader(join(path, "data/chain.mdb"));
    const parts = { chain: exampleChain, database, minimumGasPrices: [], isMakingBlock: () => false };
    const view = new CometView({ ...parts, facts: factsOf(node) });
    expect(view.last?.height).toBe(1n);
    makeBlocksUpTo(node, 2n);
    database.renew();
    database.isFailing = true;
    expect(() => view.last).toThrow("the disk of this test");
    expect(view.last?.height).toBe(2n);
    database.close();
  });
});

test("info() before the first block, after blocks → what the application itself says", () => {
  const path = join(root, "info");
  makeHome(path, PAYER.genesis());
  withNode({ path, handlers: join(path, "none"), appVersion: 1n }, (node) => {
    const { app, facts } = node;
    const genesis = { ...facts, time: facts.genesisTime };
    const served = new ServedApp({ app, genesis }, () => Promise.reject(new Error("not asked")));
    const database = new LmdbReader(join(path, "data/chain.mdb"));
    const parts = { chain: exampleChain, database, minimumGasPrices: [], isMakingBlock: () => true };
    const view = new CometView({ ...parts, facts: factsOf(node) });
    for (const height of [0n, 1n, 3n]) {
      makeBlocksUpTo(node, height);
      database.renew();
      expect(view.info()).toEqual(served.info());
      expect(view.info()).toMatchObject({ lastHeight: height, appVersion: 1n });
    }
    // It runs, and is not committed.
    app.finalizeBlock({ height: 4n, time: app.lastBlockTime });
    expect(view.info()).toEqual(served.info());
    database.close();
  });
});

test("checkTx() before an upgrade: it waits, as it may be what makes the block; while the block is made → 61", () => {
  const path = join(root, "home");
  makeHome(path, PAYER.genesis());
  withNode({ path, handlers: join(path, "none"), appVersion: 1n }, (node) => {
    schedule(node, { name: "v2", height: 4n });
    makeBlocksUpTo(node, 3n);
    const database = new LmdbReader(join(path, "data/chain.mdb"));
    const making = { isBlock: false };
    const view = new CometView({
      ...{ chain: exampleChain, database, minimumGasPrices: [], isMakingBlock: () => making.isBlock },
      facts: factsOf(node),
    });
    expect(view.last?.height).toBe(3n);
    expect(view.app.isUpgradeBlockNext).toBe(true);
    expect(view.app.checkTx(PAYER.transfer(0))).toMatchObject({ code: 0 });
    making.isBlock = true;
    expect(view.app.checkTx(PAYER.transfer(1))).toMatchObject({ codespace: "upgrade", code: 61 });
    expect(view.app.checkTx(PAYER.transfer(0), "recheck").codespace).not.toBe("upgrade");
    database.close();
  });
});
