/** `export` names the modules whose records its document leaves out. */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { moduleGenesis } from "../../../../host/chain/app/genesis/module-genesis.js";
import type { Module } from "../../../../host/chain/app/module.js";
import { exportGenesis } from "../../../../host/cli/offline/export.js";
import { ExportLosses } from "../../../../host/cli/offline/export-losses.js";
import { MemoryKVStore } from "../../../../host/state/branch/kv/memory-kv.js";
import type { VersionView } from "../../../../host/state/store/versions/version-view.js";
import { DIST } from "../../../e2e/chaind.js";
import { makeBlocksUpTo, makeHome, withNode } from "../../../e2e/prepared-home.js";
import { exampleChain } from "../../../example-chain.js";
import { genesisText } from "../../../scenario/genesis-text.js";

const PARAMS = Uint8Array.of(1);
const ORDER = Uint8Array.of(2, 1);

/** What is said of a module `market` whose export is this, over a store with these records. */
function said(keys: readonly Uint8Array[], read: ((view: VersionView) => void) | undefined): string[] {
  const market = new MemoryKVStore();
  for (const key of keys) market.set(key, Uint8Array.of(9));
  const view = { names: ["market"], version: 1n, store: () => market } as unknown as VersionView;
  const genesis = moduleGenesis({ read: () => undefined, init: () => undefined, export: () => [] });
  const module: Module = { name: "market", consensusVersion: 1n, ...(read ? { genesis } : {}) };
  const losses = new ExportLosses(view, [module]);
  read?.(losses.viewFor(module));
  return losses.lines();
}

test("a module that exports its parameters alone, or has no genesis, while its store has records → one line that says so", () => {
  const params = (view: VersionView) => void view.store("market").get(PARAMS);
  expect(said([PARAMS, ORDER], params)).toEqual([
    "warning: module market exported single values and no list: store market has more records",
  ]);
  expect(said([ORDER], () => undefined)).toHaveLength(1);
  expect(said([ORDER], undefined)).toEqual([
    "warning: module market has no genesis: its records in store market are not exported",
  ]);
});

test("a module with parameters alone, one that walks over its records, one with an empty store → nothing is said", () => {
  expect(said([PARAMS], (view) => void view.store("market").get(PARAMS))).toEqual([]);
  expect(said([PARAMS, ORDER], (view) => void [...view.store("market").iterate({})])).toEqual([]);
  expect(said([], () => undefined)).toEqual([]);
  expect(said([], undefined)).toEqual([]);
});

test("export of the example chain → no module leaves records out", () => {
  const home = mkdtempSync(join(tmpdir(), "chain-upgrade-export-losses-"));
  try {
    makeHome(home, genesisText());
    withNode({ path: home, handlers: join(DIST, "handlers") }, (node) => makeBlocksUpTo(node, 2n));
    const lines: string[] = [];
    exportGenesis(exampleChain, home, { height: 0n, outputDocument: join(home, "exported.json") }, (line) =>
      lines.push(line),
    );
    expect(lines).toEqual([]);
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
});
