/**
 * Four validators of one machine through an upgrade: each is `chaind start --engine cometbft` with CometBFT as its child, 100 ms between
 * blocks. The old program ends at the height with 10, and a script starts the new one at once on the same home. Times are
 * those of the nodes' logs: from the first commit of the block before the height, which is the last that the old programs make.
 */
import { join, resolve } from "node:path";
import { serveChain } from "../../host/shell/program-chain.js";
import { cometbft } from "../../test/e2e/cometbft.js";
import { exampleChain } from "../../test/example-chain.js";
import { Network } from "../../test/network/network.js";
import type { NetNode } from "../../test/network/node.js";
import { type UpgradedNode, type UpgradeTimes, upgradeTimes } from "../comet/upgrade-times.js";

const RUNS = Number(process.argv[2]);
const MILLIS_MAX = 3_500;
const UPGRADE_NEEDED = 10;

serveChain(exampleChain);

async function replaced(node: NetNode): Promise<UpgradedNode> {
  const { exit, log } = await node.end();
  const endedAt = Date.now();
  if (exit !== UPGRADE_NEEDED) throw new Error(`${node.own.name} ended with ${exit}:\n${log.slice(-3_000)}`);
  node.start();
  return { logs: [log], endedAt };
}

async function upgraded(comet: string): Promise<UpgradeTimes> {
  const network = await Network.make({ program: resolve(join("dist", "chaind.js")), comet });
  try {
    network.start({ flags: ["--app-version", "1"] });
    await network.untilHeight(2);
    const scheduled = network.schedule("v2");
    const nodes = await Promise.all(network.nodes.map(replaced));
    const height = await scheduled;
    await network.untilHeight(height + 3);
    const { differences } = await network.compare();
    if (differences.length > 0) throw new Error(differences.join("\n"));
    const whole = nodes.map(({ logs, endedAt }, at) => ({ logs: [...logs, network.nodes[at]?.log ?? ""], endedAt }));
    return upgradeTimes(whole, height);
  } finally {
    await network.close();
  }
}

const comet = cometbft();
if (!comet) throw new Error("CometBFT is missing here, and cannot be built: Go or its module proxy is missing");
const runs: UpgradeTimes[] = [];
for (let run = 0; run < RUNS; run++) runs.push(await upgraded(comet));
const row = (name: string, value: (times: UpgradeTimes) => number) => ({
  row: name,
  unit: "ms",
  samples: runs.map(value),
});
process.stdout.write(
  JSON.stringify([
    { ...row("H-1 to H+1 on all", ({ whole }) => whole), valueMax: MILLIS_MAX },
    row("first old program gone to H+1", ({ down }) => down),
    row("block H, first to last node", ({ spread }) => spread),
  ]),
);
