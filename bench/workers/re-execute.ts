/**
 * An upgrade of all accounts, run again on its witness as a browser does it, with SHA-256 in JavaScript and in Wasm: against the
 * block that a node made of it, in memory. The whole app hash comes out equal each time, or the bench fails.
 */
import { readFileSync } from "node:fs";
import { sha256 as noble } from "@noble/hashes/sha2.js";
import { exampleChain } from "../../examples/chain/chain.js";
import { App } from "../../host/chain/app.js";
import { parseGenesis } from "../../host/chain/genesis/genesis.js";
import { Core } from "../../host/core/core.js";
import { loadHandler } from "../../host/handler/handler.js";
import { MemoryDatabase } from "../../host/store/disk/memory-database.js";
import { UPGRADE_STORE } from "../../host/upgrade/upgrade-store.js";
import { reExecute } from "../../host/verify/re-execute.js";
import { headersOf, timeOf, witnessOf } from "../../test/unit/verify/upgraded-chain.js";
import { writeCoinAccounts } from "../bulk/coin-accounts.js";
import { sha256, time } from "./records.js";

const ROUNDS = Number(process.argv[2]);
const SIZES = [3_000, 200_000];
/** Milliseconds that are due in a browser, the first time and for many accounts. */
const COLD_MAX = 400;
const MANY_MAX = 2_500;
const WITNESS_BYTES_MAX = 2 ** 28;
const HANDLER = readFileSync("build/examples/split-balances.wasm");

interface Upgraded {
  readonly witness: Uint8Array;
  readonly headers: ReturnType<typeof headersOf>;
  /** Of the upgrade's block on the node. */
  readonly block: number;
}

function upgraded(accounts: number): Upgraded {
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

const rows: object[] = [];
for (const accounts of SIZES) {
  const { witness, headers, block } = upgraded(accounts);
  const name = `${accounts.toLocaleString("en-US")} accounts`;
  const run = () => reExecute({ witness, headers, maxBytes: WITNESS_BYTES_MAX, handler: HANDLER, sha256: noble });
  const first = time(run);
  const samples = Array.from({ length: ROUNDS }, () => time(run));
  rows.push(
    { row: `${name}: block of a node`, unit: "ms", samples: [block] },
    {
      row: `${name}: first time`,
      unit: "ms",
      samples: [first],
      ...(accounts === SIZES[0] ? { valueMax: COLD_MAX } : {}),
    },
    {
      row: `${name}: again`,
      unit: "ms",
      samples,
      against: `${name}: block of a node`,
      ...(accounts === SIZES[0] ? {} : { valueMax: MANY_MAX }),
    },
    { row: `${name}: witness`, unit: "KiB", samples: [witness.length / 1_024] },
  );
}
process.stdout.write(JSON.stringify(rows));
