/** Situations that need other validators: three of them run alone, and one under a sidecar, with stock CometBFT. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { cometbft } from "../e2e/cometbft.js";
import { freePort } from "../e2e/free-port.js";
import { Network, type NetworkOptions } from "../network/network.js";
import type { NetNode } from "../network/node.js";
import { expectSame, halted, OLD } from "../network/scenes.js";
import { handler, isApplied, outcome, type Played, played, type Scene, Skipped, sha256, type Use } from "./scene.js";
import { CHAIND, newProgram, oldProgram, Supervised } from "./supervised.js";

/** A second or more for each thing that is looked at before the height, on a slow machine. */
const BLOCKS_TO_PLAN = 600;
const EXIT_MILLIS = 90_000;
const VOTING_NANOS = 25_000_000_000n;

interface Four {
  readonly network: Network;
  readonly node: NetNode;
  readonly others: readonly NetNode[];
  /** The node's home under a sidecar, with both releases in their places. */
  readonly bed: Supervised;
}

async function four(use: Use, options: Pick<NetworkOptions, "votingNanos"> = {}): Promise<Four> {
  const comet = cometbft();
  if (comet === undefined) throw new Skipped("no CometBFT: Go or its module proxy is missing");
  const network = await Network.make({ program: CHAIND, comet, ...options });
  use.onEnd(() => network.close());
  const [node, ...others] = network.nodes;
  if (!node) throw new Error("no node");
  const ports = { rpc: node.own.rpc, api: node.own.api, status: await freePort() };
  const env = { COMETBFT_BIN: comet, HOME: network.folder };
  const bed = new Supervised(node.home, ports, ["--engine", "cometbft"], env);
  use.onEnd(() => bed.killAll());
  bed.place("genesis", oldProgram());
  bed.place("upgrades/v2", newProgram());
  return { network, node, others, bed };
}

const skip = (height: number) => ["--unsafe-skip-upgrades", String(height)];

/** The others halt, and go on with the new version. */
async function upgraded({ network, others }: Four, height: number): Promise<void> {
  // Each wait has an end of its own, and the height may be minutes away.
  for (const blocks of [400, 200, 1]) await network.untilHeight(height - blocks, others);
  expectSame("exit statuses of the others", new Set(await network.ends(others)).size, 1);
  network.start({}, others);
}

const skipsAlone: Scene = async (use) => {
  const all = await four(use, { votingNanos: VOTING_NANOS });
  const { network, others, bed } = all;
  network.start(OLD, others);
  bed.start();
  await network.untilHeight(2, others);
  const height = await network.schedule("v2", "", BLOCKS_TO_PLAN);
  await bed.stop();
  bed.start(skip(height));
  await bed.settle();
  const surfaces = await bed.surfaces("v2");
  const [result] = await Promise.all([played(bed, "v2", surfaces, height), upgraded(all, height)]);
  return result;
};

const rolledBack: Scene = async (use) => {
  const { network, node, bed } = await four(use);
  const height = await halted(network);
  network.start();
  await network.untilHeight(height + 3);
  await node.stop();
  node.command("rollback", "--to", String(height - 1), "--yes");
  bed.start(skip(height));
  // It exits as soon as CometBFT gives it the block again.
  for (const end = Date.now() + EXIT_MILLIS; bed.sidecar && Date.now() < end; ) await sleep(500);
  return outcome(bed, "v2", await bed.surfaces("v2"), height);
};

const offline: Scene = async (use) => {
  const all = await four(use);
  const { network, others, bed } = all;
  const first = await halted(network, others);
  network.start({}, others);
  await network.untilHeight(first + 3, others);
  const bytes = await handler();
  const second = await network.schedule("v9", JSON.stringify({ handler: { sha256: sha256(bytes) } }));
  for (const { home } of network.nodes) {
    mkdirSync(join(home, "handlers/staged"), { recursive: true });
    writeFileSync(join(home, "handlers/staged/v9.wasm"), bytes);
  }
  // The handler needs no new store: the nodes apply it without an exit.
  await network.untilHeight(second + 3, others);
  const surfaces = await bed.surfaces("v9");
  bed.start();
  const end: Played = await outcome(bed, "v9", surfaces, second);
  return { ...end, isMade: end.isMade && isApplied(bed, "v2") };
};

export const NETWORK_SCENES: Readonly<Record<number, Scene>> = { 33: skipsAlone, 34: rolledBack, 35: offline };
