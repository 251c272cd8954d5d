/** The order of a block's parts: PreBlocker, handler, begin blockers, transactions, end blockers (specification 1.1 to 1.3). */
import { expect, test } from "vitest";
import { sha256 } from "../../host/base/native/sha256.js";
import { App } from "../../host/chain/app/app.js";
import type { ChainUpgrade } from "../../host/chain/app/chain.js";
import { defineChain } from "../../host/chain/app/define-chain.js";
import { parseGenesis } from "../../host/chain/app/genesis/genesis.js";
import { moduleGenesis } from "../../host/chain/app/genesis/module-genesis.js";
import type { Module } from "../../host/chain/app/module.js";
import { MemoryDatabase } from "../../host/state/store/disk/memory-database.js";
import { Core } from "../../host/upgrade/core/core.js";
import { UPGRADE_STORE } from "../../host/upgrade/module/keeper.js";
import { exampleChain } from "../example-chain.js";
import { failureOf } from "./chain.js";
import { genesisText } from "./genesis-text.js";

const PLAN = { name: "next", height: 2n, info: "" };

/** What ran since the last look. */
const ran: string[] = [];
const seen = () => ran.splice(0);

const watching = (name: string, stores: readonly string[]): Module => ({
  ...{ name, stores, consensusVersion: 1n, isBounded: true },
  beginBlock: () => void ran.push(`${name} begins`),
  endBlock: () => void ran.push(`${name} ends`),
});

const program = (brings: readonly Module[], upgrades: readonly ChainUpgrade[]) =>
  defineChain({
    name: "watchd",
    modules: [watching("watch", []), ...exampleChain.modules, ...brings],
    upgrades,
  });

const OLD = program([], []);
const NEW = program(
  [watching("brought", ["brought"])],
  [
    {
      plan: PLAN.name,
      storeUpgrades: { added: ["brought"] },
      isBounded: true,
      handler: (_context, _plan, versions) => {
        ran.push("handler");
        return new Map([...versions, ["brought", 1n]]);
      },
    },
  ],
);

const core = new Core();

function start(chain: typeof OLD, database: MemoryDatabase): App {
  const app = new App({ chain, database, sha256, core, genesis: parseGenesis(chain, genesisText()) });
  app.load();
  return app;
}

function block(app: App, schedule = false): void {
  const height = app.nextHeight;
  const { keeper } = app;
  const change = (context: Parameters<NonNullable<Parameters<App["finalizeBlock"]>[0]["changes"]>[number]>[0]) => {
    ran.push("transaction");
    const store = context.store(UPGRADE_STORE);
    if (schedule) keeper.softwareUpgrade(store, height, { authority: keeper.authority, plan: PLAN });
  };
  app.finalizeBlock({ height, time: { seconds: 1_700_000_000n + height, nanos: 0 }, changes: [change] });
  app.commit();
}

test("a halt → nothing of the block runs; an upgrade → handler, begin and end blockers of the new version; then as ever", () => {
  const database = new MemoryDatabase();
  const old = start(OLD, database);
  block(old, true);
  expect(seen()).toEqual(["watch begins", "transaction", "watch ends"]);
  expect(failureOf(() => block(old))).toMatchObject({ code: "UPG_HALT_UPGRADE_NEEDED" });
  expect(seen()).toEqual([]);
  const upgraded = start(NEW, database);
  block(upgraded);
  expect(seen()).toEqual(["handler", "watch begins", "brought begins", "watch ends", "brought ends"]);
  block(upgraded);
  expect(seen()).toEqual(["watch begins", "brought begins", "transaction", "watch ends", "brought ends"]);
});

// defineChain() refuses async functions; it cannot see that another function returns a promise.
const later = () => Promise.resolve();
const ASYNC: readonly (readonly [what: string, code: string, module: Partial<Module>])[] = [
  ["BeginBlock of module own", "UPG_BUG_MODULE", { beginBlock: later }],
  ["EndBlock of module own", "UPG_BUG_MODULE", { endBlock: later }],
  [
    "InitGenesis of module own",
    "UPG_BUG_MODULE",
    { genesis: moduleGenesis({ read: () => 0, init: later, export: () => [] }) },
  ],
];
test.each(ASYNC)("%s that returns a promise → %s by its name, no block", (what, code, module) => {
  const own: Module = { name: "own", consensusVersion: 1n, stores: [], ...module };
  const app = start(program([own], []), new MemoryDatabase());
  const failure = failureOf(() => block(app));
  expect(failure.code).toBe(code);
  expect(failure.message).toContain(`${what} returned a promise; it is synchronous`);
  expect(app.lastCommitID.version).toBe(0n);
});
