/** Crashes around the upgrade: at CometBFT's own fail points, and wherever a kill comes. */
import { type ChildProcess, spawn } from "node:child_process";
import { cpSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Network } from "./network.js";
import { LOG_CHARACTERS_MAX, type NetNode, until } from "./node.js";
import { HEIGHTS_AFTER, halted, OLD, type Scene } from "./scenes.js";

/** In finalizeCommit, ApplyBlock and Commit: CometBFT counts them from 0 in each process. */
const FAIL_POINTS = 14;
/** Of a round of kills. */
const KILLS = 50;
const PAUSE_MILLIS_MAX = 900;

/** The upgrade's block, run by the new version again and again, with a CometBFT that exits at each of its fail points. */
export const failPoints: Scene = {
  name: "fail-points",
  what: "CometBFT exits at each of its 14 fail points from the upgrade's block on, with the application and without: 28",
  async run(network) {
    const height = await halted(network);
    const [node, ...others] = network.nodes;
    if (!node) throw new Error("no node");
    const kept = join(network.folder, "at-the-height");
    cpSync(node.home, kept, { recursive: true });
    network.start({}, others);
    await network.untilHeight(height + 1, others);
    let reached = 0;
    for (let point = 0; point < FAIL_POINTS; point++) {
      for (const crash of [withApplication, applicationLives]) {
        putBack(node, kept);
        reached += await crash(node, point, height);
        await node.untilHeight(height + 2);
        await node.stop();
      }
    }
    if (reached === 0) throw new Error("no fail point was reached");
    node.start();
    await network.untilHeight(height + HEIGHTS_AFTER);
    return { ...(await network.compare()), counts: `${reached} of ${2 * FAIL_POINTS} fail points reached` };
  },
};

/** The home as it was at the height. What its key has signed since stays signed. */
function putBack({ home }: NetNode, kept: string): void {
  const record = join(home, "data/priv_validator_state.json");
  const signed = readFileSync(record);
  rmSync(home, { recursive: true });
  cpSync(kept, home, { recursive: true });
  writeFileSync(record, signed);
}

/** CometBFT prints it when it exits at one. */
const AT_FAIL_POINT = "*** fail-test ";

/** Returns 1 when the fail point was reached. @throws Error when the node ended by something else */
async function withApplication(node: NetNode, point: number, height: number): Promise<number> {
  node.start({ env: { FAIL_TEST_INDEX: String(point) } });
  const end = await Promise.race([node.end(), passed(node, height + FAIL_POINTS)]);
  if (!end) return 0;
  requireFailPoint(end.log);
  node.start();
  return 1;
}

function requireFailPoint(log: string): void {
  if (!log.includes(AT_FAIL_POINT)) throw new Error(`CometBFT ended, and not at a fail point:\n${log.slice(-3_000)}`);
}

/** CometBFT is another process, which is started again while the application goes on. */
async function applicationLives(node: NetNode, point: number, height: number): Promise<number> {
  const socket = `unix://${join(node.home, "own.sock")}`;
  node.start({ flags: ["--with-comet=false", "--address", socket] });
  const args = ["start", "--home", node.home, "--proxy_app", socket];
  const start = (env: NodeJS.ProcessEnv) => new OwnComet(node.comet, args, env);
  const first = start({ FAIL_TEST_INDEX: String(point) });
  const isReached = await Promise.race([first.ended.then(() => true), passed(node, height + FAIL_POINTS)]);
  // It has the database open until it is gone.
  await first.end("SIGKILL");
  if (isReached) requireFailPoint(first.log);
  const second = start({});
  try {
    await node.untilHeight(height + 2);
  } finally {
    await second.end("SIGTERM");
  }
  await node.stop();
  node.start();
  return isReached ? 1 : 0;
}

/** A CometBFT that the application did not start. */
class OwnComet {
  /** Settles when it is gone, or could not be started; never rejects. */
  readonly ended: Promise<void>;
  log = "";
  readonly #child: ChildProcess;

  constructor(program: string, args: readonly string[], env: NodeJS.ProcessEnv) {
    const child = spawn(program, args, { env: { ...process.env, ...env }, stdio: ["ignore", "pipe", "pipe"] });
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding("utf8").on("data", (text: string) => {
        this.log = (this.log + text).slice(-LOG_CHARACTERS_MAX);
      });
    }
    this.#child = child;
    this.ended = new Promise((resolve) => {
      child.once("close", () => resolve());
      child.once("error", () => resolve());
    });
  }

  /** Returns at once when it has ended by itself. */
  async end(signal: NodeJS.Signals): Promise<void> {
    this.#child.kill(signal);
    await this.ended;
  }
}

/** Settles once the node is past the height; how it ends is for others to see. */
async function passed(node: NetNode, height: number): Promise<undefined> {
  while (node.isRunning && (await node.height()) < height) await sleep(100);
  return node.isRunning ? undefined : new Promise(() => undefined);
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
    let ofComet = 0;
    for (let kill = 0; kill < KILLS; kill++) {
      await sleep(random() * PAUSE_MILLIS_MAX);
      const node = network.nodes[Math.floor(random() * network.nodes.length)] as NetNode;
      if (random() < 0.5) node.kill();
      else if (await killsComet(node, random() * PAUSE_MILLIS_MAX)) ofComet++;
      await node.end();
      // The new version is for nodes whose chain has come to the height.
      if (version === OLD && (await allHalted(network, height, node))) version = { flags: [] };
      await restart(network, version);
    }
    await until("all nodes end at the height with the old version", async () => {
      if (version === OLD && (await allHalted(network, height, undefined))) version = { flags: [] };
      await restart(network, version);
      return version !== OLD;
    });
    // One that was still on its way to the height as the old version ends there, and goes on as the new one.
    await until("all nodes go on as the new version", async () => {
      await restart(network, version);
      return (await Promise.all(network.nodes.map((node) => node.height()))).every((each) => each > height);
    });
    await network.untilHeight(height + HEIGHTS_AFTER);
    return { ...(await network.compare()), counts: `${KILLS} kills, ${ofComet} of them of CometBFT, seed ${seed}` };
  },
};

/** A node that was started a moment ago has no CometBFT yet. False: the node ended before it could be killed. */
async function killsComet(node: NetNode, millis: number): Promise<boolean> {
  await until(`${node.own.name} starts CometBFT`, async () => node.hasComet || !node.isRunning);
  await sleep(millis);
  return node.killComet();
}

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
