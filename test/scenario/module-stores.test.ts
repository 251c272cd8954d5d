/** What guards learn from a chain's modules: what it cannot go on without, and which stores a module needs to run. */
import { expect, test } from "vitest";
import { sha256 } from "../../host/base/native/sha256.js";
import { App } from "../../host/chain/app/app.js";
import { defineChain } from "../../host/chain/app/define-chain.js";
import { parseGenesis } from "../../host/chain/app/genesis/genesis.js";
import type { Module } from "../../host/chain/app/module.js";
import { MemoryDatabase } from "../../host/state/store/disk/memory-database.js";
import { Core } from "../../host/upgrade/core/core.js";
import { UPGRADE_STORE } from "../../host/upgrade/module/keeper.js";
import { exampleChain } from "../example-chain.js";
import { load } from "../guest/build.js";
import { failureOf } from "./chain.js";
import { genesisText } from "./genesis-text.js";

const INDEXED: Module = { name: "notes", consensusVersion: 1n, stores: ["notes", "notes-index"] };
const chain = defineChain({ name: "notesd", modules: [...exampleChain.modules, INDEXED] });

test("defineChain() → vital are ante, validators, gov and upgrade, with all that they depend on", () => {
  expect(exampleChain.table.vitalModules).toEqual(["auth", "bank", "gov", "staking", "upgrade"]);
  expect(chain.table.vitalModules).toEqual(exampleChain.table.vitalModules);
  const [auth, ...others] = exampleChain.modules;
  const first = { ...auth, dependsOn: ["notes", "bank"] } as Module;
  const { table } = defineChain({ name: "notesd", modules: [first, ...others, INDEXED] });
  expect(table.vitalModules).toEqual(["auth", "bank", "gov", "notes", "staking", "upgrade"]);
  expect(table.moduleStores.get("notes")).toEqual(INDEXED.stores);
});

test("a module loses one of two stores, declared → refused by App: it would not run; with the module removed, applied", () => {
  const database = new MemoryDatabase();
  const deleted = { storeUpgrades: { deleted: ["notes-index"] }, allows: { deleteStores: ["notes-index"] } };
  const start = (manifest: object) => {
    const handler = load({}, { name: "next", ...manifest });
    const app = new App({ chain, database, sha256, core: new Core(), genesis: parseGenesis(chain, genesisText()) });
    app.keeper.setWasmHandler(handler, { isOfHome: true });
    return app;
  };
  const block = (app: App, schedule = false) => {
    const { keeper, nextHeight: height } = app;
    const plan = { name: "next", height: 2n, info: "" };
    const changes = schedule
      ? [
          (context: { store(name: string): never }) =>
            keeper.softwareUpgrade(context.store(UPGRADE_STORE), height, { authority: keeper.authority, plan }),
        ]
      : [];
    app.finalizeBlock({ height, time: { seconds: 1_700_000_000n + height, nanos: 0 }, changes: changes as never });
    app.commit();
  };
  const first = new App({ chain, database, sha256, core: new Core(), genesis: parseGenesis(chain, genesisText()) });
  first.load();
  block(first, true);

  const refused = start(deleted);
  refused.load();
  const failure = failureOf(() => block(refused));
  expect(failure).toMatchObject({ code: "UPG_MIGRATION_VERSION_MAP", kind: { exit: 20 } });
  expect(failure.message).toContain('the module notes is in the version map and has no store "notes-index"');
  expect(refused.lastCommitID.version).toBe(1n);

  const both = { storeUpgrades: { deleted: ["notes", "notes-index"] }, removes: ["notes"] };
  const removed = start(both);
  removed.load();
  block(removed);
  expect(removed.lastCommitID.version).toBe(2n);
});
