/** The whole upgrade of a chain of many accounts: store loader, sandboxed handler, its checks, commit. */

import { readFileSync } from "node:fs";
import { exampleChain } from "../../examples/chain/chain.js";
import { App } from "../../host/chain/app.js";
import { parseGenesis } from "../../host/chain/genesis/genesis.js";
import { knownVersions } from "../../host/chain/versions/known.js";
import { Core } from "../../host/core/core.js";
import { OP_PUT, writeU32 } from "../../host/frames.js";
import { loadHandler } from "../../host/handler/handler.js";
import { LmdbDatabase } from "../../host/store/disk/lmdb-database.js";
import type { KVStore } from "../../host/types.js";
import { UPGRADE_STORE } from "../../host/upgrade/keeper.js";
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

/** Accounts of version 1, each with one coin, as protobuf in frames. */
function writeAccounts(store: KVStore): void {
  const frames = new Uint8Array(65_536);
  let at = 0;
  for (let i = 0; i < count; i++) {
    if (at + 128 > frames.length) {
      store.writeFrames(frames.subarray(0, at));
      at = 0;
    }
    at = putAccount(frames, at, i);
  }
  store.writeFrames(frames.subarray(0, at));
}

const encoder = new TextEncoder();

function putAccount(frames: Uint8Array, at: number, index: number): number {
  const amount = encoder.encode(String(1_000_000 + index));
  const coinBytes = 2 + 6 + 2 + amount.length;
  const valueAt = at + 8 + 21;
  const scattered = Math.imul(index, 0x9e37_79b1) >>> 0;
  frames[at + 8] = 1;
  for (let i = 0; i < 20; i++) frames[at + 9 + i] = scattered >>> ((i & 3) * 8);
  writeU32(frames, at + 9, scattered);
  let to = valueAt;
  frames[to++] = 0x0a;
  frames[to++] = 20;
  frames.copyWithin(to, at + 9, at + 29);
  to += 20;
  frames[to++] = 0x18; // account number
  for (let rest = index + 2; ; rest = Math.floor(rest / 128)) {
    frames[to++] = rest >= 128 ? (rest % 128) | 128 : rest;
    if (rest < 128) break;
  }
  frames.set([0x82, 0x01, coinBytes, 0x0a, 6], to);
  frames.set(encoder.encode("ustake"), to + 5);
  frames.set([0x12, amount.length], to + 11);
  frames.set(amount, to + 13);
  to += 13 + amount.length;
  writeU32(frames, at, ((OP_PUT << 30) | 21) >>> 0);
  writeU32(frames, at + 4, to - valueAt);
  return to;
}

const at = (seconds: bigint) => ({ seconds, nanos: 0 });

withDatabase((path) => {
  const old = openApp(path, 1n);
  const plan = { name: "v2", height: 2n, info: "" };
  old.finalizeBlock({
    height: 1n,
    time: at(1n),
    changes: [
      (context) => writeAccounts(context.store("auth")),
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
