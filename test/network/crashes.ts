/** Crashes around the upgrade: at CometBFT's own fail points, and wherever a kill comes. */
import { setTimeout as sleep } from "node:timers/promises";
import type { Network } from "./network.js";
import type { NetNode } from "./node.js";
import { HEIGHTS_AFTER, halted, OLD, type Scene } from "./scenes.js";

/** In finalizeCommit, ApplyBlock and Commit: CometBFT counts them from 0 in each process. */
const FAIL_POINTS = 14;
const CRASH_EXIT = 16;
/** Of a round of kills. */
const KILLS = 50;
const PAUSE_MILLIS_MAX = 900;

/** The first blocks of the new version, one of which is the upgrade's, with a CometBFT that exits at each of its fail points. */
export const failPoints: Scene = {
  name: "fail-points",
  what: "CometBFT of one node exits at each of its 14 fail points, in the block of the upgrade",
  async run(network) {
    const height = await halted(network);
    const [node, ...others] = network.nodes;
    if (!node) throw new Error("no node");
    let crashes = 0;
    for (let point = 0; point < FAIL_POINTS; point++) {
      node.start({ env: { FAIL_TEST_INDEX: String(point) } });
      if (point === 0) network.start({}, others);
      const exit = await Promise.race([node.end().then((end) => end.exit), passed(node, height + HEIGHTS_AFTER)]);
      if (exit === CRASH_EXIT) crashes++;
      else if (exit !== undefined)
        throw new Error(`fail point ${point}: exit status ${exit}\n${node.log.slice(-2_000)}`);
      await network.stop([node]);
    }
    if (crashes === 0) throw new Error("no fail point was reached");
    node.start();
    await network.untilHeight(height + HEIGHTS_AFTER);
    const compared = await network.compare();
    return { ...compared, counts: `${crashes} of ${FAIL_POINTS} points reached` };
  },
};

/** Undefined once the node is past the height. */
async function passed(node: NetNode, height: number): Promise<undefined> {
  while (node.isRunning && (await node.height()) < height) await sleep(100);
  if (node.isRunning) return undefined;
  return new Promise(() => undefined);
}

/** A generator of 32 bits that a seed begins: the same kills again. */
function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 4_294_967_296;
  };
}

export const kills: Scene = {
  name: "kills",
  what: `${KILLS} random kills of applications and of their CometBFTs, from before the upgrade to after it`,
  async run(network, seed) {
    const random = randomFrom(seed);
    network.start(OLD);
    await network.untilHeight(2);
    const height = await network.schedule("v2");
    let version = OLD;
    for (let kill = 0; kill < KILLS; kill++) {
      await sleep(random() * PAUSE_MILLIS_MAX);
      const node = network.nodes[Math.floor(random() * network.nodes.length)] as NetNode;
      if (random() < 0.5) node.kill();
      else node.killComet();
      await node.end();
      // The new version is for nodes whose chain has come to the height.
      if (version === OLD && (await allHalted(network, height, node))) version = { flags: [] };
      await restart(network, version);
    }
    while (version === OLD) {
      if (await allHalted(network, height, undefined)) version = { flags: [] };
      else await sleep(200);
      await restart(network, version);
    }
    await network.untilHeight(height + HEIGHTS_AFTER);
    return { ...(await network.compare()), counts: `${KILLS} kills, seed ${seed}` };
  },
};

/** Those that ended by themselves have come to the height. */
async function allHalted({ nodes }: Network, height: number, killed: NetNode | undefined): Promise<boolean> {
  const halts = nodes.filter(
    (node) => node.halt?.code === "UPG_HALT_UPGRADE_NEEDED" && node.halt.height === String(height),
  );
  return halts.length >= nodes.length - (killed ? 1 : 0) && halts.length > 2;
}

async function restart({ nodes }: Network, version: { readonly flags: readonly string[] }): Promise<void> {
  for (const node of nodes) {
    if (!node.isRunning && !(version === OLD && node.halt?.code === "UPG_HALT_UPGRADE_NEEDED")) node.start(version);
  }
}
