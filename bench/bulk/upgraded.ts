/** An upgrade of all accounts of the example chain in memory: what a node makes of it, and what those get who check it. */
import { readFileSync } from "node:fs";
import { exampleChain } from "../../examples/chain/chain.js";
import { App } from "../../host/chain/app.js";
import { parseGenesis } from "../../host/chain/genesis/genesis.js";
import { Core } from "../../host/core/core.js";
import { loadHandler } from "../../host/handler/handler.js";
import { MemoryDatabase } from "../../host/store/disk/memory-database.js";
import { UPGRADE_STORE } from "../../host/upgrade/upgrade-store.js";
import { headersOf, timeOf, witnessOf } from "../../test/unit/verify/upgraded-chain.js";
import { sha256, time } from "../workers/records.js";
import { writeCoinAccounts } from "./coin-accounts.js";

export const HANDLER = readFileSync("build/examples/split-balances.wasm");

export interface Upgraded {
  readonly witness: Uint8Array;
  readonly headers: ReturnType<typeof headersOf>;
  /** Of the upgrade's block on the node. */
  readonly block: number;
}

export function upgraded(accounts: number): Upgraded {
  const text = { chain_id: "scenario-1", genesis_time: "2026-01-01T00:00:00Z", app_state: {}, consensus: {} };
  const genesis = parseGenesis(exampleChain, JSON.stringify(text));
  const handler = loadHandler(HANDLER, { sha256 });
  const database = new MemoryDatabase();
  const open = (versions: typeof exampleChain.versions) => {
    const app = new App({ chain: exampleChain, database, sha256, core: new Core(), genesis, versions });
    if (versions.length > 1) app.keeper.setWasmHandler(handler);
    app.load();
    return app;
  };
  const old = open(exampleChain.versions.slice(0, 1));
  const plan = { name: "v2", height: 2n, info: "" };
  const { authority } = old.keeper;
  old.finalizeBlock({
    ...{ height: 1n, time: timeOf(1n) },
    changes: [
      (context) => writeCoinAccounts(context.store("auth"), accounts),
      (context) => old.keeper.softwareUpgrade(context.store(UPGRADE_STORE), 1n, { authority, plan }),
    ],
  });
  old.commit();
  const app = open(exampleChain.versions);
  const block = time(() => {
    app.finalizeBlock({ height: 2n, time: timeOf(2n) });
    app.commit();
  });
  return { witness: witnessOf({ app }, handler, 2n).bytes, headers: headersOf({ app }, 2n), block };
}
