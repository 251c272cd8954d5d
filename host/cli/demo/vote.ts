/**
 * The plan's way through governance: a real node, asked by real `chaind tx` processes. The node makes a block when a
 * transaction comes, and one more; the next is sent when it is quiet again, so every run has the same blocks.
 */

import { execFile } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { UpgradeError } from "../../base/errors/errors.js";
import type { Io } from "../../base/terminal/io.js";
import { makePrompt } from "../../base/terminal/prompt.js";
import type { Plan } from "../../base/types/types.js";
import { Home } from "../../node/home/home.js";
import { RpcClient } from "../../node/remote/client.js";
import type { ProgramContext } from "../flags/context.js";
import { Keyring } from "../wallet/keyring.js";
import { requireExit, startChildNode } from "./child-node.js";
import { DEPOSIT, operatorKeys } from "./small-genesis.js";

/** How many operators vote: three of four, each with a quarter of the power. */
const VOTES = 3;
const POLL_MILLIS = 20;
const WAIT_MILLIS = 60_000;

export interface VoteOptions {
  readonly home: string;
  readonly blockTime: string;
  /** Those that the old version is started with. */
  readonly nodeArguments: readonly string[];
  readonly plan: Plan;
}

/** The keyring of the home, with the operators' keys. */
export async function keepOperatorKeys(
  { chain, io }: Pick<ProgramContext, "chain"> & { readonly io: Pick<Io, "stdin" | "stderr"> },
  home: string,
): Promise<void> {
  const prompt = makePrompt(io);
  const keyring = new Keyring({ folder: home, backend: "test", prompt, addresses: chain.addresses });
  for (const { name, key } of operatorKeys()) if (!keyring.has(name)) await keyring.add(name, key);
  prompt.close();
}

/** Proposes the plan and votes for it; returns the proposal's id. The vote's end is still to come. */
export async function proposeAndVote(options: VoteOptions): Promise<string> {
  const { home, plan } = options;
  const quiet = ["--create-empty-blocks=false", "--grpc.enable=false", "--api.enable=false"];
  const node = startChildNode({
    ...{ home, blockTime: options.blockTime },
    arguments: [...options.nodeArguments, ...quiet, "--rpc.laddr", "tcp://127.0.0.1:0"],
  });
  try {
    const rpc = new RpcClient(await Promise.race([rpcAddress(home), node.end.then(endedEarly)]));
    const send = async (from: string, words: readonly string[]) => {
      const height = BigInt((await chaindTx(home, rpc.node, from, words)).height);
      await reached(rpc, height + 1n);
    };
    // The first block, and the one whose header carries its result.
    await reached(rpc, 2n);
    const [first] = operatorKeys();
    await send(first?.name ?? "", proposal(plan));
    const id = await lastProposal(home, rpc.node);
    for (const { name } of operatorKeys().slice(0, VOTES)) await send(name, ["gov", "vote", id, "yes"]);
    return id;
  } finally {
    node.stop();
    requireExit(await node.end, 0, "the node that was voted on");
  }
}

function proposal({ name, height, info }: Plan): string[] {
  const texts = ["--title", `Upgrade to ${name}`, "--summary", `The plan "${name}" at height ${height}.`];
  // The handler ships with the program, so there is nothing to download.
  const plan = ["--upgrade-height", String(height), "--upgrade-info", info, "--no-validate"];
  return ["upgrade", "software-upgrade", name, ...plan, ...texts, "--deposit", DEPOSIT];
}

function endedEarly(end: { readonly log: string }): never {
  throw new UpgradeError("UPG_BUG_ASSERT", `the node ended before it could be asked:\n${end.log}`);
}

/** Where the node's RPC is: any port that was free. */
async function rpcAddress(home: string): Promise<string> {
  const file = new Home(home).addressesFile;
  for (const until = Date.now() + WAIT_MILLIS; Date.now() < until; await sleep(POLL_MILLIS)) {
    if (!existsSync(file)) continue;
    const { rpc } = JSON.parse(readFileSync(file, "utf8")) as { rpc?: string };
    if (rpc) return rpc;
  }
  throw new UpgradeError("UPG_BUG_ASSERT", "the node did not open its servers");
}

async function reached(rpc: RpcClient, height: bigint): Promise<void> {
  for (const until = Date.now() + WAIT_MILLIS; Date.now() < until; await sleep(POLL_MILLIS)) {
    const { sync_info } = (await rpc.call("status")) as { sync_info: { latest_block_height: string } };
    if (BigInt(sync_info.latest_block_height) >= height) return;
  }
  throw new UpgradeError("UPG_BUG_ASSERT", `the node did not reach height ${height}`);
}

async function chaind(args: readonly string[]): Promise<unknown> {
  const program = fileURLToPath(new URL("chaind.js", import.meta.url));
  const { stdout } = await promisify(execFile)(process.execPath, [program, ...args, "-o", "json"]);
  return JSON.parse(stdout);
}

/** One transaction, to its block. */
async function chaindTx(
  home: string,
  node: string,
  from: string,
  words: readonly string[],
): Promise<{ height: string }> {
  const how = [
    "--from",
    from,
    "--home",
    home,
    "--node",
    node,
    "--keyring-backend",
    "test",
    "--broadcast-mode",
    "block",
  ];
  return (await chaind(["tx", ...words, ...how, "--yes"])) as { height: string };
}

async function lastProposal(home: string, node: string): Promise<string> {
  const list = ["query", "gov", "proposals", "--page-reverse", "--page-limit", "1", "--home", home, "--node", node];
  const { proposals } = (await chaind(list)) as { proposals: { id: string }[] };
  return proposals[0]?.id ?? "";
}
