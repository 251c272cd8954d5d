/** An upgrade whose block takes a minute, on all nodes at once: what they serve meanwhile, and that nobody loses a peer. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { percentile } from "../../bench/servers/endpoints.js";
import { sha256 } from "../../host/base/native/sha256.js";
import { utf8 } from "../../host/base/text/bytes.js";
import { encodeAddress } from "../addresses.js";
import { askWhile, describe } from "./endpoints.js";
import type { Network } from "./network.js";
import { type NetNode, until } from "./node.js";
import { HEIGHTS_AFTER, type Scene } from "./scenes.js";
import { roundsPerSecond, slowHandler } from "./slow-handler.js";

const PLAN = "v2";
const ACCOUNTS = 20_000;
/** What the block takes at least; the work is made for a sixth more. */
const SECONDS_MIN = 60;
const SECONDS = 70;
const P99_MILLIS_MAX = 100;

/** One document for all nodes, as before. */
function addAccounts({ nodes }: Network): void {
  const [first] = nodes;
  const document = JSON.parse(readFileSync(join(first?.home ?? "", "config/genesis.json"), "utf8"));
  const { auth, bank } = document.app_state;
  for (let account = 0; account < ACCOUNTS; account++) {
    const address = encodeAddress(sha256(utf8(`account ${account}`)).slice(0, 20));
    const type = "/cosmos.auth.v1beta1.BaseAccount";
    auth.accounts.push({ "@type": type, address, account_number: String(1_000 + account), sequence: "0" });
    bank.balances.push({ address, coins: [{ denom: "ustake", amount: String(1_000_000 + account) }] });
  }
  for (const { home } of nodes) writeFileSync(join(home, "config/genesis.json"), JSON.stringify(document));
}

/** Staged: at the height the program that runs goes on with it, and CometBFT is not started again. */
function stage({ home }: NetNode, handler: Uint8Array): readonly string[] {
  mkdirSync(join(home, "handlers/staged"), { recursive: true });
  writeFileSync(join(home, "handlers/staged/slow.wasm"), handler);
  return ["--handlers", join(home, "handlers")];
}

/** Milliseconds that a node says it applied the upgrade in. */
function millisOf({ log }: NetNode): number {
  const line = log.split("\n").find((each) => each.includes('"message":"upgrade applied"'));
  return line === undefined ? 0 : Number((JSON.parse(line) as { ms: number }).ms);
}

export const longMigration: Scene = {
  name: "long-migration",
  what: `a block of ${SECONDS_MIN} s and more by a staged handler: peers stay, everything is served within ${P99_MILLIS_MAX} ms (p99), no error`,
  async run(network) {
    const { nodes } = network;
    addAccounts(network);
    const share = Math.min(1, availableParallelism() / nodes.length);
    const handler = await slowHandler(Math.ceil((SECONDS * share * roundsPerSecond()) / ACCOUNTS));
    for (const node of nodes) node.start({ flags: stage(node, handler) });
    await network.untilHeight(2);
    const height = await network.schedule(PLAN);
    const saying = (text: string) => nodes.every(({ log }) => log.includes(text));
    await until("all nodes make the block", async () => saying("applying upgrade"));
    const peers = nodes.length - 1;
    const asked = await askWhile(nodes, () => nodes.some((node) => node.isRunning && millisOf(node) === 0));
    const applied = nodes.map(millisOf);
    const seconds = Math.min(...applied) / 1_000;
    await network.untilHeight(height + HEIGHTS_AFTER);
    const counts = `block of ${seconds.toFixed(1)} to ${(Math.max(...applied) / 1_000).toFixed(1)} s; ${describe(asked)}`;
    const wrong = [
      ...(asked.errors.length > 0 ? [`first error: ${asked.errors[0]}`] : []),
      ...(asked.peers < peers ? [`a node had ${asked.peers} of ${peers} peers`] : []),
      ...(percentile(asked.millis, 0.99) > P99_MILLIS_MAX ? ["p99 is above its limit"] : []),
      ...(seconds < SECONDS_MIN ? [`the block took less than ${SECONDS_MIN} s`] : []),
    ];
    if (wrong.length > 0) throw new Error(`${wrong.join("; ")} (${counts})`);
    return { ...(await network.compare()), counts };
  },
};
