/** Prints the calls of two blocks of the example chain: one with a MsgSend, and the one of an upgrade. */

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { exampleChain } from "../../../examples/chain/chain.js";
import { initHome } from "../../../host/cli/commands/init.js";
import { logicalClock } from "../../../host/node/embedded/clock.js";
import { openNode } from "../../../host/node/open/open-node.js";
import { schedule } from "../../e2e/prepared-home.js";
import { genesisText } from "../../scenario/genesis-text.js";
import { Signer, send } from "../../scenario/wallet.js";
import { seen, watch } from "./trace.js";

const folder = mkdtempSync(join(tmpdir(), "chain-upgrade-calls-"));
const signer = new Signer("sender");

function genesis(): string {
  const document = JSON.parse(genesisText());
  const { auth, bank } = document.app_state;
  const account_number = String(auth.accounts.length);
  auth.accounts.push({ ...auth.accounts[0], address: signer.address, account_number });
  bank.balances.push({ address: signer.address, coins: [{ denom: "ustake", amount: "1000" }] });
  const file = join(folder, "genesis.json");
  writeFileSync(file, JSON.stringify(document));
  return file;
}

try {
  const home = join(folder, "home");
  mkdirSync(home);
  initHome(exampleChain, { home, genesis: genesis(), keySeed: new Uint8Array(32).fill(1) });
  const clock = logicalClock(5_000_000_000n);
  const settings = { chain: exampleChain, home, clock, handlers: process.argv[2] as string, log: () => undefined };
  const open = openNode({ ...settings, appVersion: 1n });
  const accountNumber = BigInt(JSON.parse(genesisText()).app_state.auth.accounts.length);
  const message = send(signer, new Signer("receiver").address, 5);
  const tx = (sequence: bigint) => signer.sign([message], { chainId: "scenario-1", accountNumber, sequence });
  // Genesis and the first use of things are no part of an ordinary block.
  open.node.makeBlock();
  open.node.submit(tx(0n));
  open.node.makeBlock();
  const { result } = watch(() => {
    open.node.submit(tx(1n));
    return open.node.makeBlock();
  });
  const code = result.txResults[0]?.code;
  if (code !== 0) throw new Error(`the MsgSend ended with code ${code}`);
  const ordinary = [...seen];
  seen.clear();
  schedule(open.node, { name: "v2", height: open.node.app.lastCommitID.version + 2n });
  open.close();
  const newer = openNode(settings);
  watch(() => newer.node.makeBlock());
  if (newer.node.app.version.number !== 2n) throw new Error("no upgrade was made");
  newer.close();
  process.stdout.write(JSON.stringify({ ordinary, upgrade: [...seen] }));
} finally {
  rmSync(folder, { recursive: true, force: true });
}
