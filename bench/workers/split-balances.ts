/** The whole upgrade of a chain of many accounts: store loader, sandboxed handler, its checks, commit. */

import { readFileSync } from "node:fs";
import { exampleChain } from "../../examples/chain/chain.js";
import { App } from "../../host/chain/app/app.js";
import { parseGenesis } from "../../host/chain/app/genesis/genesis.js";
import { knownVersions } from "../../host/chain/app/versions/known-versions.js";
import { LmdbDatabase } from "../../host/state/store/disk/lmdb-database.js";
import { Core } from "../../host/upgrade/core/core.js";
import { loadHandler } from "../../host/upgrade/handler/handler.js";
import { UPGRADE_STORE } from "../../host/upgrade/module/keeper.js";
import { writeCoinAccounts } from "../bulk/coin-accounts.js";
import { report, sha256, time, timeAndCpu, withDatabase } from "./records.js";

const count = Number(process.argv[2]);
const handlerFile = process.argv[3] ?? "build/examples/split-balances.wasm";

const genesis = parseGenesis(
  exampleChain,
  JSON.stringify({ chain_id: "bench-1", genesis_time: "2026-01-01T00:00:00Z", app_state: {}, consensus: {} }),
);
const handler = loadHandler(readFileSync(handlerFile), { sha256 });

function openApp(path: string, newest: bigint): App {
  const database = new LmdbDatabase(path);
  const app = new App({
    chain: exampleChain,
    database,
    sha256,
    core: new Core(),
    genesis,
    versions: knownVersions(exampleChain, newest),
  });
  if (newest > 1n) app.keeper.setWasmHandler(handler);
  app.load();
  return app;
}

const at = (seconds: bigint) => ({ seconds, nanos: 0 });

withDatabase((path) => {
  const old = openApp(path, 1n);
  const plan = { name: "v2", height: 2n, info: "" };
  old.finalizeBlock({
    height: 1n,
    time: at(1n),
    changes: [
      (context) => writeCoinAccounts(context.store("auth"), count),
      (context) =>
        old.keeper.softwareUpgrade(context.store(UPGRADE_STORE), 1n, { authority: old.keeper.authority, plan }),
    ],
  });
  old.commit();
  old.close();
  let block = 0;
  const total = timeAndCpu(() => {
    const app = openApp(path, 2n);
    block = time(() => app.finalizeBlock({ height: 2n, time: at(2n) }));
    app.commit();
    app.close();
  });
  report({ ...total, block });
});
