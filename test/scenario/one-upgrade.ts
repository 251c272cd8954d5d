/** A chain of any modules, whose second block is that of an upgrade. */

import { sha256 } from "../../host/base/native/sha256.js";
import type { KVStore } from "../../host/base/types/types.js";
import { App, type AppOptions, type BlockResult } from "../../host/chain/app/app.js";
import type { Chain as ChainValue } from "../../host/chain/app/chain.js";
import { defineChain } from "../../host/chain/app/define-chain.js";
import { parseGenesis } from "../../host/chain/app/genesis/genesis.js";
import type { Module } from "../../host/chain/app/module.js";
import type { MemoryDatabase } from "../../host/state/store/disk/memory-database.js";
import { Core } from "../../host/upgrade/core/core.js";
import { UPGRADE_STORE } from "../../host/upgrade/module/keeper.js";
import type { UpgradeContext } from "../../host/upgrade/module/upgrade-handler.js";
import { exampleChain, V1 } from "../example-chain.js";
import { load } from "../guest/build.js";
import { genesisText } from "./genesis-text.js";
import { KeptDatabase } from "./kept-database.js";
import { splitBalances, toV2 } from "./versions.js";

export type Register = (app: App) => void;

export interface Upgrade {
  /** Default: "next", by a handler that leaves all as it is. */
  readonly plan?: string;
  readonly register?: Register;
  readonly genesis?: string;
  readonly database?: MemoryDatabase;
  /** Called with the process that opened the stores for the upgrade, before its block. */
  readonly onLoaded?: (app: App) => void;
}

const registerNext: Register = ({ keeper }) => keeper.setWasmHandler(load({}, { name: "next" }), { isOfHome: true });
const registerSplit: Register = ({ keeper }) => keeper.setWasmHandler(splitBalances());

export const upgradedBySplit = (chain: ChainValue, genesis: Record<string, unknown>): BlockResult =>
  upgraded(chain, { plan: "v2", register: registerSplit, genesis: JSON.stringify(genesis) }).result;

export function setToV2(keeper: App["keeper"], breaks: (context: UpgradeContext) => void): void {
  const { run, plan, ...options } = toV2();
  const breaking: typeof run = (context, due, versions) => {
    breaks(context);
    return run(context, due, versions);
  };
  keeper.setUpgradeHandler(plan, breaking, options);
}

/** The example chain with one more module, `own`, which has these members. */
export const chainWith = (own: Partial<Module>) =>
  defineChain({
    name: "ownd",
    modules: [...exampleChain.modules, { name: "own", consensusVersion: 1n, stores: [], ...own } as Module],
  });

/** Block 2 of a chain, which applies the plan. */
export function upgraded(
  chain: ChainValue,
  { plan = "next", register = registerNext, genesis, database, onLoaded }: Upgrade = {},
) {
  const kept = new KeptDatabase(database && (() => database));
  const start = (options: Partial<AppOptions>): App => {
    const facts = {
      chain,
      database: kept,
      sha256,
      core: new Core(),
      genesis: parseGenesis(chain, genesis ?? genesisText()),
    };
    return new App({ ...facts, ...options });
  };
  const first = start(plan === "v2" ? { versions: [V1] } : {});
  first.load();
  const { authority } = first.keeper;
  const message = { authority, plan: { name: plan, height: 2n, info: "" } };
  next(first, (context) => first.keeper.softwareUpgrade(context.store(UPGRADE_STORE), 1n, message));
  first.close();
  const app = start({});
  register(app);
  app.load();
  onLoaded?.(app);
  return { result: next(app), app };
}

/** Makes and commits the next block. */
export function next(
  app: App,
  ...changes: readonly ((context: { store(name: string): KVStore }) => void)[]
): BlockResult {
  const height = app.nextHeight;
  const result = app.finalizeBlock({ height, time: { seconds: 1_800_000_000n + height, nanos: 0 }, changes });
  app.commit();
  return result;
}
