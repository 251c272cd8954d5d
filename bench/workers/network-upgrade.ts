/**
 * Four validators of one machine through an upgrade, 100 ms between blocks, in two ways by turns. Started again: each is `chaind start
 * --engine cometbft` with CometBFT as its child; the old program ends at the height with 10, and a script starts the new one at
 * once on the same home. Relayed: each is `chaind relay`, whose worker is replaced, and whose CometBFT goes on. Times are those of
 * the nodes' logs, from the first commit of the block before the height, which is the last that the old programs make.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { launchers } from "../../test/cosmovisor/supervisor.js";
import { cometbft } from "../../test/e2e/cometbft.js";
import { Network } from "../../test/network/network.js";
import type { NetNode } from "../../test/network/node.js";
import { type UpgradedNode, type UpgradeTimes, upgradeTimes, workerEndedAt } from "../comet/upgrade-times.js";

const RUNS = Number(process.argv[2]);
const CHAIND = resolve(join("dist", "chaind.js"));
const UPGRADE_NEEDED = 10;

interface Way {
  readonly name: string;
  /** What is bounded: from the last old block, or from when the first old program is gone, to the second new block on all. */
  readonly bounded: "whole" | "down";
  readonly millisMax: number;
  start(network: Network): void;
  /** The nodes with what they wrote until they were past the upgrade. */
  upgraded(nodes: readonly NetNode[], untilPast: Promise<void>): Promise<UpgradedNode[]>;
}

async function startedAgain(node: NetNode): Promise<UpgradedNode> {
  const { exit, log } = await node.end();
  const endedAt = Date.now();
  if (exit !== UPGRADE_NEEDED) throw new Error(`${node.own.name} ended with ${exit}:\n${log.slice(-3_000)}`);
  node.start();
  return { logs: [log], endedAt };
}

const again: Way = {
  name: "started again",
  bounded: "down",
  millisMax: 3_500,
  start: (network) => network.start({ flags: ["--app-version", "1"] }),
  async upgraded(nodes, untilPast) {
    const before = await Promise.all(nodes.map(startedAgain));
    await untilPast;
    return before.map(({ logs, endedAt }, at) => ({ logs: [...logs, nodes[at]?.log ?? ""], endedAt }));
  },
};

const programs = mkdtempSync(join(tmpdir(), "chain-upgrade-bench-programs-"));
const { before, after } = launchers(programs, CHAIND);

const relayed: Way = {
  name: "relayed",
  bounded: "whole",
  millisMax: 2_000,
  start: (network) => network.start({ isRelayed: true, flags: ["--program", before, "--upgrade", `v2=${after}`] }),
  async upgraded(nodes, untilPast) {
    await untilPast;
    return nodes.map(({ log }) => ({ logs: [log], endedAt: workerEndedAt(log) }));
  },
};

async function measure({ start, upgraded }: Way, comet: string): Promise<UpgradeTimes> {
  const network = await Network.make({ program: CHAIND, comet });
  try {
    start(network);
    await network.untilHeight(2);
    const scheduled = network.schedule("v2");
    // Not before the old programs have ended: until then one that ends by itself has failed.
    let isOver: () => void = () => undefined;
    const untilPast = new Promise<void>((done) => {
      isOver = done;
    });
    const nodes = upgraded(network.nodes, untilPast);
    const height = await scheduled;
    await untilAll(network, height + 3, nodes);
    isOver();
    const { differences } = await network.compare();
    if (differences.length > 0) throw new Error(differences.join("\n"));
    return upgradeTimes(await nodes, height);
  } finally {
    await network.close();
  }
}

const PATIENCE_MILLIS = 180_000;

async function untilAll({ nodes }: Network, height: number, failed: Promise<unknown>): Promise<void> {
  let failure: unknown;
  failed.catch((error: unknown) => {
    failure = error;
  });
  for (const end = Date.now() + PATIENCE_MILLIS; ; await new Promise((next) => setTimeout(next, 100))) {
    if (failure) throw failure;
    if ((await Promise.all(nodes.map((node) => node.height()))).every((each) => each >= height)) return;
    if (Date.now() > end) throw new Error(`not all nodes came to ${height}:\n${nodes[0]?.log.slice(-3_000)}`);
  }
}

const comet = cometbft();
if (!comet) throw new Error("CometBFT is missing here, and cannot be built: Go or its module proxy is missing");
const ways = [again, relayed];
const runs = new Map<Way, UpgradeTimes[]>(ways.map((way) => [way, []]));
try {
  for (let run = 1; run <= RUNS; run++) {
    for (const way of ways) {
      const times = await measure(way, comet);
      runs.get(way)?.push(times);
      process.stderr.write(`  run ${run}, ${way.name}: ${times.whole} ms\n`);
    }
  }
} finally {
  rmSync(programs, { recursive: true, force: true });
}
const rowsOf = ([way, times]: [Way, UpgradeTimes[]]) => {
  const row = (what: string, time: keyof UpgradeTimes) => ({
    ...{ row: `${way.name}, ${what}`, unit: "ms", samples: times.map((each) => each[time]) },
    ...(time === way.bounded ? { valueMax: way.millisMax } : {}),
  });
  return [
    row("H-1 to H+1 on all", "whole"),
    row("old program gone to H+1", "down"),
    row("H, first to last node", "spread"),
  ];
};
process.stdout.write(JSON.stringify([...runs].flatMap(rowsOf)));
