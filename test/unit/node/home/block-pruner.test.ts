/** Blocks that are pruned, on real homes: how many at once, what stays readable, and what the offline commands say. */

import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { sha256 } from "../../../../host/base/native/sha256.js";
import { exportGenesis } from "../../../../host/cli/offline/export.js";
import { rollback } from "../../../../host/cli/offline/rollback.js";
import { verifyHome } from "../../../../host/cli/offline/verify.js";
import { BlockPruner, PRUNE_BLOCKS_MIN, PRUNE_WORK_MAX } from "../../../../host/node/blocks/block-pruner.js";
import { BlockStore } from "../../../../host/node/blocks/block-store.js";
import { ValidatorStore } from "../../../../host/node/blocks/validator-store.js";
import type { BlockSettings, EmbeddedNode } from "../../../../host/node/embedded/embedded-node.js";
import { TxIndex } from "../../../../host/node/index/tx-index.js";
import { MemoryDatabase } from "../../../../host/state/store/disk/memory-database.js";
import { makeBlocksUpTo, makeHome, withNode } from "../../../e2e/prepared-home.js";
import { exampleChain } from "../../../example-chain.js";
import { genesisText } from "../../../scenario/genesis-text.js";
import { code } from "../../state/store/support.js";

const root = mkdtempSync(join(tmpdir(), "chain-upgrade-pruned-"));
const LAST = BigInt(PRUNE_BLOCKS_MIN) + 30n;
let homes = 0;

/** Always copied: a chain of which nothing was pruned. */
const whole = join(root, "whole");

beforeAll(() => {
  makeHome(whole, genesisText());
  open(whole, {}, (node) => makeBlocksUpTo(node, LAST));
}, 60_000);
afterAll(() => rmSync(root, { recursive: true, force: true }));

function open<T>(path: string, blocks: Partial<BlockSettings>, use: (node: EmbeddedNode) => T, versionsKept = 30): T {
  return withNode({ path, handlers: join(path, "none"), appVersion: 1n, blocks, versionsKept }, use);
}

function copy(): string {
  const path = join(root, `home-${homes++}`);
  cpSync(whole, path, { recursive: true });
  return path;
}

const verify = (path: string) => verifyHome(path, () => undefined);
const lowestOf = (node: EmbeddedNode) => node.blocks.lowest();

describe("min-retain-blocks", () => {
  test("on a home that kept all → pruned with the next block, then when 100 are due; times stay as long as their state", () => {
    const path = copy();
    const old = LAST - 20n;
    const time = open(path, {}, (node) => node.blocks.timeOf(old));
    open(path, { minRetainBlocks: 5 }, (node) => {
      node.makeBlock();
      const lowest = LAST + 1n - 5n;
      expect(lowestOf(node)).toBe(lowest);
      expect(node.blocks.timeOf(old)).toEqual(time);
      expect(() => node.blocks.timeOf(2n)).toThrow(code("UPG_NOT_FOUND_BLOCK"));
    });
    const outputDocument = join(path, "exported.json");
    exportGenesis(exampleChain, path, { height: old, outputDocument }, () => undefined);
    expect(verify(path)).toMatchObject({ ok: true, blocks: "6" });
    open(path, { minRetainBlocks: 5 }, (node) => {
      const lowest = lowestOf(node) as bigint;
      for (let more = 1; more < PRUNE_BLOCKS_MIN; more++) node.makeBlock();
      expect(lowestOf(node)).toBe(lowest);
      node.makeBlock();
      expect(lowestOf(node)).toBe(lowest + BigInt(PRUNE_BLOCKS_MIN));
      expect(() => node.blocks.timeOf(old)).toThrow(code("UPG_NOT_FOUND_BLOCK"));
    });
    expect(verify(path)).toMatchObject({ ok: true, blocks: "6" });
  });

  test("exactly 100 are due → pruned; one fewer → not", () => {
    const due = BigInt(PRUNE_BLOCKS_MIN);
    for (const [retained, lowest] of [
      [LAST - due, due + 1n],
      [LAST - due + 1n, 1n],
    ] as const) {
      open(copy(), { minRetainBlocks: Number(retained) }, (node) => {
        node.makeBlock();
        expect(lowestOf(node)).toBe(lowest);
      });
    }
  });

  test("0, and more than there are → all stay; a greater number later → nothing comes back; app hashes are the same", () => {
    const path = copy();
    for (const minRetainBlocks of [0, 100_000]) {
      open(path, { minRetainBlocks }, (node) => {
        node.makeBlock();
        expect(lowestOf(node)).toBe(1n);
      });
    }
    const hash = open(path, { minRetainBlocks: 10, indexer: "null" }, (node) => {
      node.makeBlock();
      expect(lowestOf(node)).toBe(LAST + 3n - 10n);
      return node.app.lastCommitID.hash;
    });
    open(path, { minRetainBlocks: 100 }, (node) => {
      node.makeBlock();
      expect(lowestOf(node)).toBe(LAST + 3n - 10n);
      expect(() => node.blocks.at(1n)).toThrow(`height 1 is not available, lowest height is ${LAST - 7n}`);
    });
    expect(verify(path)).toMatchObject({ ok: true, blocks: "12" });
    const all = open(copy(), {}, (node) => {
      makeBlocksUpTo(node, LAST + 3n);
      return node.app.lastCommitID.hash;
    });
    expect(hash).toEqual(all);
  });

  test("much more is due than one step may remove → step by step, each within its bound", () => {
    const database = new MemoryDatabase();
    const [blocks, index] = [new BlockStore(database), new TxIndex(database, sha256)];
    const model = open(copy(), {}, (node) => node.blocks.at(1n));
    const put = (height: bigint, more: (batch: Parameters<BlockPruner["prune"]>[0]) => void = () => undefined) => {
      const hash = sha256(Buffer.from(`block ${height}`));
      const stored = { ...model, header: { ...model.header, height }, blockId: { ...model.blockId, hash } };
      database.transaction((batch) => {
        blocks.put(batch, stored, new Uint8Array(8), { txResults: [], events: [], validatorUpdates: [] });
        index.put(batch, height, [], { txResults: [], events: [] });
        more(batch);
      });
    };
    for (let height = 1n; height <= 2_000n; height++) put(height);
    const pruner = new BlockPruner({ database, blocks, index, validators: new ValidatorStore(database) }, 100);
    const step = BigInt((PRUNE_WORK_MAX + 2 * 4) / 4);
    const found: (bigint | undefined)[] = [];
    for (let height = 2_001n; height <= 2_005n; height++) {
      put(height, (batch) => pruner.prune(batch, height, 0));
      found.push(blocks.lowest());
    }
    expect(found).toEqual([1n + step, 1n + 2n * step, 1n + 3n * step, 1_904n, 1_904n]);
  });
});

describe("rollback of a pruned home", () => {
  test("down to the lowest block → done; beyond it → refused with what to do, nothing written", () => {
    const path = copy();
    open(path, { minRetainBlocks: 2 }, (node) => node.makeBlock());
    expect(rollback(path)).toMatchObject({ removed: String(LAST + 1n) });
    expect(rollback(path)).toMatchObject({ removed: String(LAST) });
    const before = verify(path);
    expect(before).toMatchObject({ height: String(LAST - 1n), blocks: "1" });
    expect(() => rollback(path)).toThrow(
      expect.objectContaining({ code: "UPG_NOT_FOUND_BLOCK", message: expect.stringContaining("min-retain-blocks") }),
    );
    expect(verify(path)).toEqual(before);
    open(path, {}, (node) => {
      expect(node.makeBlock().stored.header.height).toBe(LAST);
    });
    verify(path);
  });
});
