/** An upgrade of all accounts of the example chain in memory: what a node makes of it, and what those get who check it. */
import { readFileSync } from "node:fs";
import { exampleChain } from "../../examples/chain/chain.js";
import type { Timestamp } from "../../host/base/types/types.js";
import { App } from "../../host/chain/app/app.js";
import type { DirectChange } from "../../host/chain/app/block.js";
import { parseGenesis } from "../../host/chain/app/genesis/genesis.js";
import { MemoryDatabase } from "../../host/state/store/disk/memory-database.js";
import { Core } from "../../host/upgrade/core/core.js";
import { loadHandler } from "../../host/upgrade/handler/handler.js";
import { UPGRADE_STORE } from "../../host/upgrade/module/upgrade-store.js";
import { headersOf, timeOf, witnessOf } from "../../test/unit/verify/upgraded-chain.js";
import { sha256, time } from "../workers/records.js";
import { writeCoinAccounts } from "./coin-accounts.js";

export const CHAIN_ID = "scenario-1";
export const PLAN = { name: "v2", height: 2n, info: "" };
export const HANDLER = readFileSync("build/examples/split-balances.wasm");

export interface Upgraded {
  readonly witness: Uint8Array;
  readonly headers: ReturnType<typeof headersOf>;
  /** Of the upgrade's block on the node. */
  readonly block: number;
}

/** The blocks of a chain that is upgraded in block 2, made one after another. */
export class UpgradedBlocks {
  readonly #open: (versions: typeof exampleChain.versions) => App;
  #app: App;

  constructor(
    private readonly accounts: number,
    private readonly timeAt: (height: bigint) => Timestamp,
  ) {
    const text = { chain_id: CHAIN_ID, genesis_time: "2026-01-01T00:00:00Z", app_state: {}, consensus: {} };
    const genesis = parseGenesis(exampleChain, JSON.stringify(text));
    const database = new MemoryDatabase();
    this.#open = (versions) => {
      const app = new App({ chain: exampleChain, database, sha256, core: new Core(), genesis, versions });
      if (versions.length > 1) app.keeper.setWasmHandler(this.handler);
      app.load();
      return app;
    };
    this.#app = this.#open(exampleChain.versions.slice(0, 1));
  }

  readonly handler = loadHandler(HANDLER, { sha256 });

  get app(): App {
    return this.#app;
  }

  commit(height: bigint): void {
    if (height === PLAN.height) this.#app = this.#open(exampleChain.versions);
    const app = this.#app;
    const { authority } = app.keeper;
    const first: DirectChange[] = [
      (context) => writeCoinAccounts(context.store("auth"), this.accounts),
      (context) => app.keeper.softwareUpgrade(context.store(UPGRADE_STORE), height, { authority, plan: PLAN }),
    ];
    app.finalizeBlock({ height, time: this.timeAt(height), changes: height === 1n ? first : [] });
    app.commit();
  }
}

export function upgraded(accounts: number): Upgraded {
  const blocks = new UpgradedBlocks(accounts, timeOf);
  blocks.commit(1n);
  const block = time(() => blocks.commit(PLAN.height));
  const { app, handler } = blocks;
  const { height } = PLAN;
  return { witness: witnessOf({ app }, handler, height).bytes, headers: headersOf({ app }, height), block };
}
