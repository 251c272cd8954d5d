/** How quick one validator with CometBFT makes empty blocks when nothing waits: with this program, and with CometBFT's own application. */
import { execFileSync } from "node:child_process";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { cometToml } from "../../host/cli/localnet/comet-toml.js";
import type { LocalNode } from "../../host/cli/localnet/network.js";
import { heightOf } from "../../test/e2e/cometbft.js";
import { type Homes, makeHomes, type Program, startProgram, until } from "./homes.js";

/** Blocks before any are counted. */
const WARM_UP_BLOCKS = 100;

/** A validator that can be started, over and over, on a home of its own. */
export interface Validator {
  readonly name: string;
  readonly rpc: number;
  start(): Program;
  remove(): Promise<void>;
}

/** With this program as it is run: CometBFT is its child. */
export async function ownValidator(chaind: string, comet: string): Promise<Validator> {
  const { homes, home, node } = await oneHome();
  const args = [chaind, "start", "--home", home, "--engine", "cometbft", "--comet.bin", comet];
  return validator("chaind", homes, node, () => startProgram(home, "node", process.execPath, args));
}

/** CometBFT's own application, in its own process and in memory; the same settings. */
export async function kvstoreValidator(comet: string): Promise<Validator> {
  const { homes, home, node } = await oneHome();
  const args = ["start", "--home", cometHome(comet, homes, node), "--proxy_app", "kvstore"];
  return validator("kvstore", homes, node, () => startProgram(home, "node", comet, args));
}

/** The same application as a program of its own, at the same kind of socket as this one, with its state in files. */
export async function socketKvstoreValidator(comet: string, abciCli: string): Promise<Validator> {
  const { homes, home, node } = await oneHome();
  const own = cometHome(comet, homes, node);
  const socket = join(homes.folder, "kvstore.sock");
  const address = `unix://${socket}`;
  const app = ["kvstore", "--persist", join(own, "data/kvstore"), "--address", address];
  return validator("kvstore, socket", homes, node, () => {
    rmSync(socket, { force: true });
    const application = startProgram(home, "kvstore", abciCli, app);
    // It dials until the application serves.
    const engine = startProgram(home, "node", comet, ["start", "--home", own, "--proxy_app", address]);
    const ended = engine.ended.then((exit) => {
      application.child.kill("SIGTERM");
      return application.ended.then(() => exit);
    });
    return { ...engine, ended };
  });
}

/** A home of CometBFT alone; returns it. */
function cometHome(comet: string, { folder }: Homes, node: LocalNode): string {
  const home = join(folder, "kvstore");
  execFileSync(comet, ["init", "--home", home], { stdio: "ignore" });
  writeFileSync(join(home, "config/config.toml"), cometToml({ node, nodes: [node], blockMillis: 0 }));
  return home;
}

async function oneHome(): Promise<{ readonly homes: Homes; readonly home: string; readonly node: LocalNode }> {
  const homes = await makeHomes(1, 0);
  const [node] = homes.nodes;
  if (!node) throw new Error("no node");
  return { homes, home: homes.home(0), node };
}

function validator(name: string, { remove }: Homes, { rpc }: LocalNode, start: () => Program): Validator {
  return { name, rpc, start, remove };
}

/** Microseconds a block, over so many milliseconds. */
export async function blockMicros({ rpc, start }: Validator, millis: number): Promise<number> {
  const program = start();
  try {
    let from = 0;
    await until("the first height", program, async () => {
      from = await heightOf(rpc);
      return from > 0;
    });
    const first = from + WARM_UP_BLOCKS;
    await until("the blocks before", program, async () => (await heightOf(rpc)) >= first);
    const begun = performance.now();
    const before = await heightOf(rpc);
    await sleep(millis);
    const blocks = (await heightOf(rpc)) - before;
    const passed = performance.now() - begun;
    if (blocks < 1) throw new Error(`no block in ${millis} ms:\n${program.log().slice(-3_000)}`);
    return (passed * 1e3) / blocks;
  } finally {
    program.child.kill("SIGTERM");
    await program.ended;
  }
}
